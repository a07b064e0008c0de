"""Background saves and loads, and their one-line form."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from . import _common
from . import _native as _n
from . import native as _native
from ._base import _call_of, _callbacks, _is_inside, _lent, _nothing, _Owned, _owners_of_threads, _timeout_ns, _wait_interruptibly
from ._checkpoints import CheckpointManager, _refused_on_all_ranks, _renamer
from ._given import _state_to_save
from ._oneline import _continue_at, _key, _shared
from ._progress import Progress, _function_of
from ._root import CkptError
from ._state import PathLike, State, StateLike, _as_json, _as_state
from ._storage import Storage
from ._task import CheckpointTask, CheckpointTaskResult
from .generated import methods as _m, options as _o
from .generated.errors import ClosedError, ForkedError, InvalidArgumentError, NotFoundError
from .generated.values import (CheckpointTaskInfo, CheckpointTaskKind, CheckpointTaskList, CheckpointTaskState,
                          CloseMode, LoadResult, SaveResult)

__all__ = ["AsyncManager", "save_async", "finish_saves"]

Source = Callable[[str, str, int, int, memoryview], Any]


# ---- Callbacks of running tasks ----


def _task_listener(task: CheckpointTask, progress: Progress, on_staged: Optional[Callable[[int], Any]],
                   on_ended: Optional[Callable[[CheckpointTaskResult], Any]], filled: Optional[State] = None) -> Any:
    """Returns the listener of a task. filled: the state of a load."""
    waiting = [task]
    on_progress: Any = _function_of(progress)
    staged: Any = on_staged

    def ended(values: Any) -> None:
        over = waiting.pop()  # released inside the callback, where it may be the last reference to the manager
        result = CheckpointTaskResult._of(values)
        if filled is not None and result.success:
            result = _after_load(filled, result)
        try:
            if on_ended is not None:
                on_ended(result)
        finally:
            over._end(result, _product_of(over, result))

    listener = _callbacks(_native.AsyncListener, staged=lambda id, stall_ns: staged(stall_ns), ended=ended,
                          progress=lambda id, done_bytes, total_bytes: on_progress(done_bytes, total_bytes))
    listener.wants(on_staged is not None, progress is not None)
    return listener


def _after_load(state: State, result: CheckpointTaskResult) -> CheckpointTaskResult:
    try:
        state._after_load()
    except CkptError as error:
        _common._warn("async", f"load of '{result.name}': {error}")
        return result._replace(state=CheckpointTaskState.FAILED, status=error.status, error=str(error))
    return result


def _product_of(task: CheckpointTask, result: CheckpointTaskResult) -> Union[SaveResult, LoadResult, None]:
    handle = task._manager._slot
    if not result.success or handle is None:
        return None
    if task.kind == CheckpointTaskKind.SAVE:
        return SaveResult._of(_n.ckpt_async_manager_get_save_result(handle, result.id))
    return LoadResult._of(_n.ckpt_async_manager_get_load_result(handle, result.id))


# ---- The manager ----


def _divided(options: Dict[str, Any], function: Callable[..., Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Splits options into those that the function accepts and the others."""
    known = function.__code__.co_varnames[:function.__code__.co_argcount]
    return ({key: value for key, value in options.items() if key in known},
            {key: value for key, value in options.items() if key not in known})


class AsyncManager(_m.AsyncManagerMethods, _Owned):
    """Runs background saves and loads of the checkpoints in one storage. Any thread may use it.

        with ckpt.AsyncManager("run", keep_last=3) as manager:
            task = manager.save({"w": w}, step)      # w may change when it returns
            ...                                      # training continues
            print(task.wait().name)                  # or: await task

    The end of a with-block waits for all tasks. A failure that the program never retrieved (wait, await, result, future) is raised
    there, or by the next save or load: each once, the oldest first. If the block itself raises, its exception is raised with the
    failure as its context. Callables run on threads of the manager, or on the thread that cancels or closes. They may use state,
    cancel, end_step and stats; calls that wait raise InvalidStateError. Their exceptions go to sys.unraisablehook."""

    _at_exit = "wait"

    def __init__(self, checkpoints: Union[CheckpointManager, Storage, PathLike], *, at_exit: str = "wait",
                 on_staged: Optional[Callable[[int, int], Any]] = None,
                 on_progress: Optional[Callable[[int, int, int], Any]] = None,
                 on_ended: Optional[Callable[[CheckpointTaskResult], Any]] = None,
                 **options: Union[_o.async_manager_options, CheckpointManager.__init__]) -> None:
        """checkpoints: a CheckpointManager, or the place to create one, with its options. at_exit: "wait" or "cancel": whether the
        exit of the interpreter waits for tasks or cancels them, for at most drain_timeout_ns. Called for every task: on_staged(id,
        stall_ns), on_progress(id, done_bytes, total_bytes), on_ended(result)."""
        if at_exit not in ("wait", "cancel"):
            raise InvalidArgumentError(f"at_exit '{at_exit}': expected 'wait' or 'cancel'", _n.CKPT_E_INVALID_ARGUMENT)
        options, others = _divided(options, _o.async_manager_options)
        given = _o.async_manager_options(**options)
        self._at_exit = at_exit
        self._place = checkpoints
        self._drain_timeout_ns = given.drain_timeout_ns
        listener = None
        if on_staged is not None or on_progress is not None or on_ended is not None:
            notify = on_ended or _nothing
            listener = _callbacks(_native.AsyncListener, staged=on_staged, progress=on_progress,
                                  ended=lambda values: notify(CheckpointTaskResult._of(values)))
            listener.wants(on_staged is not None, on_progress is not None)
        if isinstance(checkpoints, CheckpointManager):
            if others:
                raise InvalidArgumentError(f"{', '.join(others)}: not accepted with an existing CheckpointManager")
            self._is_collective = checkpoints._is_collective
            self._adopt(_n.ckpt_async_manager_create(checkpoints._h, given, listener))
        else:
            with CheckpointManager(checkpoints, **others) as created:
                self._is_collective = created._is_collective
                self._adopt(_n.ckpt_async_manager_create(created._h, given, listener))
        _owners_of_threads.add(self)

    @property
    def _h(self) -> Any:
        handle = self._slot
        if handle is None:
            raise ClosedError("the AsyncManager is closed")
        return handle

    # ---- Tasks ----

    def save(self, state: Union[StateLike, Mapping[str, Any]], step: int = 0, **options: _save) -> CheckpointTask:
        """Saves in the background. state: as for CheckpointManager.save. With StagingMode.COPY the arrays may change when this
        returns. progress(done_bytes, total_bytes) is called about every 4 MiB; or a bar with update and total, such as tqdm's.
        on_staged(stall_ns). on_ended(result) runs before waiting callers resume. source(group, name, address, offset, buffer) fills
        buffer with a tensor's bytes, for memory that the library cannot read. Raises the failure of an earlier task that the
        program never retrieved; then nothing is saved."""
        return self._save(_n.ckpt_async_manager_save, (self._h,), state, step, **options)

    def _save(self, function: Callable[..., int], first: Tuple[Any, ...], state: Any, step: int, *,
              progress: Progress = None, on_staged: Optional[Callable[[int], Any]] = None,
              on_ended: Optional[Callable[[CheckpointTaskResult], Any]] = None, source: Optional[Source] = None,
              group: str = "model", values: Optional[Mapping[str, Any]] = None, allow_empty: bool = False,
              **options: Union[CheckpointManager.save, _o.checkpoint_task_options]) -> CheckpointTask:
        """Starts a task and returns it. function: starts it, with first as its first arguments."""
        with self._refused_on_all_ranks(function, *first):
            state = _state_to_save(state, group, values, allow_empty)
            how, what = _divided(options, _o.checkpoint_task_options)
            task, saved = _o.checkpoint_task_options(**how), _o.save_options(step=step, **_as_json(what))
            handle = state._h
            reader = None if source is None else _callbacks(_native.AsyncSource, read=_lent(source))
        return self._start(CheckpointTaskKind.SAVE, step, progress, on_staged, on_ended,
                           lambda listener: function(*first, handle, saved, task, listener, reader))

    def load(self, state: StateLike, *, progress: Progress = None, on_ended: Optional[Callable[[CheckpointTaskResult], Any]] = None,
             **options: Union[CheckpointManager.load, _o.checkpoint_task_options]) -> CheckpointTask:
        """Loads into state in the background; other uses of state fail until the task has ended. state and rename: as for
        CheckpointManager.load; progress: as for save. Also raises the failure of an earlier task."""
        manager = self._h
        load = _n.ckpt_async_manager_load
        with self._refused_on_all_ranks(load, manager):
            filled = _as_state(state)
            how, what = _divided(options, _o.checkpoint_task_options)
            renamer = _renamer(what.pop("rename", None))
            task, loaded = _o.checkpoint_task_options(**how), _o.load_options(**_as_json(what))
            handle = filled._h
        return self._start(CheckpointTaskKind.LOAD, 0, progress, None, on_ended,
                           lambda listener: load(manager, handle, loaded, task, listener, renamer), filled)

    def _refused_on_all_ranks(self, function: Callable[..., Any], *first: Any) -> Any:
        """Encloses the preparation of a collective save or load. function: starts it; first: its arguments before the state."""
        return _refused_on_all_ranks((lambda: function(*first, None, None, None, None, None)) if self._is_collective else None)

    def _refused_save(self) -> Any:
        return self._refused_on_all_ranks(_n.ckpt_async_manager_save, self._slot)

    def _refused_load(self) -> Any:
        return self._refused_on_all_ranks(_n.ckpt_async_manager_load, self._slot)

    def _start(self, kind: CheckpointTaskKind, step: int, progress: Progress, on_staged: Optional[Callable[[int], Any]],
               on_ended: Optional[Callable[[CheckpointTaskResult], Any]], call: Callable[[Any], int],
               filled: Optional[State] = None) -> CheckpointTask:
        task = CheckpointTask(self, kind, step)
        listener = _task_listener(task, progress, on_staged, on_ended, filled)
        with _call_of(self):
            task.id = call(listener)
        return task

    def wait(self, timeout: Optional[float] = None) -> None:
        """Waits until all tasks that are active now have ended, successfully or not. Raises TimeoutError."""
        _wait_interruptibly(self, timeout, lambda handle, ns: _n.ckpt_async_manager_wait(handle, _n.CKPT_CHECKPOINT_TASK_ALL, ns))

    def _wait_for(self, id: int, timeout: Optional[float] = None) -> CheckpointTaskResult:
        if id == _n.CKPT_CHECKPOINT_TASK_ALL:  # not the id of a task
            self.info(id)  # raises NotFoundError
        ended = _wait_interruptibly(self, timeout, lambda handle, ns: _n.ckpt_async_manager_wait(handle, id, ns))
        return CheckpointTaskResult._of(ended)

    def _cancel(self, id: int) -> bool:
        try:
            with _call_of(self):
                return bool(_n.ckpt_async_manager_cancel(self._h, id))
        except NotFoundError:
            return False

    def wait_staged(self, timeout: Optional[float] = None) -> None:
        """Returns when all arrays of all saves may be written to. Raises TimeoutError."""
        _wait_interruptibly(self, timeout,
                            lambda handle, ns: _n.ckpt_async_manager_wait_staged(handle, _n.CKPT_CHECKPOINT_TASK_ALL, ns))

    # ---- Queries ----

    def active_tasks(self) -> List[CheckpointTaskInfo]:
        """Returns the tasks that have not ended, the oldest first."""
        return self._infos(CheckpointTaskList.LIVE)

    def ended_tasks(self) -> List[CheckpointTaskInfo]:
        """Returns the ended tasks that the history still holds, in the order in which they ended."""
        return self._infos(CheckpointTaskList.ENDED)

    def _infos(self, which: int) -> List[CheckpointTaskInfo]:
        found = []
        for id in _n.ckpt_async_manager_list(self._h, which):
            try:
                found.append(self.info(id))
            except LookupError:  # left the history meanwhile
                pass
        return found

    # ---- Closing ----

    async def __aenter__(self) -> "AsyncManager":
        return self

    async def __aexit__(self, *error: Any) -> None:
        """Closes like the end of a with-block, without blocking the event loop."""
        await asyncio.get_running_loop().run_in_executor(None, self.__exit__, *error)

    def close(self, cancel: bool = False, timeout: Optional[float] = None) -> None:
        """Ends all tasks and the manager's threads: waits for queued tasks, or with cancel cancels tasks that are not committed.
        Tasks that have not ended after timeout seconds (None: no limit) are cancelled, and TimeoutError is raised. Otherwise raises
        the oldest failure that the program never retrieved; the others are chained as its __context__. The manager is released in
        every case but one: InvalidStateError inside a callback. Closing again does nothing."""
        if self._slot is None:
            return
        if not cancel and timeout is None:
            self.wait()  # obeys Ctrl-C, after which the manager is still open
        try:
            failures = self._end(cancel, _timeout_ns(timeout))
        except ForkedError:
            super().close()
            raise
        super().close()
        if failures:
            _raise_all(failures)

    def _end(self, cancel: bool, timeout_ns: int) -> List[CkptError]:
        """Closes the manager. Returns all failures in order. Raises InvalidStateError when it cannot be closed."""
        mode = CloseMode.CANCEL if cancel else CloseMode.DRAIN
        failures: List[CkptError] = []
        while True:
            try:
                with _call_of(self):
                    _n.ckpt_async_manager_close(self._slot, mode, timeout_ns)
                return failures
            except CkptError as error:
                if failures and str(error) == str(failures[-1]):  # the same error again: closing is refused
                    raise error from None
                failures.append(error)

    def __exit__(self, *exception: Any) -> None:
        try:
            self.close()
        except CkptError as error:
            raised = exception[1] if len(exception) > 1 else None
            if raised is None:
                raise
            _add_context(raised, error)  # the block's exception is raised first

    def __del__(self) -> None:
        if not _Owned._exiting:
            super().close()  # not close(), which waits without limit and raises

    def _end_at_exit(self) -> None:
        """Releases the manager, which reports failures that no call has returned. If a thread is inside a call, closes the manager
        instead and reports its failures here."""
        if self._slot is None:
            return
        if not _is_inside(self):
            if self._at_exit == "cancel":
                for id in _n.ckpt_async_manager_list(self._slot, CheckpointTaskList.LIVE):
                    self._cancel(id)
            super().close()
            return
        try:
            failures = self._end(self._at_exit == "cancel", self._drain_timeout_ns)
        except ForkedError:
            return
        except CkptError as error:
            failures = [error]
        if failures and not _common._log_was_set and os.environ.get("CKPT_LOG") != "off":
            _common._report("async", "; ".join(f"no caller has seen this failure: {error}" for error in failures))


CheckpointManager._make_async_manager = AsyncManager


def _raise_all(errors: List[CkptError]) -> None:
    """Raises the first error. Its traceback also shows the others and the exception being handled."""
    try:
        raise errors[0]
    except CkptError as first:
        handled = first.__context__
        for error, later in zip(errors, errors[1:]):
            error.__context__ = later
        errors[-1].__context__ = handled
        raise


def _add_context(raised: BaseException, error: BaseException) -> None:
    """Appends error, with its own context, to the end of the context chain of raised."""
    last = error
    while last.__context__ is not None and last.__context__ is not raised:
        last = last.__context__
    last.__context__ = None
    while True:
        behind = raised.__cause__ or (None if raised.__suppress_context__ else raised.__context__)
        if behind is None:
            break
        raised = behind
    raised.__context__ = error
    raised.__suppress_context__ = False


# ---- One line ----

_shared_guard = threading.Lock()
_of_parent: List[Any] = []  # in a forked child: never freed, because the parent uses it


def save_async(place: Union[Storage, PathLike], tensors: Mapping[str, Any], step: int = 0, *,
               values: Optional[Mapping[str, Any]] = None, group: str = "model", keep_last: int = 0,
               **options: AsyncManager.save) -> CheckpointTask:
    """Like ckpt.save, but writes in the background: task = ckpt.save_async("run", {"w": w}, 7). The arrays may change when it
    returns. The first call opens one manager for the path. It stays open until finish_saves, or until the interpreter exits, when
    it writes the queued saves. Until then no other writer can open the path, except ckpt.save, which uses the same manager.
    keep_last is that of the first call."""
    key = _key(place)
    with _shared_guard:
        if key not in _shared:
            checkpoints = CheckpointManager(place, keep_last=keep_last)
            _continue_at(place, checkpoints)
            _shared[key] = (place, checkpoints, AsyncManager(checkpoints))
        manager = _shared[key][2]
    return manager.save(tensors, step, values=values, group=group, **options)


def finish_saves(place: Union[Storage, PathLike, None] = None, timeout: Optional[float] = None) -> None:
    """Waits for the saves that save_async has begun, below one path or everywhere, and closes their managers as AsyncManager.close
    does; then other writers may open the path. Raises the first failure that the program never retrieved, with the others as its
    context."""
    with _shared_guard:
        keys = list(_shared) if place is None else [key for key in (_key(place),) if key in _shared]
        entries = [_shared.pop(key) for key in keys]
    failure: Optional[CkptError] = None
    for _, checkpoints, manager in entries:
        try:
            manager.close(timeout=timeout)
        except CkptError as error:
            if failure is None:
                failure = error
            else:
                _add_context(failure, error)
        checkpoints.close()
    if failure is not None:
        raise failure


def _forget_in_child() -> None:
    _of_parent.append(dict(_shared))
    _shared.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
