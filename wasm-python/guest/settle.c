#define Py_BUILD_CORE 1
#include <Python.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "internal/pycore_interp.h"
#include "internal/pycore_obmalloc.h"
#include "internal/pycore_pystate.h"
#include "settle.h"

/* Objects that are immortal already, but whose referents are not yet. */
static struct {
    PyObject **objects;
    size_t count;
    size_t room;
    int failed;
} waiting;

/* What is left in free memory would become part of the snapshot. */
static void forget_objects(void)
{
    if (waiting.objects != NULL) {
        memset(waiting.objects, 0, waiting.room * sizeof *waiting.objects);
        free(waiting.objects);
    }
}

static void make_room(void)
{
    size_t room = waiting.room == 0 ? 4096 : 2 * waiting.room;
    PyObject **objects = malloc(room * sizeof *objects);
    if (objects == NULL) {
        waiting.failed = 1;
        return;
    }
    if (waiting.count > 0) {
        memcpy(objects, waiting.objects, waiting.count * sizeof *objects);
    }
    forget_objects();
    waiting.objects = objects;
    waiting.room = room;
}

static int add(PyObject *object, void *unused)
{
    (void)unused;
    if (object == NULL || _Py_IsImmortal(object)) {
        return 0;
    }
    if (waiting.count == waiting.room) {
        make_room();
    }
    if (!waiting.failed) {
        object->ob_refcnt = _Py_IMMORTAL_REFCNT;
        waiting.objects[waiting.count++] = object;
    }
    return 0;
}

/* The collector's visitor continues on 1. */
static int add_tracked(PyObject *object, void *unused)
{
    add(object, unused);
    return 1;
}

static void add_referents(PyObject *object)
{
    if (PyObject_IS_GC(object) && Py_TYPE(object)->tp_traverse != NULL) {
        Py_TYPE(object)->tp_traverse(object, add, NULL);
    } else if (PyCode_Check(object)) {
        /* The collector does not know code objects, because they cannot be part of a cycle. */
        PyCodeObject *code = (PyCodeObject *)object;
        PyObject *parts[] = {
            code->co_consts,          code->co_names,           code->co_exceptiontable,
            code->co_localsplusnames, code->co_localspluskinds, code->co_filename,
            code->co_name,            code->co_qualname,        code->co_linetable,
        };
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            add(parts[i], NULL);
        }
    }
}

/* Counting a reference writes to the object. The objects of the snapshot outlive every job
 * anyway, so theirs are not counted, like those of None and of small integers. */
static int make_everything_immortal(void)
{
    PyUnstable_GC_VisitObjects(add_tracked, NULL);
    while (waiting.count > 0) {
        add_referents(waiting.objects[--waiting.count]);
    }
    forget_objects();
    return waiting.failed ? -1 : 0;
}

/* Small objects live in pools, a page for each size. Gaps between old objects would be filled
 * first, each on another page; with the gaps gone, a job's objects lie side by side on new
 * pages. */
static void fill_gaps(void)
{
    struct _obmalloc_state *state = _PyInterpreterState_GET()->obmalloc;
    for (size_t i = 0; i < NB_SMALL_SIZE_CLASSES; i++) {
        poolp head = state->pools.used[i + i];
        while (head->nextpool != head) {
            size_t size = (i + 1) << ALIGNMENT_SHIFT;
            memset(PyObject_Malloc(size), 0, size);
            head = state->pools.used[i + i];
        }
    }
}

/* Freed memory keeps its content; as zeroes it takes no space in the snapshot. The pieces are
 * claimed from the largest to the smallest until memory would have to grow, cleared, and freed
 * again. */
static void clear_free_memory(void)
{
    void **claimed = NULL;
    for (size_t size = 32 << 10; size >= 2 * sizeof(void *); size /= 2) {
        for (;;) {
            size_t pages = __builtin_wasm_memory_size(0);
            void **piece = malloc(size);
            if (piece == NULL) {
                break;
            }
            memset(piece, 0, size);
            if (__builtin_wasm_memory_size(0) != pages) {
                free(piece);
                break;
            }
            *piece = claimed;
            claimed = piece;
        }
    }
    while (claimed != NULL) {
        void **next = *claimed;
        *claimed = NULL;
        free(claimed);
        claimed = next;
    }
}

/* The same for the unused part of the stack, which comes first in memory and grows downwards. */
__attribute__((noinline)) static void clear_stack(void)
{
    const uintptr_t room_for_this_call = 256;
    uintptr_t end = (uintptr_t)__builtin_frame_address(0) - room_for_this_call;
    for (volatile uintptr_t *word = (volatile uintptr_t *)4096; (uintptr_t)word < end; word++) {
        *word = 0;
    }
}

int settle_heap(void)
{
    /* Also empties the free lists, whose objects would be used first. */
    PyGC_Collect();
    if (make_everything_immortal() < 0) {
        return -1;
    }
    fill_gaps();
    clear_free_memory();
    clear_stack();
    return 0;
}
