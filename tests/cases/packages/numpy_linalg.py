#: runtime native
#: arguments {"timeout": 55}
import numpy as np

a = np.random.default_rng(1).random((400, 400))
assert np.allclose(a @ np.linalg.inv(a), np.eye(400), atol=1e-6)
assert np.linalg.svd(a[:50, :50])[1].shape == (50,)
assert np.fft.ifft(np.fft.fft(np.ones(64))).real.sum() == 64
np.save("/mnt/data/a.npy", a)
assert (np.load("a.npy", mmap_mode="r") == a).all()
print("ok")
# | ok
# | [files written: a.npy (1280128 bytes)]
