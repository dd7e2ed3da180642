// SPDX-License-Identifier: Apache-2.0
#include <xcb/dpms.h>
#include <xcb/randr.h>
#include <xcb/xcb.h>
#include <xcb/xinput.h>
