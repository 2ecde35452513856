import asyncio
import bz2
import datetime
import decimal
import hashlib
import lzma
import sqlite3
import zlib
import zoneinfo

data = b"x" * 1000
print(all(m.decompress(m.compress(data)) == data for m in (zlib, bz2, lzma)))
db = sqlite3.connect(":memory:")
print(db.execute("select 6 * 7").fetchone())
print(datetime.datetime(2024, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("Asia/Shanghai")).isoformat())
print(decimal.Decimal(1) / 7)
print(hashlib.sha256(b"").hexdigest()[:16])


async def main():
    await asyncio.sleep(0.01)
    return "done"


print(asyncio.run(main()))
# | True
# | (42,)
# | 2024-07-01T12:00:00+08:00
# | 0.1428571428571428571428571429
# | e3b0c44298fc1c14
# | done
