"""numpy: arithmetic in every number type, sorting, linear algebra, FFT, random numbers, files."""

from importlib.metadata import version

import numpy as np

rng = np.random.default_rng(7)

# Each type has loops of its own, picked by the CPU's features.
for kind in ("i1", "u2", "i4", "u8", "f2", "f4", "f8"):
    a = rng.integers(1, 100, 4099).astype(kind)
    b = rng.integers(1, 100, 4099).astype(kind)
    python_a, python_b = a.tolist(), b.tolist()
    assert np.sort(a).tolist() == sorted(python_a)
    assert a[np.argsort(a, kind="stable")].tolist() == sorted(python_a)
    assert np.partition(a, 100)[100] == sorted(python_a)[100]
    assert int(np.argmax(a)) == python_a.index(max(python_a))
    assert (a > b).sum() == sum(x > y for x, y in zip(python_a, python_b, strict=True))
    assert np.maximum(a, b).tolist() == [max(x, y) for x, y in zip(python_a, python_b, strict=True)]
    assert np.sum(a, dtype="f8") == sum(python_a)
    assert (a // b).tolist() == [x // y for x, y in zip(python_a, python_b, strict=True)]

for kind, close in (("f4", 1e-5), ("f8", 1e-13)):
    x = np.linspace(0.1, 3.0, 1001, dtype=kind)
    assert np.allclose(np.sin(x) ** 2 + np.cos(x) ** 2, 1, atol=close)
    assert np.allclose(np.log(np.exp(x)), x, atol=close)
    assert np.allclose(np.sqrt(x) ** 2, x, atol=close)
    assert np.allclose(np.tanh(np.arctanh(x / 4)), x / 4, atol=close)
    assert np.allclose(np.hypot(x, x), x * np.sqrt(2).astype(kind), atol=close)

for kind, close in (("f4", 1e-2), ("f8", 1e-9), ("c8", 1e-2), ("c16", 1e-9)):
    m = (rng.normal(size=(64, 64)) + 8 * np.eye(64)).astype(kind)
    if kind[0] == "c":
        m = m + 1j * rng.normal(size=(64, 64)).astype(m.real.dtype)
    assert np.allclose(m @ np.linalg.inv(m), np.eye(64), atol=close)
    u, s, vh = np.linalg.svd(m)
    assert np.allclose((u * s) @ vh, m, atol=close)
    q, r = np.linalg.qr(m)
    assert np.allclose(q @ r, m, atol=close)
values, vectors = np.linalg.eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))
assert np.allclose(values, [1, 3])
assert np.allclose(np.linalg.solve([[3.0, 1.0], [1.0, 2.0]], [9.0, 8.0]), [2, 3])
assert np.allclose(np.einsum("ij,jk->ik", np.ones((3, 4)), np.ones((4, 5))), 4)

signal = np.sin(2 * np.pi * 5 * np.arange(256) / 256)
assert int(np.argmax(np.abs(np.fft.rfft(signal)))) == 5
assert np.allclose(np.fft.ifft(np.fft.fft(signal)), signal)

assert np.bitwise_count(np.array([255, 7, 0], dtype="u8")).tolist() == [8, 3, 0]
assert np.packbits([1, 0, 1, 0, 0, 0, 0, 1]).tolist() == [161]
assert np.sort(np.array(["b", "a"]))[0] == "a"
assert np.char.upper(np.array(["abc"]))[0] == "ABC"
assert np.isnan(np.array([1.0, np.nan])).tolist() == [False, True]
assert np.unique([3, 1, 3]).tolist() == [1, 3]
assert rng.normal(size=10_000).std() < 1.1
assert np.datetime64("2024-02-28") + np.timedelta64(1, "D") == np.datetime64("2024-02-29")

np.savez_compressed("arrays.npz", a=signal)
assert np.array_equal(np.load("arrays.npz")["a"], signal)
np.savetxt("table.csv", [[1.5, 2], [3, 4]], delimiter=",")
assert np.loadtxt("table.csv", delimiter=",").sum() == 10.5

print("ok", "numpy", version("numpy"))
