#define Py_BUILD_CORE 1
#include <Python.h>

#include <stdio.h>
#include <string.h>

#include "internal/pycore_frame.h"
#include "internal/pycore_pystate.h"
#include "where.h"

#define MAX_FRAMES 20
#define BOOTSTRAP "/bootstrap/"

/* Filled from the end, because frames are met innermost first. */
static char text[8192];
static char *start;

/* The job's own stack may be full, and on it are frames that are looked at. */
_Alignas(16) static char stack[16384];

const void *where_stack(void)
{
    return stack + sizeof stack;
}

static void put_before(const char *bytes, size_t size)
{
    if ((size_t)(start - text) < size) {
        size = (size_t)(start - text);
    }
    start -= size;
    memcpy(start, bytes, size);
}

/* str as UTF-8; PyUnicode_AsUTF8 would allocate. What does not fit is cut off. */
static size_t utf8(PyObject *string, char *out, size_t room)
{
    size_t used = 0;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(string) && used + 4 <= room; i++) {
        Py_UCS4 c = PyUnicode_READ_CHAR(string, i);
        if (c < 0x80) {
            out[used++] = (char)c;
        } else if (c < 0x800) {
            out[used++] = (char)(0xc0 | c >> 6);
            out[used++] = (char)(0x80 | (c & 0x3f));
        } else if (c < 0x10000) {
            out[used++] = (char)(0xe0 | c >> 12);
            out[used++] = (char)(0x80 | (c >> 6 & 0x3f));
            out[used++] = (char)(0x80 | (c & 0x3f));
        } else {
            out[used++] = (char)(0xf0 | c >> 18);
            out[used++] = (char)(0x80 | (c >> 12 & 0x3f));
            out[used++] = (char)(0x80 | (c >> 6 & 0x3f));
            out[used++] = (char)(0x80 | (c & 0x3f));
        }
    }
    return used;
}

/* Where a path begins for answers, as in `host/library_paths.py`. */
static size_t path(PyObject *filename, char *out, size_t room)
{
    static const char library[] = "/lib/", stdlib[] = "python313/", shown[] = "python3.13/";
    size_t used = utf8(filename, out, room);
    size_t skipped = sizeof library - 1;
    if (used < skipped || memcmp(out, library, skipped) != 0) {
        return used;
    }
    memmove(out, out + skipped, used -= skipped);
    if (used >= sizeof stdlib - 1 && memcmp(out, stdlib, sizeof stdlib - 1) == 0) {
        memmove(out + sizeof shown - 1, out + sizeof stdlib - 1, used - (sizeof stdlib - 1));
        memcpy(out, shown, sizeof shown - 1);
        used += sizeof shown - sizeof stdlib;
    }
    return used;
}

static void put_frame_before(_PyInterpreterFrame *frame)
{
    char line[1024];
    PyCodeObject *code = _PyFrame_GetCode(frame);
    size_t used = (size_t)snprintf(line, sizeof line, "  File \"");
    used += path(code->co_filename, line + used, 512);
    used += (size_t)snprintf(line + used, 64, "\", line %d, in ",
                             PyUnstable_InterpreterFrame_GetLine(frame));
    used += utf8(code->co_name, line + used, 256);
    line[used++] = '\n';
    put_before(line, used);
}

static int is_bootstrap(PyCodeObject *code)
{
    char name[sizeof BOOTSTRAP + 4];
    size_t size = utf8(code->co_filename, name, sizeof name);
    return size >= sizeof BOOTSTRAP - 1 && memcmp(name, BOOTSTRAP, sizeof BOOTSTRAP - 1) == 0;
}

const char *where(void)
{
    start = text + sizeof text - 1;
    *start = '\0';
    int frames = 0;
    _PyInterpreterFrame *frame = _PyThreadState_GET()->current_frame;
    for (; frame != NULL; frame = frame->previous) {
        if (_PyFrame_IsIncomplete(frame) || is_bootstrap(_PyFrame_GetCode(frame))) {
            continue;
        }
        put_frame_before(frame);
        if (++frames == MAX_FRAMES) {
            break;
        }
    }
    return start;
}
