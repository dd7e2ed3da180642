// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-device.h>
#include <systemd/sd-event.h>
#include <systemd/sd-login.h>
#include <systemd/sd-path.h>

// Swift refuses to take the address of this constant, and a vtable's first entry needs it.
static inline const unsigned *orientd_vtable_format(void) { return &sd_bus_object_vtable_format; }
