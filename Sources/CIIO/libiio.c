// SPDX-License-Identifier: Apache-2.0
#include "CIIO.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static void *library;

// The addresses in the library. The types are those of iio.h, so that the compiler checks the list.
#define ADDRESS(result, name, parameters, arguments) static __typeof__(name) *address_of_##name;
#define FIND(result, name, parameters, arguments) \
    (address_of_##name = (__typeof__(name) *)dlsym(library, #name)) != NULL &&
#define CALL(result, name, parameters, arguments) \
    result orientd_##name parameters { return address_of_##name arguments; }

ORIENTD_LIBIIO(ADDRESS)
ORIENTD_LIBIIO(CALL)

bool orientd_load_libiio(void) {
    pthread_mutex_lock(&mutex);
    if (users == 0) {
        library = dlopen("libiio.so.0", RTLD_LAZY | RTLD_LOCAL);
        if (library && !(ORIENTD_LIBIIO(FIND) true)) {
            dlclose(library);
            library = NULL;
        }
    }
    bool is_loaded = library != NULL;
    if (is_loaded) users++;
    pthread_mutex_unlock(&mutex);
    if (!is_loaded) errno = ELIBACC;
    return is_loaded;
}

void orientd_unload_libiio(void) {
    pthread_mutex_lock(&mutex);
    if (--users == 0) {
        dlclose(library);
        library = NULL;
    }
    pthread_mutex_unlock(&mutex);
}

const char *orientd_libiio_version(void) {
    static char text[32];
    if (!orientd_load_libiio()) return "";
    __typeof__(iio_library_get_version) *get_version =
        (__typeof__(iio_library_get_version) *)dlsym(library, "iio_library_get_version");
    unsigned major, minor;
    if (get_version) {
        get_version(&major, &minor, NULL);
        snprintf(text, sizeof text, "%u.%u", major, minor);
    }
    orientd_unload_libiio();
    return text;
}

void orientd_silence_libiio(void) {
#ifdef __GLIBC__
    FILE *null = fopen("/dev/null", "we");
    if (null) stderr = null;
#endif
}
