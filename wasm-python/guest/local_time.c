/* Local time. The C library of WASI knows none: the three symbols that it asks are defined here, in
 * place of its own (`__tz.c`, which answers UTC). The table comes from
 * `sandbox_bootstrap/guest/local_time.py`. */
#include "local_time.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* From a moment on, seconds since 1970 in UTC, this holds until the next entry. The layout is that
 * of `_ENTRY` in local_time.py. */
struct span {
    int64_t from;
    int32_t offset; /* seconds east of Greenwich */
    int32_t is_dst;
    char name[16]; /* ends with a zero */
};

static struct span utc = {.from = INT64_MIN, .name = "UTC"};
static struct {
    struct span *spans; /* in the order of time; the first holds since ever */
    size_t count;
} zone = {&utc, 1};

const char __utc[] = "UTC";

static const struct span *at(int64_t seconds)
{
    size_t low = 0, high = zone.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (zone.spans[middle].from <= seconds) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &zone.spans[low];
}

/* The span in which the clocks show `seconds`; in the gap of a spring the one before it. */
static const struct span *at_local(int64_t seconds)
{
    const struct span *last = zone.spans + zone.count - 1;
    const struct span *found = at(seconds);
    if (found < last && seconds - found[1].offset >= found[1].from) {
        found++;
    }
    while (found > zone.spans && seconds - found->offset < found->from) {
        found--;
    }
    return found;
}

/* The offset of summer time if this is standard time, and the other way round. */
static int32_t opposite(const struct span *span)
{
    const struct span *last = zone.spans + zone.count - 1;
    if (span > zone.spans && span[-1].is_dst != span->is_dst) {
        return span[-1].offset;
    }
    return span < last && span[1].is_dst != span->is_dst ? span[1].offset : span->offset;
}

void __secs_to_zone(long long seconds, int is_local, int *is_dst, int *offset, int *other_offset,
                    const char **name)
{
    const struct span *span = is_local ? at_local(seconds) : at(seconds);
    *is_dst = span->is_dst;
    *offset = span->offset;
    *name = span->name;
    if (other_offset != NULL) {
        *other_offset = opposite(span);
    }
}

/* For `%Z`. Python leaves the name empty where the caller gave a plain tuple. */
const char *__tm_to_tzname(const struct tm *tm)
{
    if (tm->__tm_zone != NULL) {
        return tm->__tm_zone;
    }
    const struct span *span = at(time(NULL));
    if (!span->is_dst == !tm->tm_isdst) {
        return span->name;
    }
    int has_neighbour = span > zone.spans && span[-1].is_dst != span->is_dst;
    return has_neighbour ? span[-1].name : span->name;
}

PyObject *set_local_time(PyObject *module, PyObject *table)
{
    (void)module;
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(table, &bytes, &size) < 0) {
        return NULL;
    }
    if (size == 0 || (size_t)size % sizeof(struct span) != 0) {
        PyErr_SetString(PyExc_ValueError, "not a table of spans");
        return NULL;
    }
    struct span *spans = malloc((size_t)size);
    if (spans == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(spans, bytes, (size_t)size);
    size_t count = (size_t)size / sizeof *spans;
    for (size_t i = 0; i < count; i++) {
        spans[i].name[sizeof spans[i].name - 1] = 0;
    }
    if (zone.spans != &utc) {
        free(zone.spans);
    }
    zone.spans = spans;
    zone.count = count;
    Py_RETURN_NONE;
}
