# Generated from include/ckpt by tools/api: do not edit.
"""The functions of the package that are one call of C."""

from __future__ import annotations

from typing import List

from .. import _native as _n
from . import options as _o, values as _v

__all__ = ["feature", "probe_memory", "unregister_scheme", "unregister_strategy", "known_strategies", "known_planners", "blas_info",
           "set_blas_kernels", "known_layer_kinds", "learning_rate_at", "young_interval", "daly_interval",
           "expected_value_interval", "weibull_interval"]


def feature(name: str) -> bool:
    """Returns True when this build has the named feature, else False. Known: "threads", "fork-safe", "blas-dlopen", "dlpack",
    "safetensors", "multiversioned-kernels". Unknown names and None return False."""
    return bool(_n.ckpt_feature(name))


def probe_memory() -> _v.MemorySystem:
    """Returns the values of the system, control groups v1 and v2 included: /proc/meminfo, /proc/self/cgroup and the group's files,
    at each level up to the root. A group's page cache on the inactive list counts as available. UnsupportedError if the total is
    not known. Sources: proc(5); the kernel's cgroup-v2.rst and cgroup-v1/memory.rst."""
    return _v.MemorySystem._of(_n.ckpt_memory_probe())


def unregister_scheme(scheme: str) -> None:
    """Unregisters a scheme; storages created with it stay valid. NotFoundError for any other. Synchronized."""
    _n.ckpt_storage_unregister_scheme(scheme)


def unregister_strategy(name: str) -> None:
    """Unregisters a kind; strategies created with it stay valid. NotFoundError for any other name. Synchronized."""
    _n.ckpt_strategy_unregister(name)


def known_strategies() -> List[str]:
    """Returns the kinds that text can use. Synchronized."""
    return _n.ckpt_strategy_get_known_kinds().split(", ")


def known_planners() -> List[str]:
    """Returns the planners: syntax, description, and the range of each value, as in "periodic:SEGMENTS - ...; SEGMENTS: 1 ..
    layers". Synchronized."""
    return _n.ckpt_schedule_get_known_planners().split("\n")


def blas_info() -> str:
    """Loads the BLAS now (OpenBLAS: the file that the environment variable CKPT_OPENBLAS names, else libopenblas.so.0). Returns its
    name, version and core as a string. If this processor can run a wider set of OpenBLAS's kernels than the one in use, the
    string continues after a semicolon with the names of both. This does not depend on environment variables. One warning is
    logged when the BLAS is loaded. Nothing is added for the BLAS of set_blas. NotFoundError if OpenBLAS is missing. ForkedError,
    as from every function that needs a matrix product, in a child that was forked while another thread loaded the BLAS."""
    return _n.ckpt_blas_get_info()


def set_blas_kernels(name: str) -> None:
    """Loads OpenBLAS now, with the given set of its kernels. Without this call OpenBLAS chooses a set when it is loaded, by the
    environment variable OPENBLAS_CORETYPE or by its list of processor models; a version that is older than the processor may
    choose its slowest set. Results of different sets differ in their last bits. The library itself never calls this function.
    name: "best", or the name of a core of OpenBLAS, in upper or lower case. "best" is the fastest set for products of floats and
    doubles that the processor can run. It is one of those that every OpenBLAS 0.3 with several sets (DYNAMIC_ARCH) contains. The
    names, and the instructions that the processor and the operating system must offer: - "SkylakeX": AVX-512 F, CD, BW, DQ and
    VL; "Cooperlake": also VNNI and BF16; "SapphireRapids": also FP16 and AMX-BF16 - "Haswell": AVX2 and FMA; "Zen": the same, on
    processors of AMD and Hygon - "Excavator", "Steamroller", "Piledriver", "Bulldozer": AMD's family 15h - "Sandybridge": AVX;
    "Nehalem": SSE4.2; "Penryn", "Dunnington": SSE4.1; "Core2": SSSE3; "Prescott": SSE3 - "Barcelona": AMD's family 10h OpenBLAS
    belongs to the whole process: every other user of the same shared library gets these kernels, too. The function sets
    OPENBLAS_CORETYPE while OpenBLAS is loaded and restores it before it returns. The C library does not synchronize the
    environment. During the call no other thread may use it, neither directly (getenv, setenv) nor in a library: call this
    function before the process starts threads. InvalidArgumentError for an unknown name and for kernels that the processor
    cannot run. InvalidStateError if a BLAS is in use, if set_blas was called, or if the process has loaded that OpenBLAS before.
    The path does not matter (a program that links it, another library, LD_PRELOAD). NotFoundError as from blas_info.
    UnsupportedError on processors other than x86-64. These errors change nothing. UnsupportedError also if the installed
    OpenBLAS lacks the named set, which is detected only after loading: OpenBLAS is then in use with the set that it chose
    instead, which the message and blas_info name; "best" succeeds in this case. ForkedError as from blas_info."""
    _n.ckpt_blas_set_kernels(name)


def known_layer_kinds() -> List[str]:
    """Returns the kinds of layers: syntax, description, and the range of each whole number. Synchronized."""
    return _n.ckpt_layer_get_known_kinds().split("\n")


def learning_rate_at(step: int, **schedule: _o.learning_rate_schedule) -> float:
    """Returns the rate of a step (>= 0, from 0); pass it to Optimizer.set_learning_rate before that step. The result depends only
    on the arguments, so a resumed run continues with the same rates. Synchronized."""
    return _n.ckpt_learning_rate_at(_o.learning_rate_schedule(**schedule), step)


def young_interval(cost_seconds: float, mtbf_seconds: float) -> float:
    """Returns the work between two checkpoints that cost cost_seconds each on a machine with this mean time between failures:
    sqrt(2 C M). Both > 0 and finite. Source: Young, "A first order approximation to the optimum checkpoint interval", CACM
    17(9), 1974."""
    return _n.ckpt_interval_young(cost_seconds, mtbf_seconds)


def daly_interval(cost_seconds: float, mtbf_seconds: float) -> float:
    """Returns the work between two checkpoints as young_interval, to a higher order: sqrt(2CM) (1 + sqrt(C/2M)/3 + (C/2M)/9) - C
    for C < 2M, else M. Source: Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
    Generation Computer Systems 22(3), 2006."""
    return _n.ckpt_interval_daly(cost_seconds, mtbf_seconds)


def expected_value_interval(cost_seconds: float, mtbf_seconds: float) -> float:
    """Returns the work W at which P(failure before the next checkpoint, another W away) * W = (1 - P) * cost, for exponential
    failures. Both arguments > 0 and finite."""
    return _n.ckpt_interval_expected_value(cost_seconds, mtbf_seconds)


def weibull_interval(cost_seconds: float, shape: float, scale_seconds: float, age_seconds: float) -> float:
    """Returns sqrt(2 C / h(age)), h(age) = shape/scale (age/scale)^(shape - 1): the hazard rate of a Weibull distribution. All > 0
    and finite."""
    return _n.ckpt_interval_weibull(cost_seconds, shape, scale_seconds, age_seconds)
