"""A minimal external Python program. Arguments: the version that must be loaded, the directory it must be loaded from."""

import os
import sys
import tempfile

import ckpt

version, place = sys.argv[1:]
assert ckpt.version_string() == version, ckpt.version_string()
assert ckpt.__file__.startswith(place), ckpt.__file__
with open("/proc/self/maps", encoding="utf-8") as maps:
    loaded = {line.split()[-1] for line in maps if "libckpt.so" in line}
assert len(loaded) == 1 and all(path.startswith(os.path.realpath(place)) for path in loaded), loaded

with tempfile.TemporaryDirectory() as folder:
    state = ckpt.State()
    weights = ckpt.Tensor.borrow(bytearray(range(24)))
    state.add("model", "weights", weights)
    state["position"] = {"byte": 4096}
    with ckpt.CheckpointManager(folder) as checkpoints:
        checkpoints.save(state, step=3)
        loaded_bytes = bytearray(24)
        other = ckpt.State()
        other.add("model", "weights", ckpt.Tensor.borrow(loaded_bytes))
        assert checkpoints.load(other).step == 3
    assert loaded_bytes == bytearray(range(24)) and other["position"] == {"byte": 4096}
try:
    ckpt.Strategy("interval:0")
except ckpt.InvalidArgumentError as error:
    assert "interval is 0" in str(error), error
else:
    raise AssertionError("interval:0 was accepted")
print("python", sys.version.split()[0], "libckpt", version)
