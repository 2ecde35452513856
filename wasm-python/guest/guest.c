/* The guest program: CPython as a WASI reactor.
 *
 * Built once, run twice. `wizer-initialize` runs when the snapshot is made: it starts Python,
 * imports the bootstrap and lets it preload the standard library. The host then instantiates that
 * frozen state for every job and calls `sandbox_alloc` and `sandbox_run`. Every job starts from the
 * memory that the initialisation leaves, so nothing in it may depend on files of the build machine.
 */
#include <Python.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "build_files.h"
#include "emit.h"
#include "settle.h"
#include "interrupt.h"
#include "where.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* The job could not even be handed to the bootstrap; sysexits.h calls it EX_SOFTWARE. */
#define EXIT_BROKEN_BOOTSTRAP 70

/* Makes wasi-libc forget the folders that the host has opened; it asks again when it next uses a
 * path. */
void __wasilibc_reset_preopens(void);

/* sandbox_bootstrap.run_request, looked up while the snapshot is made. */
static PyObject *run_request;

static void check(PyStatus status)
{
    if (PyStatus_Exception(status)) {
        Py_ExitStatusException(status);
    }
}

static PyObject *need(PyObject *object)
{
    if (object == NULL) {
        PyErr_Print();
        abort();
    }
    return object;
}

static void start_python(void)
{
    PyPreConfig preconfig;
    PyPreConfig_InitIsolatedConfig(&preconfig);
    preconfig.utf8_mode = 1;
    check(Py_PreInitialize(&preconfig));

    PyImport_AppendInittab("_sandbox", emit_module);

    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.write_bytecode = 0;
    config.install_signal_handlers = 0;
    /* The seed is part of the snapshot, so it could not be a fresh one anyway. */
    config.use_hash_seed = 1;
    config.hash_seed = 0;
    check(PyConfig_SetString(&config, &config.home, L"/"));
    check(PyConfig_SetString(&config, &config.program_name, L"python3"));
    check(PyConfig_SetString(&config, &config.executable, L"/usr/bin/python3"));
    /* Where the frozen modules (os, abc, codecs) say that they come from. */
    check(PyConfig_SetString(&config, &config.stdlib_dir, L"/lib/python313"));
    config.module_search_paths_set = 1;
    check(PyWideStringList_Append(&config.module_search_paths, L"/lib/python313"));
    check(PyWideStringList_Append(&config.module_search_paths, L"/lib/site-packages"));
    check(Py_InitializeFromConfig(&config));
    PyConfig_Clear(&config);
}

/* Imports the bootstrap from /bootstrap, a folder that exists only now. */
static void load_bootstrap(void)
{
    PyObject *path = need(PySys_GetObject("path")); /* borrowed */
    PyObject *folder = need(PyUnicode_FromString("/bootstrap"));
    if (PyList_Append(path, folder) < 0) {
        need(NULL);
    }

    PyObject *bootstrap = need(PyImport_ImportModule("sandbox_bootstrap"));
    run_request = need(PyObject_GetAttrString(bootstrap, "run_request"));

    Py_ssize_t last = PyList_GET_SIZE(path) - 1;
    if (PyList_SetSlice(path, last, last + 1, NULL) < 0) {
        need(NULL);
    }
    Py_DECREF(folder);

    Py_DECREF(need(PyObject_CallMethod(bootstrap, "prepare_snapshot", NULL)));
    Py_DECREF(bootstrap);
}

EXPORT("wizer-initialize") void initialize(void)
{
    start_python();
    load_bootstrap();
    interrupt_init();
    if (settle_heap() < 0) {
        abort();
    }
    fflush(NULL);
    show_files_as_they_are();
    __wasilibc_reset_preopens();
}

/* Room for the request, which the host writes; sandbox_run frees it. 0: out of memory. */
EXPORT("sandbox_alloc") void *sandbox_alloc(size_t size)
{
    return malloc(size);
}

/* Runs one request (JSON) and returns the job's exit code. */
EXPORT("sandbox_run") int32_t sandbox_run(char *request, size_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize(request, (Py_ssize_t)size);
    free(request);
    PyObject *result = bytes == NULL ? NULL : PyObject_CallOneArg(run_request, bytes);
    Py_XDECREF(bytes);

    long code = result == NULL ? -1 : PyLong_AsLong(result);
    Py_XDECREF(result);
    if (PyErr_Occurred()) {
        PyErr_Print();
        return EXIT_BROKEN_BOOTSTRAP;
    }
    return (int32_t)code;
}

EXPORT("sandbox_interrupt") const void *sandbox_interrupt(void)
{
    return interrupt_addresses();
}

EXPORT("sandbox_where") const char *sandbox_where(void)
{
    return where();
}

EXPORT("sandbox_where_stack") const void *sandbox_where_stack(void)
{
    return where_stack();
}
