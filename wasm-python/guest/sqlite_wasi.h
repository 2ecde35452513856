/* Included in front of SQLite's sources. WASI has no file locks, and a job has no second process
 * to lock out. SQLite's ordinary Unix locking is kept, because it separates two connections of
 * the same job; the call that would tell other processes succeeds without doing anything. */
#include <fcntl.h>
#include <stdarg.h>

#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define F_GETLK 12
#define F_SETLK 13
#define F_SETLKW 14

static int sqlite_wasi_fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    int result = 0;
    switch (command) {
    case F_GETLK:
        va_arg(arguments, struct flock *)->l_type = F_UNLCK;
        break;
    case F_SETLK:
    case F_SETLKW:
        break;
    default:
        result = fcntl(fd, command, va_arg(arguments, int));
    }
    va_end(arguments);
    return result;
}

#define fcntl sqlite_wasi_fcntl
