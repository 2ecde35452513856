#ifndef LOCAL_TIME_H
#define LOCAL_TIME_H

#include <Python.h>

/* `_sandbox.set_local_time`: takes the table of a time zone, from which the C library, and with it
 * `time` and `datetime`, computes local time. */
PyObject *set_local_time(PyObject *module, PyObject *table);

#endif
