/* The built-in module `_sandbox`: the way from Python to the host that does not pass through a file descriptor. */
#ifndef SANDBOX_EMIT_H
#define SANDBOX_EMIT_H

#include <Python.h>

PyObject *emit_module(void);

#endif
