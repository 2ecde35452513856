"""Stands in for `ctypes`: there is nothing to link to in the guest.

Libraries that only ask for the size of a C type get the answer. Whatever else is used sends the job
to the native runtime, or says in one line that it would need it.
"""

_SIZES = {
    "c_bool": 1, "c_byte": 1, "c_char": 1, "c_double": 8, "c_float": 4, "c_int": 4, "c_int16": 2,
    "c_int32": 4, "c_int64": 8, "c_int8": 1, "c_long": 4, "c_longlong": 8, "c_short": 2,
    "c_size_t": 4, "c_ssize_t": 4, "c_ubyte": 1, "c_uint": 4, "c_uint16": 2, "c_uint32": 4,
    "c_uint64": 8, "c_uint8": 1, "c_ulong": 4, "c_ulonglong": 8, "c_ushort": 2, "c_void_p": 4,
    "c_wchar": 4,
}  # fmt: skip
# Other names that the native module has. Any further name must be an `AttributeError`, because
# pickle looks for a name in every module.
_NATIVE = frozenset(
    """ARRAY ArgumentError Array BigEndianStructure BigEndianUnion CDLL CFUNCTYPE DEFAULT_MODE
    LibraryLoader LittleEndianStructure LittleEndianUnion POINTER PYFUNCTYPE PyDLL RTLD_GLOBAL
    RTLD_LOCAL SIZEOF_TIME_T SetPointerType Structure Union _Pointer _SimpleCData addressof
    alignment byref c_buffer c_char_p c_longdouble c_time_t c_voidp c_wchar_p cast cdll
    create_string_buffer create_unicode_buffer get_errno memmove memset pointer py_object pydll
    pythonapi resize set_errno string_at wstring_at""".split()
)


class _Type:
    """A C type of which only the size is known."""

    def __init__(self, *_arguments):
        _need(type(self).__name__)


for _name, _size in _SIZES.items():
    globals()[_name] = type(_name, (_Type,), {"__module__": __name__, "_size": _size})
del _name, _size


def sizeof(of) -> int:
    """Bytes of a C type in the guest, where pointers and `long` have four."""
    size = getattr(of, "_size", None)
    if size is None:
        _need("sizeof")
    return size


def __getattr__(name: str):
    if name not in _NATIVE:
        raise AttributeError(f"module 'ctypes' has no attribute {name!r}")
    _need(name)


def _need(name: str):
    """Send the job to the native runtime, or raise."""
    from sandbox_bootstrap.guest import stand_ins

    stand_ins.native_function(f"ctypes.{name}")()
