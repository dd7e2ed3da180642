// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/input.h>
#include <linux/qrtr.h>
#include <linux/seccomp.h>
#include <linux/uinput.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Swift sees C's global variables as shared mutable state and refuses them; `errno` is a macro.
static inline int orientd_errno(void) { return errno; }
static inline char **orientd_environment(void) { extern char **environ; return environ; }
static inline const char *orientd_optarg(void) { return optarg; }
static inline int orientd_optind(void) { return optind; }
static inline int orientd_optopt(void) { return optopt; }
static inline void orientd_restart_getopt(void) { optind = 0; opterr = 0; }

// Declared by glibc for _GNU_SOURCE only, which does not reach the headers of another module.
int pipe2(int ends[2], int flags);
int mkostemp(char *path, int flags);
int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *signals);

// As struct ucred, which is declared for _GNU_SOURCE only too.
struct orientd_ucred { pid_t pid; uid_t uid; gid_t gid; };

// NULL with errno 0 at the end of the folder.
static inline const char *orientd_next_name(DIR *folder) {
    errno = 0;
    struct dirent *entry = readdir(folder);
    return entry ? entry->d_name : NULL;
}

// open(2) and fcntl(2) take variable arguments, which Swift cannot pass.
static inline int orientd_open_for_reading(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }
// These follow no link in the last part of the path.
static inline int orientd_open_folder(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }
static inline int orientd_open_folder_at(int folder, const char *name) { return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }
static inline int orientd_open_for_writing_at(int folder, const char *name) { return openat(folder, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC); }
static inline int orientd_open_own_file(const char *path) { return open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC); }
static inline int orientd_open_device(const char *path) { return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK); }
static inline int orientd_open_without_waiting(const char *path) { return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); }
static inline int orientd_create(const char *path, mode_t mode) { return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode); }
static inline int orientd_create_without_waiting(const char *path, mode_t mode) { return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, mode); }
static inline int orientd_open_or_create(const char *path, mode_t mode) { return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode); }

// Locks of an open file: -1 with EAGAIN if another one has it. The numbers are declared for _GNU_SOURCE only.
static inline int orientd_lock(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, 37 /* F_OFD_SETLK */, &lock);
}
// Whether another open file has the lock; takes none, so that nobody else is refused it.
static inline int orientd_is_locked(int descriptor) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, 36 /* F_OFD_GETLK */, &lock) == 0 && lock.l_type != F_UNLCK;
}
static inline int orientd_set_without_waiting(int descriptor) { return fcntl(descriptor, F_SETFL, O_NONBLOCK); }
static inline int orientd_open_null(void) { return open("/dev/null", O_RDWR | O_CLOEXEC); }
static inline int orientd_duplicate(int descriptor, int lowest) { return fcntl(descriptor, F_DUPFD_CLOEXEC, lowest); }

// EFD_CLOEXEC and EFD_NONBLOCK are enumerators.
static inline int orientd_event_counter(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// So does ioctl(2), and the numbers of evdev's are macros with arguments.
static inline int orientd_terminal_size(int descriptor, struct winsize *size) { return ioctl(descriptor, TIOCGWINSZ, size); }
static inline int orientd_read_axis(int descriptor, unsigned axis, struct input_absinfo *info) { return ioctl(descriptor, EVIOCGABS(axis), info); }
static inline int orientd_read_switches(int descriptor, unsigned long *switches) { return ioctl(descriptor, EVIOCGSW(sizeof *switches), switches); }
static inline int orientd_take_switch_events_only(int descriptor) {
    unsigned long types = 1ul << EV_SW;
    struct input_mask mask = {.type = EV_SYN, .codes_size = sizeof types, .codes_ptr = (__u64)(uintptr_t)&types};
    return ioctl(descriptor, EVIOCSMASK, &mask);
}

// glibc gives each thread a heap of its own, of which the first pages alone take more than threads like ours ever need.
static inline void orientd_share_heap(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

// SIG_IGN is a cast, which Swift does not import.
static inline void orientd_ignore_signal(int signal_number) { signal(signal_number, SIG_IGN); }

// Unlike one that is ignored, a signal that is caught reaches a program that is executed as if nobody had touched it.
static inline void orientd_do_nothing(int signal_number) { (void)signal_number; }
static inline void orientd_catch_signal(int signal_number) {
    if (signal(signal_number, orientd_do_nothing) == SIG_IGN) signal(signal_number, SIG_IGN);
}
// The handler is a member of a union.
static inline int orientd_is_ignored(int signal_number) {
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// The members of a siginfo_t are macros.
static inline int orientd_exit_status(const siginfo_t *info) { return info->si_code == CLD_EXITED ? info->si_status : 128 + info->si_status; }

// glibc has these only from 2.36 and 2.34 on.
static inline int orientd_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }
static inline int orientd_close_range(unsigned first, unsigned last) { return (int)syscall(SYS_close_range, first, last, 0); }

// The members of a sockaddr_un are an array, which Swift sees as a tuple, and the socket's flags are enumerators.
static inline int orientd_connect_without_waiting(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

// The user who owns the file of a socket.
static inline int orientd_socket_owner(int descriptor, uid_t *owner) {
    struct sockaddr_un address = {0};
    socklen_t size = sizeof address;
    struct stat status;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) < 0 || stat(address.sun_path, &status) < 0) return -1;
    *owner = status.st_uid;
    return 0;
}

// Sockets of QRTR, with the messages of which Linux talks to the other processors of a Qualcomm chip.
static inline int orientd_qrtr_socket(void) { return socket(AF_QIPCRTR, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
static inline int orientd_qrtr_own_address(int descriptor, struct sockaddr_qrtr *address) {
    socklen_t size = sizeof *address;
    return getsockname(descriptor, (struct sockaddr *)address, &size);
}
static inline ssize_t orientd_qrtr_send(int descriptor, unsigned node, unsigned port, const void *bytes, size_t count) {
    struct sockaddr_qrtr address = {.sq_family = AF_QIPCRTR, .sq_node = node, .sq_port = port};
    return sendto(descriptor, bytes, count, 0, (const struct sockaddr *)&address, sizeof address);
}
static inline ssize_t orientd_qrtr_receive(int descriptor, struct sockaddr_qrtr *sender, void *bytes, size_t count) {
    socklen_t size = sizeof *sender;
    return recvfrom(descriptor, bytes, count, 0, (struct sockaddr *)sender, &size);
}

// The kernel's `phys` of the virtual switch, by which orientd knows it as its own.
#define ORIENTD_TABLET_SWITCH "orientd/tablet-switch"
static inline int orientd_create_tablet_switch(int uinput) {
    struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL, .version = 1}, .name = "orientd tablet switch"};
    if (ioctl(uinput, UI_SET_EVBIT, EV_SW) < 0 || ioctl(uinput, UI_SET_SWBIT, SW_TABLET_MODE) < 0) return -1;
    if (ioctl(uinput, UI_SET_PHYS, ORIENTD_TABLET_SWITCH) < 0 || ioctl(uinput, UI_DEV_SETUP, &setup) < 0) return -1;
    return ioctl(uinput, UI_DEV_CREATE);
}

// Refuses ioctl(2) from now on. Other architectures' system calls have other numbers: the unit refuses those.
static inline int orientd_deny_ioctl(void) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}
