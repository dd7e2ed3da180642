// SPDX-License-Identifier: Apache-2.0
#include "protocols.h"

#include <stddef.h>

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))
#define MESSAGES(array) LENGTH(array), array

// The types of arguments that are no objects; as many as the longest message has.
static const struct wl_interface *plain[5];

#define TYPES(...) (const struct wl_interface *[]){__VA_ARGS__}

// Events are listed completely, as any may come. Requests end with the last one used, since the place in the list is
// the number.

// --- wlr-output-management-unstable-v1 ------------------------------------------------------------------------------

static const struct wl_message manager_requests[] = {
    {"create_configuration", "nu", TYPES(&zwlr_output_configuration_v1_interface, NULL)},
};
static const struct wl_message manager_events[] = {
    {"head", "n", TYPES(&zwlr_output_head_v1_interface)},
    {"done", "u", plain},
    {"finished", "", plain},
};
const struct wl_interface zwlr_output_manager_v1_interface = {
    "zwlr_output_manager_v1", 4, MESSAGES(manager_requests), MESSAGES(manager_events),
};

static const struct wl_message head_events[] = {
    {"name", "s", plain},
    {"description", "s", plain},
    {"physical_size", "ii", plain},
    {"mode", "n", TYPES(&zwlr_output_mode_v1_interface)},
    {"enabled", "i", plain},
    {"current_mode", "o", TYPES(&zwlr_output_mode_v1_interface)},
    {"position", "ii", plain},
    {"transform", "i", plain},
    {"scale", "f", plain},
    {"finished", "", plain},
    {"make", "2s", plain},
    {"model", "2s", plain},
    {"serial_number", "2s", plain},
    {"adaptive_sync", "4u", plain},
};
const struct wl_interface zwlr_output_head_v1_interface = {
    "zwlr_output_head_v1", 4, 0, NULL, MESSAGES(head_events),
};

static const struct wl_message mode_events[] = {
    {"size", "ii", plain},
    {"refresh", "i", plain},
    {"preferred", "", plain},
    {"finished", "", plain},
};
const struct wl_interface zwlr_output_mode_v1_interface = {
    "zwlr_output_mode_v1", 3, 0, NULL, MESSAGES(mode_events),
};

static const struct wl_message configuration_requests[] = {
    {"enable_head", "no", TYPES(&zwlr_output_configuration_head_v1_interface, &zwlr_output_head_v1_interface)},
    {"disable_head", "o", TYPES(&zwlr_output_head_v1_interface)},
    {"apply", "", plain},
    {"test", "", plain},
    {"destroy", "", plain},
};
static const struct wl_message configuration_events[] = {
    {"succeeded", "", plain},
    {"failed", "", plain},
    {"cancelled", "", plain},
};
const struct wl_interface zwlr_output_configuration_v1_interface = {
    "zwlr_output_configuration_v1", 4, MESSAGES(configuration_requests), MESSAGES(configuration_events),
};

static const struct wl_message configuration_head_requests[] = {
    {"set_mode", "o", TYPES(&zwlr_output_mode_v1_interface)},
    {"set_custom_mode", "iii", plain},
    {"set_position", "ii", plain},
    {"set_transform", "i", plain},
};
const struct wl_interface zwlr_output_configuration_head_v1_interface = {
    "zwlr_output_configuration_head_v1", 4, MESSAGES(configuration_head_requests), 0, NULL,
};

extern const struct wl_interface wl_output_interface, wl_seat_interface, wl_surface_interface;

// --- wlr-output-power-management-unstable-v1 ------------------------------------------------------------------------

static const struct wl_message power_manager_requests[] = {
    {"get_output_power", "no", TYPES(&zwlr_output_power_v1_interface, &wl_output_interface)},
};
const struct wl_interface zwlr_output_power_manager_v1_interface = {
    "zwlr_output_power_manager_v1", 1, MESSAGES(power_manager_requests), 0, NULL,
};

static const struct wl_message power_requests[] = {
    {"set_mode", "u", plain},
    {"destroy", "", plain},
};
static const struct wl_message power_events[] = {
    {"mode", "u", plain},
    {"failed", "", plain},
};
const struct wl_interface zwlr_output_power_v1_interface = {
    "zwlr_output_power_v1", 1, MESSAGES(power_requests), MESSAGES(power_events),
};

// --- xdg-output-unstable-v1 -----------------------------------------------------------------------------------------

static const struct wl_message xdg_output_manager_requests[] = {
    {"destroy", "", plain},
    {"get_xdg_output", "no", TYPES(&zxdg_output_v1_interface, &wl_output_interface)},
};
const struct wl_interface zxdg_output_manager_v1_interface = {
    "zxdg_output_manager_v1", 3, MESSAGES(xdg_output_manager_requests), 0, NULL,
};

static const struct wl_message xdg_output_events[] = {
    {"logical_position", "ii", plain},
    {"logical_size", "ii", plain},
    {"done", "", plain},
    {"name", "2s", plain},
    {"description", "2s", plain},
};
const struct wl_interface zxdg_output_v1_interface = {
    "zxdg_output_v1", 3, 0, NULL, MESSAGES(xdg_output_events),
};

// --- wlr-foreign-toplevel-management-unstable-v1 --------------------------------------------------------------------

static const struct wl_message toplevel_manager_events[] = {
    {"toplevel", "n", TYPES(&zwlr_foreign_toplevel_handle_v1_interface)},
    {"finished", "", plain},
};
const struct wl_interface zwlr_foreign_toplevel_manager_v1_interface = {
    "zwlr_foreign_toplevel_manager_v1", 3, 0, NULL, MESSAGES(toplevel_manager_events),
};

static const struct wl_message toplevel_requests[] = {
    {"set_maximized", "", plain},
    {"unset_maximized", "", plain},
    {"set_minimized", "", plain},
    {"unset_minimized", "", plain},
    {"activate", "o", TYPES(&wl_seat_interface)},
    {"close", "", plain},
    {"set_rectangle", "oiiii", TYPES(&wl_surface_interface, NULL, NULL, NULL, NULL)},
    {"destroy", "", plain},
};
static const struct wl_message toplevel_events[] = {
    {"title", "s", plain},
    {"app_id", "s", plain},
    {"output_enter", "o", TYPES(&wl_output_interface)},
    {"output_leave", "o", TYPES(&wl_output_interface)},
    {"state", "a", plain},
    {"done", "", plain},
    {"closed", "", plain},
    {"parent", "3?o", TYPES(&zwlr_foreign_toplevel_handle_v1_interface)},
};
const struct wl_interface zwlr_foreign_toplevel_handle_v1_interface = {
    "zwlr_foreign_toplevel_handle_v1", 3, MESSAGES(toplevel_requests), MESSAGES(toplevel_events),
};

// --- ext-workspace-v1 -----------------------------------------------------------------------------------------------

static const struct wl_message workspace_manager_events[] = {
    {"workspace_group", "n", TYPES(&ext_workspace_group_handle_v1_interface)},
    {"workspace", "n", TYPES(&ext_workspace_handle_v1_interface)},
    {"done", "", plain},
    {"finished", "", plain},
};
const struct wl_interface ext_workspace_manager_v1_interface = {
    "ext_workspace_manager_v1", 1, 0, NULL, MESSAGES(workspace_manager_events),
};

static const struct wl_message workspace_group_requests[] = {
    {"create_workspace", "s", plain},
    {"destroy", "", plain},
};
static const struct wl_message workspace_group_events[] = {
    {"capabilities", "u", plain},
    {"output_enter", "o", TYPES(&wl_output_interface)},
    {"output_leave", "o", TYPES(&wl_output_interface)},
    {"workspace_enter", "o", TYPES(&ext_workspace_handle_v1_interface)},
    {"workspace_leave", "o", TYPES(&ext_workspace_handle_v1_interface)},
    {"removed", "", plain},
};
const struct wl_interface ext_workspace_group_handle_v1_interface = {
    "ext_workspace_group_handle_v1", 1, MESSAGES(workspace_group_requests), MESSAGES(workspace_group_events),
};

static const struct wl_message workspace_requests[] = {
    {"destroy", "", plain},
};
static const struct wl_message workspace_events[] = {
    {"id", "s", plain},
    {"name", "s", plain},
    {"coordinates", "a", plain},
    {"state", "u", plain},
    {"capabilities", "u", plain},
    {"removed", "", plain},
};
const struct wl_interface ext_workspace_handle_v1_interface = {
    "ext_workspace_handle_v1", 1, MESSAGES(workspace_requests), MESSAGES(workspace_events),
};
