// SPDX-License-Identifier: Apache-2.0
// The interfaces of Wayland protocols that a client passes to libwayland: wlr-output-management, wlr-output-power-
// management and wlr-foreign-toplevel-management, all unstable-v1, xdg-output-unstable-v1 and ext-workspace-v1. Debian 12
// and 13 have no package with the first three, and Debian 12 none with the last.
#pragma once
#include <stdint.h>
#include <wayland-util.h>

extern const struct wl_interface zwlr_output_head_v1_interface;
extern const struct wl_interface zwlr_output_mode_v1_interface;
extern const struct wl_interface zwlr_foreign_toplevel_handle_v1_interface;
extern const struct wl_interface ext_workspace_group_handle_v1_interface;
extern const struct wl_interface ext_workspace_handle_v1_interface;

// Swift would copy the tables, but libwayland compares their addresses.
#define INTERFACE(name, interface) \
    extern const struct wl_interface interface; \
    static inline const struct wl_interface *orientd_##name(void) { return &interface; }

INTERFACE(output_manager, zwlr_output_manager_v1_interface)
INTERFACE(output_configuration, zwlr_output_configuration_v1_interface)
INTERFACE(output_configuration_head, zwlr_output_configuration_head_v1_interface)
INTERFACE(output_power_manager, zwlr_output_power_manager_v1_interface)
INTERFACE(output_power, zwlr_output_power_v1_interface)
INTERFACE(xdg_output_manager, zxdg_output_manager_v1_interface)
INTERFACE(xdg_output, zxdg_output_v1_interface)
INTERFACE(foreign_toplevel_manager, zwlr_foreign_toplevel_manager_v1_interface)
INTERFACE(workspace_manager, ext_workspace_manager_v1_interface)
#undef INTERFACE

// The numbers of requests and of events, in the order of the protocols, as far as they are used.
enum { ZWLR_OUTPUT_MANAGER_CREATE_CONFIGURATION };
enum { ZWLR_OUTPUT_MANAGER_EVENT_HEAD, ZWLR_OUTPUT_MANAGER_EVENT_DONE };
enum {
    ZWLR_OUTPUT_HEAD_EVENT_NAME = 0,
    ZWLR_OUTPUT_HEAD_EVENT_MODE = 3,
    ZWLR_OUTPUT_HEAD_EVENT_ENABLED,
    ZWLR_OUTPUT_HEAD_EVENT_CURRENT_MODE,
    ZWLR_OUTPUT_HEAD_EVENT_POSITION,
    ZWLR_OUTPUT_HEAD_EVENT_TRANSFORM,
    ZWLR_OUTPUT_HEAD_EVENT_SCALE,
    ZWLR_OUTPUT_HEAD_EVENT_FINISHED,
};
enum { ZWLR_OUTPUT_MODE_EVENT_SIZE = 0, ZWLR_OUTPUT_MODE_EVENT_FINISHED = 3 };
enum {
    ZWLR_OUTPUT_CONFIGURATION_ENABLE_HEAD,
    ZWLR_OUTPUT_CONFIGURATION_DISABLE_HEAD,
    ZWLR_OUTPUT_CONFIGURATION_APPLY,
    ZWLR_OUTPUT_CONFIGURATION_DESTROY = 4,
};
enum { ZWLR_OUTPUT_CONFIGURATION_EVENT_SUCCEEDED, ZWLR_OUTPUT_CONFIGURATION_EVENT_FAILED };
enum { ZWLR_OUTPUT_CONFIGURATION_HEAD_SET_POSITION = 2, ZWLR_OUTPUT_CONFIGURATION_HEAD_SET_TRANSFORM };
enum { ZWLR_OUTPUT_POWER_MANAGER_GET_OUTPUT_POWER };
enum { ZWLR_OUTPUT_POWER_SET_MODE, ZWLR_OUTPUT_POWER_DESTROY };
enum { ZWLR_OUTPUT_POWER_EVENT_MODE };
enum { ZWLR_OUTPUT_POWER_OFF };
enum { ZXDG_OUTPUT_MANAGER_GET_XDG_OUTPUT = 1 };
enum { ZXDG_OUTPUT_EVENT_LOGICAL_SIZE = 1 };
enum { ZWLR_FOREIGN_TOPLEVEL_HANDLE_DESTROY = 7 };
enum { ZWLR_FOREIGN_TOPLEVEL_MANAGER_EVENT_TOPLEVEL };
enum {
    ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_APP_ID = 1,
    ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_OUTPUT_ENTER,
    ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_OUTPUT_LEAVE,
    ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_STATE,
    ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_DONE,
    ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_CLOSED,
};
enum {
    ZWLR_FOREIGN_TOPLEVEL_HANDLE_STATE_MINIMIZED = 1,
    ZWLR_FOREIGN_TOPLEVEL_HANDLE_STATE_ACTIVATED,
    ZWLR_FOREIGN_TOPLEVEL_HANDLE_STATE_FULLSCREEN,
};
enum {
    EXT_WORKSPACE_MANAGER_EVENT_WORKSPACE_GROUP,
    EXT_WORKSPACE_MANAGER_EVENT_WORKSPACE,
    EXT_WORKSPACE_MANAGER_EVENT_DONE,
};
enum { EXT_WORKSPACE_GROUP_HANDLE_DESTROY = 1 };
enum {
    EXT_WORKSPACE_GROUP_HANDLE_EVENT_OUTPUT_ENTER = 1,
    EXT_WORKSPACE_GROUP_HANDLE_EVENT_OUTPUT_LEAVE,
    EXT_WORKSPACE_GROUP_HANDLE_EVENT_WORKSPACE_ENTER,
    EXT_WORKSPACE_GROUP_HANDLE_EVENT_WORKSPACE_LEAVE,
    EXT_WORKSPACE_GROUP_HANDLE_EVENT_REMOVED,
};
enum { EXT_WORKSPACE_HANDLE_DESTROY };
enum { EXT_WORKSPACE_HANDLE_EVENT_STATE = 3, EXT_WORKSPACE_HANDLE_EVENT_REMOVED = 5 };
enum { EXT_WORKSPACE_HANDLE_STATE_ACTIVE = 1 };

// libwayland's own header has no names for the events of its interfaces.
enum { WL_REGISTRY_EVENT_GLOBAL };
enum { WL_OUTPUT_EVENT_MODE = 1, WL_OUTPUT_EVENT_DONE, WL_OUTPUT_EVENT_NAME = 4 };
