// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <iio.h>
#include <stdio.h>

// libiio prints errors that it returns as well, and a warning for each buffer without DMA, as every accelerometer's is.
// With glibc the stream is a variable.
static inline void orientd_silence_libiio(void) {
#ifdef __GLIBC__
    FILE *null = fopen("/dev/null", "we");
    if (null) stderr = null;
#endif
}
