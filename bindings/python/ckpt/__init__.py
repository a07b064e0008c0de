"""Embeddable checkpointing: activations under a byte budget, durable state, memory tracking.

    ckpt.save("run", {"weights": weights}, step=100)       # numpy arrays, torch tensors: durable when it returns
    task = ckpt.save_async("run", {"weights": weights}, step=101)    # writes in the background
    arrays = ckpt.load("run")

Objects are context managers; failures are subclasses of CkptError. The C headers document the behaviour of the library;
docs/reference/python.md documents this package.
"""

import warnings as _warnings

with _warnings.catch_warnings():
    # Extension types of SWIG before 4.4 have no __module__, and Python 3.12 to 3.14 warn about it. An error here crashes SWIG's
    # start.
    _warnings.filterwarnings("ignore", r"builtin type \w+ has no __module__ attribute", DeprecationWarning)
    from . import _native

from . import (_adaptive, _async, _base, _checkpoints, _common, _coordinator, _drive, _engine, _given, _memory, _oneline, _pipeline,
               _plan, _sharded, _state, _storage, _strategy, _task, _tensor, _trees)
from .generated import errors as _errors, functions as _functions, values as _values
from .generated.errors import *
from .generated.functions import *
from .generated.values import *
from ._base import *
from ._common import *
from ._memory import *
from ._tensor import *
from ._sharded import *
from ._storage import *
from ._strategy import *
from ._plan import *
from ._drive import *
from ._engine import *
from ._trees import *
from ._state import *
from ._coordinator import *
from ._given import *
from ._checkpoints import *
from ._oneline import *
from ._task import *
from ._async import *
from ._adaptive import *
from ._pipeline import *

__version__ = version_string()
__all__ = [name for part in (_errors, _functions, _values, _base, _common, _memory, _tensor, _sharded, _storage, _strategy, _plan, _drive,
                             _engine, _trees, _state, _coordinator, _given, _checkpoints, _oneline, _task, _async, _adaptive, _pipeline)
           for name in part.__all__]
