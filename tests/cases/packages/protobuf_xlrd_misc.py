#: runtime native
#: arguments {"timeout": 55}
import io
import zoneinfo

import joblib
import xlrd
from dateutil import parser
from google.protobuf import struct_pb2, wrappers_pb2

assert wrappers_pb2.StringValue.FromString(wrappers_pb2.StringValue(value="x").SerializeToString()).value == "x"
struct_pb2.Struct().update({"a": 1})
try:
    xlrd.open_workbook(file_contents=b"no workbook")
except xlrd.XLRDError:
    pass
assert parser.parse("3 Feb 2024").month == 2
assert joblib.Parallel(n_jobs=2)(joblib.delayed(abs)(i) for i in (-1, -2)) == [1, 2]
joblib.dump([1], "/mnt/data/x.joblib")
assert joblib.load("x.joblib") == [1]
assert len(zoneinfo.available_timezones()) > 400
assert io.BytesIO(b"x").read() == b"x"
print("ok")
# | ok
# | [files written: x.joblib (17 bytes)]
