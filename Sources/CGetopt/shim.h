// SPDX-License-Identifier: Apache-2.0
#include <getopt.h>

// Swift sees C's global variables as shared mutable state and refuses them.
static inline const char *orientd_optarg(void) { return optarg; }
static inline int orientd_optind(void) { return optind; }
static inline void orientd_restart_getopt(void) { optind = 0; }
