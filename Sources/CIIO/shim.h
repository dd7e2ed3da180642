// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <iio.h>
#include <stdio.h>

// libiio writes to standard error what its callers are told as well, and a warning at each start of a buffer without DMA,
// which is that of every accelerometer. glibc's stream is a variable.
static inline void orientd_silence_libiio(void) {
#ifdef __GLIBC__
    FILE *null = fopen("/dev/null", "we");
    if (null) stderr = null;
#endif
}
