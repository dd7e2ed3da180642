// SPDX-License-Identifier: Apache-2.0
#include <wayland-client-core.h>
#include <wayland-client-protocol.h>

static inline void orientd_ignore_wayland_message(const char *format, va_list arguments) {
    (void)format;
    (void)arguments;
}
// libwayland prints errors that the connection reports as well; Swift has no va_list.
static inline void orientd_silence_wayland(void) { wl_log_set_handler_client(orientd_ignore_wayland_message); }

// Swift sees C's global variables as shared mutable state and refuses them.
static inline const struct wl_interface *orientd_output(void) { return &wl_output_interface; }
