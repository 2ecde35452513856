#include "emit.h"

#include "local_time.h"

#include <stdint.h>

__attribute__((import_module("mcp_python_sandbox"), import_name("emit"))) void
host_emit(const void *bytes, size_t size);

static PyObject *emit(PyObject *module, PyObject *argument)
{
    (void)module;
    Py_buffer buffer;
    if (PyObject_GetBuffer(argument, &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    host_emit(buffer.buf, (size_t)buffer.len);
    PyBuffer_Release(&buffer);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"emit", emit, METH_O,
     "emit(frame, /)\n--\n\nHand one frame to the host, in place in the job's stdout stream."},
    {"set_local_time", set_local_time, METH_O,
     "set_local_time(table, /)\n--\n\nMake local time that of a time zone."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_sandbox",
    .m_doc = "The sandbox's host.",
    .m_size = 0,
    .m_methods = methods,
};

PyObject *emit_module(void)
{
    return PyModuleDef_Init(&definition);
}
