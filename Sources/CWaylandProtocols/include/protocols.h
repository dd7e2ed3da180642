// SPDX-License-Identifier: Apache-2.0
// The interfaces of wlr-output-management-unstable-v1 and wlr-foreign-toplevel-management-unstable-v1 that a client
// passes to libwayland. Debian 12 and 13 have no package with these protocols.
#pragma once
#include <stdint.h>
#include <wayland-util.h>

extern const struct wl_interface zwlr_output_manager_v1_interface;
extern const struct wl_interface zwlr_output_head_v1_interface;
extern const struct wl_interface zwlr_output_mode_v1_interface;
extern const struct wl_interface zwlr_output_configuration_v1_interface;
extern const struct wl_interface zwlr_output_configuration_head_v1_interface;
extern const struct wl_interface zwlr_foreign_toplevel_manager_v1_interface;
extern const struct wl_interface zwlr_foreign_toplevel_handle_v1_interface;

// Swift would copy the tables, but libwayland compares their addresses.
static inline const struct wl_interface *orientd_output_manager(void) { return &zwlr_output_manager_v1_interface; }
static inline const struct wl_interface *orientd_output_configuration(void) { return &zwlr_output_configuration_v1_interface; }
static inline const struct wl_interface *orientd_output_configuration_head(void) { return &zwlr_output_configuration_head_v1_interface; }
static inline const struct wl_interface *orientd_foreign_toplevel_manager(void) { return &zwlr_foreign_toplevel_manager_v1_interface; }

// The numbers of requests, in the order of the protocols.
enum {
    ZWLR_OUTPUT_MANAGER_CREATE_CONFIGURATION,
    ZWLR_OUTPUT_MANAGER_STOP,
};
enum {
    ZWLR_OUTPUT_CONFIGURATION_ENABLE_HEAD,
    ZWLR_OUTPUT_CONFIGURATION_DISABLE_HEAD,
    ZWLR_OUTPUT_CONFIGURATION_APPLY,
    ZWLR_OUTPUT_CONFIGURATION_TEST,
    ZWLR_OUTPUT_CONFIGURATION_DESTROY,
};
enum {
    ZWLR_OUTPUT_CONFIGURATION_HEAD_SET_MODE,
    ZWLR_OUTPUT_CONFIGURATION_HEAD_SET_CUSTOM_MODE,
    ZWLR_OUTPUT_CONFIGURATION_HEAD_SET_POSITION,
    ZWLR_OUTPUT_CONFIGURATION_HEAD_SET_TRANSFORM,
};
enum { ZWLR_FOREIGN_TOPLEVEL_HANDLE_DESTROY = 7 };
