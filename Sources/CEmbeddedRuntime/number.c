// SPDX-License-Identifier: Apache-2.0

// Swift 6.2's Embedded runtime declares this function, but does not have it; Swift 6.3's does not call it.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t swift_float64ToString(char *buffer, size_t capacity, double value, bool debug);

// The description of a Double: the shortest text that is read as the same number, and the length of that. After some
// powers of two a digit longer than that of Swift 6.3.
uint64_t swift_float64ToString(char *buffer, size_t capacity, double value, bool debug) {
    (void)debug;
    if (isnan(value)) return (uint64_t)snprintf(buffer, capacity, "nan");
    if (isinf(value)) return (uint64_t)snprintf(buffer, capacity, "%sinf", signbit(value) ? "-" : "");
    char text[32];
    int precision = 0;
    do snprintf(text, sizeof text, "%.*e", precision, value);
    while (strtod(text, NULL) != value && ++precision < 17);
    int exponent = atoi(strchr(text, 'e') + 1);
    bool is_plain = fabs(value) <= 0x1p53 && (exponent >= -4 || value == 0);
    if (is_plain) {
        int decimals = precision > exponent ? precision - exponent : 1;
        return (uint64_t)snprintf(buffer, capacity, "%.*f", decimals, value);
    }
    return (uint64_t)snprintf(buffer, capacity, "%s", text);
}
