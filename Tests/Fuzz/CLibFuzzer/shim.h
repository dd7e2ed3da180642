// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>

// As compiler-rt's FuzzerInterface.h documents it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));
