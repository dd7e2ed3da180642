// SPDX-License-Identifier: Apache-2.0
#include <json-c/json.h>
