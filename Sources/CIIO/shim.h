// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <iio.h>
