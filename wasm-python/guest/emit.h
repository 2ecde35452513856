/* The built-in module `_sandbox`: a way from Python to the host without a file descriptor. */
#ifndef SANDBOX_EMIT_H
#define SANDBOX_EMIT_H

#include <Python.h>

PyObject *emit_module(void);

#endif
