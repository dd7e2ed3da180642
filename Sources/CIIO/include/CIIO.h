// SPDX-License-Identifier: Apache-2.0
// The functions of libiio, which is loaded only for the sensors of another machine: with what it needs itself, such as
// libxml2, ICU and libstdc++, it takes 2 MB of memory.
#pragma once
#include <errno.h>
#include <iio.h>
#include <stdbool.h>

// Loads libiio 0.x, if that has not happened yet; false with errno ELIBACC if there is none. Each success is followed by
// orientd_unload_libiio() when nothing of libiio's is in use any more. Before the first and after the last one, no
// function below may be called.
bool orientd_load_libiio(void);
void orientd_unload_libiio(void);

// FUNCTION(RESULT, NAME, PARAMETERS, ARGUMENTS)
#define ORIENTD_LIBIIO(FUNCTION) \
    FUNCTION(struct iio_context *, iio_create_context_from_uri, (const char *uri), (uri)) \
    FUNCTION(void, iio_context_destroy, (struct iio_context *context), (context)) \
    FUNCTION(int, iio_context_set_timeout, (struct iio_context *context, unsigned timeout), (context, timeout)) \
    FUNCTION(unsigned, iio_context_get_devices_count, (const struct iio_context *context), (context)) \
    FUNCTION(struct iio_device *, iio_context_get_device, (const struct iio_context *context, unsigned index), (context, index)) \
    FUNCTION(const char *, iio_device_get_id, (const struct iio_device *device), (device)) \
    FUNCTION(const char *, iio_device_get_name, (const struct iio_device *device), (device)) \
    FUNCTION(const char *, iio_device_get_label, (const struct iio_device *device), (device)) \
    FUNCTION(bool, iio_device_is_trigger, (const struct iio_device *device), (device)) \
    FUNCTION(unsigned, iio_device_get_channels_count, (const struct iio_device *device), (device)) \
    FUNCTION(struct iio_channel *, iio_device_get_channel, (const struct iio_device *device, unsigned index), (device, index)) \
    FUNCTION(unsigned, iio_device_get_attrs_count, (const struct iio_device *device), (device)) \
    FUNCTION(const char *, iio_device_get_attr, (const struct iio_device *device, unsigned index), (device, index)) \
    FUNCTION(unsigned, iio_channel_get_attrs_count, (const struct iio_channel *channel), (channel)) \
    FUNCTION(const char *, iio_channel_get_attr, (const struct iio_channel *channel, unsigned index), (channel, index)) \
    FUNCTION(ssize_t, iio_device_attr_read, (const struct iio_device *device, const char *attribute, char *text, size_t size), (device, attribute, text, size)) \
    FUNCTION(ssize_t, iio_device_attr_write_raw, (const struct iio_device *device, const char *attribute, const void *text, size_t size), (device, attribute, text, size)) \
    FUNCTION(const char *, iio_channel_attr_get_filename, (const struct iio_channel *channel, const char *attribute), (channel, attribute)) \
    FUNCTION(ssize_t, iio_channel_attr_read, (const struct iio_channel *channel, const char *attribute, char *text, size_t size), (channel, attribute, text, size)) \
    FUNCTION(ssize_t, iio_channel_attr_write_raw, (const struct iio_channel *channel, const char *attribute, const void *text, size_t size), (channel, attribute, text, size))

#define ORIENTD_DECLARE(result, name, parameters, arguments) result orientd_##name parameters;
ORIENTD_LIBIIO(ORIENTD_DECLARE)

// As `0.24`; empty without libiio.
const char *orientd_libiio_version(void);

// Standard error goes to /dev/null from now on: libiio prints errors that it returns as well. With glibc the stream is a
// variable.
void orientd_silence_libiio(void);
