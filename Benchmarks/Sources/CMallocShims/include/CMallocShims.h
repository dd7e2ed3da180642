// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How often the process has asked for memory so far.
unsigned long benchmark_allocation_count(void);
