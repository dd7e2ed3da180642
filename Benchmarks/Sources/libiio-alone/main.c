// SPDX-License-Identifier: Apache-2.0
// usage: libiio-alone poll|buffer SECONDS
// Measures the cost of libiio itself: reads x, y and z of the first accelerometer 15 times a second, or its scans when
// they arrive, and does nothing with them. Prints the CPU time per sample in microseconds and the number of samples.
#include <errno.h>
#include <iio.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {"accel_x", "accel_y", "accel_z"};

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

// Waits for the timer as an event loop does: polls it, then reads it.
static void wait_for(int timer)
{
    struct pollfd entry = {.fd = timer, .events = POLLIN};
    unsigned long long ticks;
    if (poll(&entry, 1, -1) < 0 || read(timer, &ticks, sizeof ticks) != sizeof ticks)
        fail("timer");
}

static long run_polled(struct iio_channel **axes, double end)
{
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec period = {{0, 66666667}, {0, 66666667}};
    if (timer < 0 || timerfd_settime(timer, 0, &period, NULL) < 0)
        fail("timer");
    long count = 0;
    for (; seconds(CLOCK_MONOTONIC) < end; count++) {
        char text[64];
        wait_for(timer);
        for (int axis = 0; axis < 3; axis++)
            if (iio_channel_attr_read(axes[axis], "raw", text, sizeof text) < 0)
                fail("read");
    }
    return count;
}

static long run_buffered(struct iio_device *device, struct iio_channel **axes, double end)
{
    for (int axis = 0; axis < 3; axis++)
        iio_channel_enable(axes[axis]);
    struct iio_buffer *buffer = iio_device_create_buffer(device, 1, false);
    if (!buffer || iio_buffer_set_blocking_mode(buffer, false) < 0)
        fail("buffer");
    struct pollfd entry = {.fd = iio_buffer_get_poll_fd(buffer), .events = POLLIN};
    long count = 0;
    while (seconds(CLOCK_MONOTONIC) < end) {
        if (poll(&entry, 1, 1000) < 0)
            fail("poll");
        ssize_t size;
        while ((size = iio_buffer_refill(buffer)) > 0)
            count++;
        if (size != -EAGAIN)
            fail("refill");
    }
    iio_buffer_destroy(buffer);
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    struct iio_context *context = iio_create_local_context();
    if (!context)
        fail("context");
    for (unsigned i = 0; i < iio_context_get_devices_count(context); i++) {
        struct iio_device *device = iio_context_get_device(context, i);
        struct iio_channel *axes[3];
        for (int axis = 0; axis < 3; axis++)
            axes[axis] = iio_device_find_channel(device, names[axis], false);
        if (!axes[0] || !axes[1] || !axes[2])
            continue;
        double start = seconds(CLOCK_PROCESS_CPUTIME_ID), end = seconds(CLOCK_MONOTONIC) + atof(argv[2]);
        long count = strcmp(argv[1], "poll") ? run_buffered(device, axes, end) : run_polled(axes, end);
        printf("%.1f %ld\n", (seconds(CLOCK_PROCESS_CPUTIME_ID) - start) * 1e6 / count, count);
        return 0;
    }
    fprintf(stderr, "no accelerometer\n");
    return 1;
}
