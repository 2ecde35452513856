/* The linker puts these functions in front of the C library's (`--wrap`). Structures:
 * `typenames.witx` of WASI preview 1. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wasi/api.h>

#include "build_files.h"

/* SOURCE_DATE_EPOCH of the build scripts, in nanoseconds. */
#define BUILD_TIME (1735689600ull * 1000000000ull)

#define MAX_FILES 16384
#define MAX_LISTING (256u << 10)

static int hiding = 1;

/* What the host said. Not on the heap: freed memory keeps its content, which would get into the
 * snapshot. */
static struct {
    /* Its numbers of files, in the order in which they were met. */
    uint64_t met[MAX_FILES];
    /* The listing of a directory, and its entries, of which the shortest have names of one byte. */
    uint8_t listing[MAX_LISTING];
    const uint8_t *entries[MAX_LISTING / (sizeof(__wasi_dirent_t) + 1)];
} host;

static uint64_t number_of(uint64_t inode)
{
    for (uint64_t i = 0; i < MAX_FILES; i++) {
        if (host.met[i] == 0) {
            host.met[i] = inode;
        }
        if (host.met[i] == inode) {
            return i + 1;
        }
    }
    abort();
}

void show_files_as_they_are(void)
{
    hiding = 0;
    memset(&host, 0, sizeof host);
}

static __wasi_errno_t hide(__wasi_errno_t error, __wasi_filestat_t *stat)
{
    if (error == 0 && hiding) {
        stat->dev = 1;
        stat->ino = number_of(stat->ino);
        stat->nlink = 1;
        if (stat->filetype == __WASI_FILETYPE_DIRECTORY) {
            stat->size = 0;
        }
        stat->atim = stat->mtim = stat->ctim = BUILD_TIME;
    }
    return error;
}

__wasi_errno_t __real___wasi_fd_filestat_get(__wasi_fd_t fd, __wasi_filestat_t *stat);
__wasi_errno_t __wrap___wasi_fd_filestat_get(__wasi_fd_t fd, __wasi_filestat_t *stat)
{
    return hide(__real___wasi_fd_filestat_get(fd, stat), stat);
}

__wasi_errno_t __real___wasi_path_filestat_get(__wasi_fd_t fd, __wasi_lookupflags_t flags,
                                               const char *path, __wasi_filestat_t *stat);
__wasi_errno_t __wrap___wasi_path_filestat_get(__wasi_fd_t fd, __wasi_lookupflags_t flags,
                                               const char *path, __wasi_filestat_t *stat)
{
    return hide(__real___wasi_path_filestat_get(fd, flags, path, stat), stat);
}

/* An entry stands in a listing without regard to alignment; its name follows it. */
static __wasi_dirent_t entry_at(const uint8_t *at)
{
    __wasi_dirent_t entry;
    memcpy(&entry, at, sizeof entry);
    return entry;
}

static int by_name(const void *left, const void *right)
{
    const uint8_t *a = *(const uint8_t *const *)left, *b = *(const uint8_t *const *)right;
    size_t a_size = entry_at(a).d_namlen, b_size = entry_at(b).d_namlen;
    size_t shorter = a_size < b_size ? a_size : b_size;
    int order = memcmp(a + sizeof(__wasi_dirent_t), b + sizeof(__wasi_dirent_t), shorter);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

/* Appends as much of the bytes as there is room for. */
static void put(uint8_t *out, __wasi_size_t room, __wasi_size_t *used, const void *bytes,
                size_t size)
{
    size_t fits = size < room - *used ? size : room - *used;
    memcpy(out + *used, bytes, fits);
    *used += (__wasi_size_t)fits;
}

__wasi_errno_t __real___wasi_fd_readdir(__wasi_fd_t fd, uint8_t *out, __wasi_size_t room,
                                        __wasi_dircookie_t from, __wasi_size_t *used);
__wasi_errno_t __wrap___wasi_fd_readdir(__wasi_fd_t fd, uint8_t *out, __wasi_size_t room,
                                        __wasi_dircookie_t from, __wasi_size_t *used)
{
    if (!hiding) {
        return __real___wasi_fd_readdir(fd, out, room, from, used);
    }
    __wasi_size_t size = 0;
    __wasi_errno_t error =
        __real___wasi_fd_readdir(fd, host.listing, sizeof host.listing, 0, &size);
    /* A full buffer means that there is more: such a directory must not come out shorter. */
    if (error == 0 && size == sizeof host.listing) {
        abort();
    }
    size_t count = 0;
    if (error == 0) {
        for (size_t at = 0; at < size;) {
            host.entries[count++] = host.listing + at;
            at += sizeof(__wasi_dirent_t) + entry_at(host.listing + at).d_namlen;
        }
        qsort(host.entries, count, sizeof *host.entries, by_name);
        *used = 0;
    }
    for (size_t i = from; i < count && *used < room; i++) {
        __wasi_dirent_t entry = entry_at(host.entries[i]);
        entry.d_next = i + 1;
        entry.d_ino = number_of(entry.d_ino);
        put(out, room, used, &entry, sizeof entry);
        put(out, room, used, host.entries[i] + sizeof entry, entry.d_namlen);
    }
    return error;
}
