// SPDX-License-Identifier: Apache-2.0

// The compiler declares that these functions return their argument, and LLVM relies on that on AArch64. In Swift 6.3's
// Embedded runtime they return it without its tag, so that the text "HDMI-A-1" lost its length.
#if defined(__aarch64__)

#include <stdint.h>

void *swift_retain(void *object);
void *swift_bridgeObjectRetain(void *object);
void *swift_bridgeObjectRetain_n(void *object, uint32_t count);

// An object that is no pointer, such as a short text, stays negative, which swift_retain ignores.
static void retain(void *object) { swift_retain((void *)((uintptr_t)object & 0x8ffffffffffffff8)); }

void *swift_bridgeObjectRetain(void *object) {
    retain(object);
    return object;
}

void *swift_bridgeObjectRetain_n(void *object, uint32_t count) {
    while (count-- > 0) retain(object);
    return object;
}

#endif
