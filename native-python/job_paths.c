/*
 * Loaded before the C library of the native jobs (LD_PRELOAD): lets C code that opens a path by itself see /mnt/data, /tmp and
 * the mounts where Python sees them.
 *
 * Nothing can be mounted for a job, so these names lead elsewhere. The bootstrap translates them in Python
 * (sandbox_bootstrap/native/paths.py), and this library at the border of the C library, by the same rules; a name that was
 * translated already stays as it is. No wall depends on it: what a job may open is decided in the kernel.
 *
 * The rules come once, from the bootstrap, before the job's code runs: sandbox_map_paths(). Until then all names stay.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

/* `job` is what the job says. Without `host`, names below `job` are real ones, or with `exact` the name itself. */
struct rule {
  const char *job, *host;
  size_t length;
  int exact;
};
struct rules {
  size_t count;
  struct rule rule[];
};

static _Atomic(const struct rules *) current;

#define EXPORT __attribute__((visibility("default")))

/*
 * Takes pairs of strings, each ended by a zero byte, and after the last pair an empty string: what the job says, and where it
 * leads. An empty second one means that the names below the first are real, "=" that itself is. The first that fits counts.
 * Returns 0, or -1 for want of memory. Earlier rules are never freed: another thread may be reading them.
 */
EXPORT int sandbox_map_paths(const char *text) {
  size_t count = 0, size = 1;
  for (const char *at = text; *at; count++) {
    at += strlen(at) + 1;
    at += strlen(at) + 1;
    size = (size_t)(at - text) + 1;
  }
  struct rules *rules = malloc(sizeof *rules + count * sizeof(struct rule) + size);
  if (!rules) return -1;
  const char *at = memcpy(&rules->rule[count], text, size);
  rules->count = count;
  for (size_t i = 0; i < count; i++) {
    struct rule *rule = &rules->rule[i];
    rule->job = at;
    rule->length = strlen(at);
    at += rule->length + 1;
    rule->exact = !strcmp(at, "=");
    rule->host = *at && !rule->exact ? at : NULL;
    at += strlen(at) + 1;
  }
  atomic_store(&current, rules);
  return 0;
}

/* The real name of `path`, in `room` if it differs. One that becomes too long stays as it is, and is not found. */
static const char *host(const char *path, char room[PATH_MAX]) {
  const struct rules *rules = atomic_load(&current);
  if (!rules || !path || path[0] != '/') return path;
  for (size_t i = 0; i < rules->count; i++) {
    const struct rule *rule = &rules->rule[i];
    const char *rest = path + rule->length;
    if (strncmp(path, rule->job, rule->length) || (*rest && (*rest != '/' || rule->exact))) continue;
    if (!rule->host) return path;
    size_t start = strlen(rule->host), length = strlen(rest);
    if (start + length >= PATH_MAX) return path;
    memcpy(room, rule->host, start);
    memcpy(room + start, rest, length + 1);
    return room;
  }
  return path;
}

/* A function that calls the C library's of the same name with translated arguments. */
#define FORWARD(type, name, failure, parameters, ...)                       \
  EXPORT type name parameters {                                             \
    static type(*real) parameters;                                          \
    char room[PATH_MAX], other[PATH_MAX];                                   \
    (void)room, (void)other;                                                \
    if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name);          \
    if (!real) return errno = ENOSYS, failure;                              \
    return real(__VA_ARGS__);                                               \
  }
#define PATH host(path, room)
#define SECOND host(second, other)

/* Opening. */

#define MODE                                                                \
  mode_t mode = 0;                                                          \
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {              \
    va_list more;                                                           \
    va_start(more, flags);                                                  \
    mode = va_arg(more, mode_t);                                            \
    va_end(more);                                                           \
  }
static int open_at(int fd, const char *path, int flags, mode_t mode) {
  static int (*real)(int, const char *, int, ...);
  char room[PATH_MAX];
  if (!real) real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
  if (!real) return errno = ENOSYS, -1;
  return real(fd, PATH, flags, mode);
}
EXPORT int open(const char *path, int flags, ...) { MODE return open_at(AT_FDCWD, path, flags, mode); }
EXPORT int open64(const char *path, int flags, ...) { MODE return open_at(AT_FDCWD, path, flags, mode); }
EXPORT int openat(int fd, const char *path, int flags, ...) { MODE return open_at(fd, path, flags, mode); }
EXPORT int openat64(int fd, const char *path, int flags, ...) { MODE return open_at(fd, path, flags, mode); }
EXPORT int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
EXPORT int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
EXPORT int __openat_2(int fd, const char *path, int flags) { return open_at(fd, path, flags, 0); }
EXPORT int __openat64_2(int fd, const char *path, int flags) { return open_at(fd, path, flags, 0); }
EXPORT int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
EXPORT int creat64(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
FORWARD(FILE *, fopen, NULL, (const char *path, const char *mode), PATH, mode)
FORWARD(FILE *, fopen64, NULL, (const char *path, const char *mode), PATH, mode)
FORWARD(FILE *, freopen, NULL, (const char *path, const char *mode, FILE *file), PATH, mode, file)
FORWARD(FILE *, freopen64, NULL, (const char *path, const char *mode, FILE *file), PATH, mode, file)
FORWARD(DIR *, opendir, NULL, (const char *path), PATH)

/*
 * The C library looks at who calls, for names without a slash. So the call must come last: it is then a jump. What it says of a
 * file that is not there names the path.
 */
EXPORT void *dlopen(const char *path, int flags) {
  static void *(*real)(const char *, int);
  static __thread char room[PATH_MAX];
  if (!real) real = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  if (!real) return NULL;
  const char *name = PATH;
  if (name != path && access(name, F_OK)) name = path;
  return real(name, flags);
}

/* Temporary names are made in place: their last letters are copied back. */

#define MADE(type, name, failure, parameters, suffix, ...)                  \
  EXPORT type name parameters {                                             \
    static type(*real) parameters;                                          \
    char room[PATH_MAX];                                                    \
    if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name);          \
    if (!real) return errno = ENOSYS, failure;                              \
    char *path = (char *)host(pattern, room), *given = pattern;             \
    type made = real(__VA_ARGS__);                                          \
    size_t length = strlen(given), end = 6 + (size_t)(suffix);              \
    if (path != given && suffix >= 0 && end <= length)                      \
      memcpy(given + length - end, path + strlen(path) - end, end);         \
    return made;                                                            \
  }
MADE(int, mkstemp, -1, (char *pattern), 0, path)
MADE(int, mkstemp64, -1, (char *pattern), 0, path)
MADE(int, mkostemp, -1, (char *pattern, int flags), 0, path, flags)
MADE(int, mkostemp64, -1, (char *pattern, int flags), 0, path, flags)
MADE(int, mkstemps, -1, (char *pattern, int suffix), suffix, path, suffix)
MADE(int, mkstemps64, -1, (char *pattern, int suffix), suffix, path, suffix)
MADE(int, mkostemps, -1, (char *pattern, int suffix, int flags), suffix, path, suffix, flags)
MADE(int, mkostemps64, -1, (char *pattern, int suffix, int flags), suffix, path, suffix, flags)
EXPORT char *mkdtemp(char *pattern) {
  static char *(*real)(char *);
  char room[PATH_MAX];
  if (!real) real = (char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
  if (!real) return errno = ENOSYS, NULL;
  char *path = (char *)host(pattern, room);
  if (!real(path)) return NULL;
  size_t length = strlen(pattern);
  if (path != pattern) memcpy(pattern + length - 6, path + strlen(path) - 6, 6);
  return pattern;
}
EXPORT FILE *tmpfile(void) {
  char pattern[] = "/tmp/XXXXXX";
  int fd = mkstemp(pattern);
  if (fd < 0) return NULL;
  unlink(pattern);
  return fdopen(fd, "w+");
}
EXPORT FILE *tmpfile64(void) { return tmpfile(); }

/* Looking. The kernel's structure is the C library's on 64-bit machines; older libraries have other names for these functions. */

static int stat_at(int fd, const char *path, void *to, int flags) {
  char room[PATH_MAX];
  return (int)syscall(SYS_newfstatat, fd, PATH, to, flags);
}
EXPORT int stat(const char *path, struct stat *to) { return stat_at(AT_FDCWD, path, to, 0); }
EXPORT int stat64(const char *path, struct stat64 *to) { return stat_at(AT_FDCWD, path, to, 0); }
EXPORT int lstat(const char *path, struct stat *to) { return stat_at(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW); }
EXPORT int lstat64(const char *path, struct stat64 *to) { return stat_at(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW); }
EXPORT int fstatat(int fd, const char *path, struct stat *to, int flags) { return stat_at(fd, path, to, flags); }
EXPORT int fstatat64(int fd, const char *path, struct stat64 *to, int flags) { return stat_at(fd, path, to, flags); }
EXPORT int __xstat(int version, const char *path, struct stat *to) { return (void)version, stat_at(AT_FDCWD, path, to, 0); }
EXPORT int __xstat64(int version, const char *path, struct stat64 *to) { return (void)version, stat_at(AT_FDCWD, path, to, 0); }
EXPORT int __lxstat(int version, const char *path, struct stat *to) {
  return (void)version, stat_at(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}
EXPORT int __lxstat64(int version, const char *path, struct stat64 *to) {
  return (void)version, stat_at(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}
EXPORT int __fxstatat(int version, int fd, const char *path, struct stat *to, int flags) {
  return (void)version, stat_at(fd, path, to, flags);
}
EXPORT int __fxstatat64(int version, int fd, const char *path, struct stat64 *to, int flags) {
  return (void)version, stat_at(fd, path, to, flags);
}
FORWARD(int, statx, -1, (int fd, const char *path, int flags, unsigned mask, struct statx *to), fd, PATH, flags, mask, to)
FORWARD(int, access, -1, (const char *path, int mode), PATH, mode)
FORWARD(int, eaccess, -1, (const char *path, int mode), PATH, mode)
FORWARD(int, euidaccess, -1, (const char *path, int mode), PATH, mode)
FORWARD(int, faccessat, -1, (int fd, const char *path, int mode, int flags), fd, PATH, mode, flags)
FORWARD(ssize_t, readlink, -1, (const char *path, char *to, size_t size), PATH, to, size)
FORWARD(ssize_t, readlinkat, -1, (int fd, const char *path, char *to, size_t size), fd, PATH, to, size)
FORWARD(ssize_t, __readlink_chk, -1, (const char *path, char *to, size_t size, size_t room_for), PATH, to, size, room_for)
FORWARD(ssize_t, __readlinkat_chk, -1, (int fd, const char *path, char *to, size_t size, size_t room_for), fd, PATH, to, size,
        room_for)
FORWARD(char *, realpath, NULL, (const char *path, char *to), PATH, to)
FORWARD(char *, __realpath_chk, NULL, (const char *path, char *to, size_t size), PATH, to, size)
FORWARD(char *, canonicalize_file_name, NULL, (const char *path), PATH)
FORWARD(int, statfs, -1, (const char *path, struct statfs *to), PATH, to)
FORWARD(int, statfs64, -1, (const char *path, struct statfs64 *to), PATH, to)
FORWARD(int, statvfs, -1, (const char *path, struct statvfs *to), PATH, to)
FORWARD(int, statvfs64, -1, (const char *path, struct statvfs64 *to), PATH, to)
FORWARD(long, pathconf, -1, (const char *path, int name), PATH, name)
FORWARD(int, scandir, -1, (const char *path, struct dirent ***to, int (*wanted)(const struct dirent *),
        int (*order)(const struct dirent **, const struct dirent **)), PATH, to, wanted, order)
FORWARD(int, scandir64, -1, (const char *path, struct dirent64 ***to, int (*wanted)(const struct dirent64 *),
        int (*order)(const struct dirent64 **, const struct dirent64 **)), PATH, to, wanted, order)
FORWARD(ssize_t, getxattr, -1, (const char *path, const char *name, void *to, size_t size), PATH, name, to, size)
FORWARD(ssize_t, lgetxattr, -1, (const char *path, const char *name, void *to, size_t size), PATH, name, to, size)
FORWARD(ssize_t, listxattr, -1, (const char *path, char *to, size_t size), PATH, to, size)
FORWARD(ssize_t, llistxattr, -1, (const char *path, char *to, size_t size), PATH, to, size)

/* Changing. */

FORWARD(int, chdir, -1, (const char *path), PATH)
FORWARD(int, mkdir, -1, (const char *path, mode_t mode), PATH, mode)
FORWARD(int, mkdirat, -1, (int fd, const char *path, mode_t mode), fd, PATH, mode)
FORWARD(int, mkfifo, -1, (const char *path, mode_t mode), PATH, mode)
FORWARD(int, mkfifoat, -1, (int fd, const char *path, mode_t mode), fd, PATH, mode)
FORWARD(int, rmdir, -1, (const char *path), PATH)
FORWARD(int, unlink, -1, (const char *path), PATH)
FORWARD(int, unlinkat, -1, (int fd, const char *path, int flags), fd, PATH, flags)
FORWARD(int, remove, -1, (const char *path), PATH)
FORWARD(int, rename, -1, (const char *path, const char *second), PATH, SECOND)
FORWARD(int, renameat, -1, (int fd, const char *path, int to, const char *second), fd, PATH, to, SECOND)
FORWARD(int, renameat2, -1, (int fd, const char *path, int to, const char *second, unsigned flags), fd, PATH, to, SECOND, flags)
FORWARD(int, link, -1, (const char *path, const char *second), PATH, SECOND)
FORWARD(int, linkat, -1, (int fd, const char *path, int to, const char *second, int flags), fd, PATH, to, SECOND, flags)
FORWARD(int, symlink, -1, (const char *path, const char *second), PATH, SECOND)
FORWARD(int, symlinkat, -1, (const char *path, int to, const char *second), PATH, to, SECOND)
FORWARD(int, truncate, -1, (const char *path, off_t length), PATH, length)
FORWARD(int, truncate64, -1, (const char *path, off64_t length), PATH, length)
FORWARD(int, chmod, -1, (const char *path, mode_t mode), PATH, mode)
FORWARD(int, lchmod, -1, (const char *path, mode_t mode), PATH, mode)
FORWARD(int, fchmodat, -1, (int fd, const char *path, mode_t mode, int flags), fd, PATH, mode, flags)
FORWARD(int, chown, -1, (const char *path, uid_t owner, gid_t group), PATH, owner, group)
FORWARD(int, lchown, -1, (const char *path, uid_t owner, gid_t group), PATH, owner, group)
FORWARD(int, fchownat, -1, (int fd, const char *path, uid_t owner, gid_t group, int flags), fd, PATH, owner, group, flags)
FORWARD(int, utime, -1, (const char *path, const struct utimbuf *times), PATH, times)
FORWARD(int, utimes, -1, (const char *path, const struct timeval times[2]), PATH, times)
FORWARD(int, lutimes, -1, (const char *path, const struct timeval times[2]), PATH, times)
FORWARD(int, futimesat, -1, (int fd, const char *path, const struct timeval times[2]), fd, PATH, times)
FORWARD(int, utimensat, -1, (int fd, const char *path, const struct timespec times[2], int flags), fd, PATH, times, flags)
FORWARD(int, setxattr, -1, (const char *path, const char *name, const void *value, size_t size, int flags), PATH, name, value,
        size, flags)
FORWARD(int, lsetxattr, -1, (const char *path, const char *name, const void *value, size_t size, int flags), PATH, name, value,
        size, flags)
FORWARD(int, removexattr, -1, (const char *path, const char *name), PATH, name)
FORWARD(int, lremovexattr, -1, (const char *path, const char *name), PATH, name)
