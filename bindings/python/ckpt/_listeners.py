"""What the library calls while background tasks go on."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from . import _native as _n
from . import native as _native
from ._base import _fields, _take_back
from ._state import LoadResult, SaveResult
from ._task import AsyncKind, AsyncResult, AsyncTask, Progress, _result_of


class _Bar:
    """Moves a progress bar that has update and total, such as tqdm's."""

    def __init__(self, bar: Any) -> None:
        self.bar = bar
        self.last = 0

    def __call__(self, done_bytes: int, total_bytes: int) -> None:
        if self.bar.total != total_bytes:
            self.bar.total = total_bytes
        self.bar.update(done_bytes - self.last)
        self.last = done_bytes


class _TaskListener(_native.AsyncListener):
    def __init__(self, task: AsyncTask, progress: Optional[Progress], on_staged: Optional[Callable[[float], Any]],
                 on_ended: Optional[Callable[[AsyncResult], Any]]) -> None:
        super().__init__()
        self.wants(on_staged is not None, progress is not None)
        self.task: Optional[AsyncTask] = task
        self.on_progress = _Bar(progress) if hasattr(progress, "update") else progress
        self.on_staged = on_staged
        self.on_ended = on_ended

    def staged(self, id: int, stall_seconds: float) -> None:
        assert self.on_staged is not None
        self.on_staged(stall_seconds)

    def progress(self, id: int, done_bytes: int, total_bytes: int) -> None:
        assert self.on_progress is not None
        self.on_progress(done_bytes, total_bytes)

    def ended(self, struct: Any) -> None:
        task, self.task = self.task, None  # let go of inside the callback, where the manager may be the last thing to go
        assert task is not None
        result = _result_of(struct)
        try:
            if self.on_ended is not None:
                self.on_ended(result)
        finally:
            task._end(result, _product_of(task, result))


class _ManagerListener(_native.AsyncListener):
    def __init__(self, on_staged: Optional[Callable[[int, float], Any]], on_progress: Optional[Callable[[int, int, int], Any]],
                 on_ended: Optional[Callable[[AsyncResult], Any]]) -> None:
        super().__init__()
        self.wants(on_staged is not None, on_progress is not None)
        self.on_staged = on_staged
        self.on_progress = on_progress
        self.on_ended = on_ended

    def staged(self, id: int, stall_seconds: float) -> None:
        assert self.on_staged is not None
        self.on_staged(id, stall_seconds)

    def progress(self, id: int, done_bytes: int, total_bytes: int) -> None:
        assert self.on_progress is not None
        self.on_progress(id, done_bytes, total_bytes)

    def ended(self, struct: Any) -> None:
        if self.on_ended is not None:
            self.on_ended(_result_of(struct))


def _product_of(task: AsyncTask, result: AsyncResult) -> Union[SaveResult, LoadResult, None]:
    handle = task._manager._slot
    if not result.success or handle is None:
        return None
    if task.kind == AsyncKind.SAVE:
        saved = _native.ckpt_save_result()
        _n.ckpt_async_manager_get_save_result(handle, result.id, saved)
        return _fields(SaveResult, saved)
    loaded = _native.ckpt_load_result()
    _n.ckpt_async_manager_get_load_result(handle, result.id, loaded)
    return _fields(LoadResult, loaded)


class _SourceFunction(_native.AsyncSource):
    def __init__(self, function: Callable[[str, str, int, int, memoryview], Any]) -> None:
        super().__init__()
        self.function = function

    def read(self, group: str, name: str, address: int, offset: int, buffer: memoryview) -> None:
        self.function(group, name, address, offset, buffer)
        _take_back(buffer)
