// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Returns the number of memory allocations of this process so far.
unsigned long benchmark_allocation_count(void);
