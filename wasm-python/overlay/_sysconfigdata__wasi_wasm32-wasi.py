"""What `sysconfig` tells a job about the guest: nothing about the machine that built it."""

build_time_vars = {
    "EXT_SUFFIX": ".cpython-313-wasm32-wasi.so",
    "HOST_GNU_TYPE": "wasm32-unknown-wasip1",
    "MACHDEP": "wasi",
    "MULTIARCH": "wasm32-wasi",
    "Py_DEBUG": 0,
    "Py_ENABLE_SHARED": 0,
    "Py_GIL_DISABLED": 0,
    "SOABI": "cpython-313-wasm32-wasi",
    "VERSION": "3.13",
    "WITH_DOC_STRINGS": 1,
    "WITH_PYMALLOC": 1,
    "prefix": "/",
}
