"""Drives a schedule for a framework of its own: what is kept and dropped, recomputed and run backward, in which order."""

from __future__ import annotations

import itertools
import threading
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set

from ._drive_steps import END, HOLD, Key, LOAD, Reader, REFUSE, Step, STORE, text_of, TURN
from ._plan import Cursor, Schedule
from .generated.errors import (CallbackError, CancelledError, InvalidArgumentError, InvalidScheduleError, InvalidStateError)
from .generated.values import ActionKind, DriveCall, DriveFlag, Item

__all__ = ["Driver", "DriveFailure"]

_MOST_CACHED = 1 << 20  # actions; longer schedules are read again in every step


class DriveFailure(NamedTuple):
    """Which call ended the last step that failed.

    call: the piece of work
    error: what its callback raised; None when it lied (gave None where an object is needed, or one that is live) or is missing
    """

    call: DriveCall
    error: Optional[BaseException]


class Driver:
    """Runs the steps of one schedule over objects of yours: tensors, graphs, records that nothing here looks into.

    callbacks is an object with some of these methods, or they are given by name:

        forward(call, input) -> output                  runs layers call.first .. call.last-1 and records nothing
        record(call, input) -> (output, tape)           runs one layer and records; output may be None with DriveFlag.NO_OUTPUT
        backward(call, input, output, tape, grad_output) -> grad_input
        turn(call, output) -> grad_output               only for run
        store(call, item)                               begins to copy an object into (call.tier, call.slot)
        load(call) -> item                              begins to copy it back; it is used behind the wait for it
        wait(call)                                      waits for transfer call.transfer, exactly once for each
        drop(call, item)                                ends an object, or with call.tier >= 1 what a slot holds; may be left out

    call is a DriveCall. With DriveFlag.AGAIN the layers ran before in this step: restore what their first run began with. With
    TAKE_INPUT and TAKE_OUTPUT, and for the tape and grad_output of a backward, the driver holds no reference any more: when the
    callback lets go of the object, its memory is free. Every object is dropped or taken by a callback exactly once, also when a
    callback raises, when the step is cancelled, and when backward never comes. Objects in memory at the same time differ by
    identity; a tape and a gradient may be None. include/ckpt/drive.h has each rule. What a callback raises ends the step and
    comes out of forward, backward or run as it is. From one thread at a time, but for cancel."""

    def __init__(self, schedule: Schedule, callbacks: Any = None, *, forward: Optional[Callable[..., Any]] = None,
                 record: Optional[Callable[..., Any]] = None, backward: Optional[Callable[..., Any]] = None,
                 turn: Optional[Callable[..., Any]] = None, store: Optional[Callable[..., Any]] = None,
                 load: Optional[Callable[..., Any]] = None, wait: Optional[Callable[..., Any]] = None,
                 drop: Optional[Callable[..., Any]] = None) -> None:
        given = {"forward": forward, "record": record, "backward": backward, "turn": turn, "store": store, "load": load,
                 "wait": wait, "drop": drop}
        self._callbacks = {name: method if method is not None else getattr(callbacks, name, None) for name, method in given.items()}
        for name, method in self._callbacks.items():
            if method is not None and not callable(method):
                raise TypeError(f"{name} is {method!r}; a callable")
        self._begin_anew()
        self._schedule = schedule
        self._layers = schedule.layer_count
        self._open_ended = self._layers is None
        self._cached: Optional[List[Step]] = None
        if not self._open_ended:
            with Cursor(schedule) as cursor:
                steps = list(itertools.islice(Reader(self._layers, cursor).steps(), _MOST_CACHED + 1))
            if len(steps) <= _MOST_CACHED:
                self._cached = steps
                for step in steps:
                    if step[0] == REFUSE and step[1].kind in (ActionKind.SEND, ActionKind.RECEIVE):
                        raise InvalidArgumentError("schedule is of a pipeline's stage: only the pipeline can run it")

    def _begin_anew(self) -> None:
        self._guard = threading.Lock()  # of _state, and of setting _cancelled
        self._state = "idle"
        self._cancelled = False
        self._failure: Optional[DriveFailure] = None
        self._next_layers: Optional[int] = None
        self._reader: Optional[Reader] = None
        self._steps: Iterator[Step] = iter(())
        self._live: Dict[Key, Any] = {}       # in the order in which they came
        self._ids: Set[int] = set()           # of the live objects
        self._unasked: Set[Key] = set()       # outputs that a RECORD gave and the schedule may not know of
        self._transfers: Dict[int, DriveCall] = {}  # what waits for those that are under way
        self._held: Dict[Key, Key] = {}             # what the slots hold, or held last
        self._action = 0                            # index of the last one that was met

    def _again(self, callbacks: Any) -> "Driver":
        """Another one for the same schedule, whose actions are not read again."""
        made = Driver.__new__(Driver)
        made.__dict__.update(self.__dict__)
        made._callbacks = {name: getattr(callbacks, name, None) for name in self._callbacks}
        made._begin_anew()
        return made

    # ---- Steps ----

    def forward(self, x0: Any) -> Any:
        """Begins a step and runs it as far as TURN. x0 is the driver's from here on. Returns the chain's output: to look at, until
        the next call."""
        self._enter("idle", "a step is paused at its TURN: it goes on with backward, or ends with cancel", x0)
        try:
            self._begin(x0)
            del x0
            self._run_to_turn()
            output = self._live[(1, self._count(), 0)]
            self._pause()
            return output
        except BaseException as error:
            self._end_badly(error)
            raise

    def backward(self, gn: Any) -> Any:
        """Runs the step that forward paused to its end. gn, the gradient of the chain's output or None, is the driver's from here
        on. Returns the gradient of x0, or None."""
        if gn is not None and self._state == "paused" and id(gn) in self._ids:
            raise InvalidArgumentError("gn is live already: another item of the step")
        self._enter("paused", "no step is paused at its TURN: forward comes first")
        try:
            self._give((3, self._count(), 0), gn)
            del gn
            return self._finish()
        except BaseException as error:
            self._end_badly(error)
            raise

    def run(self, x0: Any) -> Any:
        """Runs a whole step; the callback turn makes the gradient of the chain's output. Returns the gradient of x0, or None."""
        self._enter("idle", "a step is paused at its TURN: it goes on with backward, or ends with cancel", x0)
        try:
            self._begin(x0)
            del x0
            call = self._run_to_turn()
            grad = self._ask("turn", call, self._live[(1, self._count(), 0)])
            if grad is not None and id(grad) in self._ids:
                self._lied(call, f"GRAD({self._count()}) is an object that is live already")
            self._give((3, self._count(), 0), grad)
            grad = None
            return self._finish()
        except BaseException as error:
            self._end_badly(error)
            raise

    def finalize(self, layer_count: int) -> None:
        """Sets the number of steps of an open-ended schedule: within a callback, of the step that runs; else of the next one."""
        if layer_count < 1:
            raise InvalidArgumentError(f"layer_count is {layer_count}; at least 1")
        if not self._open_ended:
            raise InvalidStateError(f"the schedule has {self._layers} layers")
        if self._state == "idle":
            if self._next_layers is not None:
                raise InvalidStateError("the number of steps is known already")
            self._next_layers = layer_count
            return
        reader = self._reader
        if reader is None or reader.layers is not None:
            raise InvalidStateError("the number of steps is known already")
        reader.cursor.finalize(layer_count)
        reader.layers = layer_count

    def cancel(self) -> None:
        """Ends the step: one that runs raises CancelledError at its next action, one that is paused at TURN is over when this
        returns. Without a step it does nothing. Any thread, also a callback."""
        with self._guard:
            if self._state == "running":
                self._cancelled = True
            if self._state != "paused":
                return
            self._state = "running"
        try:
            self._unwind()
        finally:
            self._state = "idle"

    @property
    def failure(self) -> Optional[DriveFailure]:
        """Which call ended the last step that failed; None when the last step did not fail by a callback."""
        return self._failure

    def close(self) -> None:
        """Drops what a paused step holds."""
        self.cancel()

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_state", None) == "paused":
            self.close()

    # ---- Within a step ----

    def _enter(self, state: str, otherwise: str, x0: Any = ()) -> None:
        with self._guard:
            if self._state == "running":
                raise InvalidStateError("the driver runs a step, and this is within it")
            if self._state != state:
                raise InvalidStateError(otherwise)
            if x0 is None:
                raise InvalidArgumentError("x0 is None")
            if state == "idle":
                self._cancelled = False
                self._failure = None
            self._state = "running"

    def _begin(self, x0: Any) -> None:
        self._give((1, 0, 0), x0)
        if self._cached is not None:
            self._steps = iter(self._cached)
            return
        self._reader = reader = Reader(self._layers, Cursor(self._schedule))
        if self._next_layers is not None:
            reader.cursor.finalize(self._next_layers)
            reader.layers, self._next_layers = self._next_layers, None
        self._steps = reader.steps()

    def _run_to_turn(self) -> DriveCall:
        step = self._run(self._steps)
        if step[0] != TURN:
            self._refuse(step[1], "the step ends before its TURN")
        self._missing(step[1], (1, self._count(), 0))
        return step[1]

    def _count(self) -> int:
        layers = self._layers if self._reader is None else self._reader.layers
        return layers or 0

    def _pause(self) -> None:
        with self._guard:
            if self._cancelled:
                raise CancelledError("the step was cancelled")
            self._state = "paused"

    def _finish(self) -> Any:
        """From behind TURN to the end."""
        step = self._run(self._steps)
        if step[0] == TURN:
            self._refuse(step[1], "turns a second time")
        grad_key = (3, 0, 0)
        if self._transfers:
            self._refuse(step[1], f"transfer {next(iter(self._transfers))} was not awaited")
        if grad_key not in self._live:
            self._refuse(step[1], "layer 0 has not run backward")
        for key in reversed(list(self._live)):
            if key != grad_key and key not in self._unasked:
                self._refuse(step[1], f"{text_of(key)} is still there")
        for key in reversed(list(self._live)):
            if key != grad_key:
                self._drop(key)
        grad = self._live.pop(grad_key)
        self._ids.clear()
        self._forget()
        self._state = "idle"
        return grad

    def _forget(self) -> None:
        self._unasked.clear()
        self._steps, self._reader = iter(()), None

    def _end_badly(self, error: BaseException) -> None:
        try:
            self._unwind()
        finally:
            self._state = "idle"

    def _unwind(self) -> None:
        """Every copy that was begun is waited for, then everything goes, the newest first."""
        while self._transfers:
            _, call = self._transfers.popitem()
            try:
                self._callbacks["wait"](call)
            except BaseException:
                pass  # of a step that failed: not looked at
        while self._live:
            self._drop(next(reversed(self._live)))
        self._ids.clear()
        self._forget()

    def _drop(self, key: Key) -> None:
        item = self._live.pop(key)
        self._ids.discard(id(item))
        drop = self._callbacks["drop"]
        if drop is None or (item is None and key[0] != 0):
            return
        tier, slot = key[1:] if key[0] == 0 else (0, 0)
        kind, index, option = (self._held[key] if key[0] == 0 else key)[-3:]
        self._dropped(drop, DriveCall(ActionKind.DROP, DriveFlag(0), index, 0, option, 0, Item(kind), tier, slot, 0, self._action,
                                      self._count()), item)

    def _dropped(self, drop: Callable[..., Any], call: DriveCall, item: Any) -> None:
        try:
            drop(call, item)
        except Exception as error:
            self._report(error)

    def _report(self, error: Exception) -> None:
        """A drop cannot fail."""
        _Unraisable(error)

    def _give(self, key: Key, item: Any) -> None:
        """Makes it live; nothing is under its name, and it is not live already."""
        self._live[key] = item
        if item is not None:
            self._ids.add(id(item))

    def _ask(self, name: str, call: DriveCall, *arguments: Any) -> Any:
        method = self._callbacks[name]
        if method is None:
            self._lied(call, f"there is no callback {name}")
        try:
            return method(call, *arguments)
        except BaseException as error:
            self._failure = DriveFailure(call, error)
            raise

    def _lied(self, call: DriveCall, how: str) -> None:
        self._failure = DriveFailure(call, None)
        raise CallbackError(f"action {call.action} ({_text_of_call(call)}): {how}")

    def _refuse(self, call: Any, reason: str) -> None:
        raise InvalidScheduleError(f"action {call.action} ({call.kind}): {reason}")

    def _make_room(self, call: DriveCall, key: Key) -> None:
        if key not in self._unasked:
            self._refuse(call, f"{text_of(key)} is there already")
        self._unasked.discard(key)
        self._drop(key)

    def _missing(self, call: DriveCall, *keys: Key) -> None:
        for key in keys:
            if key not in self._live:
                self._refuse(call, f"{text_of(key)} is not there")

    def _wrong(self, call: DriveCall, key: Key, item: Any) -> None:
        if item is None:
            self._lied(call, f"gave no {text_of(key)}")
        other = next((name for name, live in self._live.items() if live is item), key)
        self._lied(call, f"gave the object of {text_of(other)}, which is live, for {text_of(key)}")

    def _run(self, steps: Iterable[Step]) -> Step:
        """As far as TURN or END. No local name keeps an object that a callback took."""
        live, ids, unasked = self._live, self._ids, self._unasked
        called = self._callbacks
        forward, record, backward, drop = called["forward"], called["record"], called["backward"], called["drop"]
        call: Any = None  # while a callback runs
        made: Any = None
        tape: Any = None
        grad: Any = None
        try:
            for step in steps:
                if self._cancelled:
                    raise CancelledError("the step was cancelled")
                kind = step[0]
                if kind == 3:  # DROP
                    _, what, key = step
                    if key not in live:
                        self._missing(what, key)
                    made = live.pop(key)
                    if made is not None:
                        ids.discard(id(made))
                        if unasked:
                            unasked.discard(key)
                        if drop is not None:
                            try:
                                drop(what, made)
                            except Exception as error:
                                self._report(error)
                        made = None
                    elif key[0] == 0 and drop is not None:  # what a slot holds
                        self._dropped(drop, what, None)
                elif kind == 2:  # BACKWARD
                    _, what, input_key, output_key, take_input, take_output, tape_key, grad_key, made_key = step
                    if grad_key not in live or tape_key not in live:
                        self._missing(what, grad_key, tape_key)
                    if made_key in live:
                        self._make_room(what, made_key)
                    if backward is None:
                        self._lied(what, "there is no callback backward")
                    tape, grad = live[tape_key], live[grad_key]
                    ids.discard(id(tape))
                    ids.discard(id(grad))
                    tape = grad = None
                    if take_input:
                        if input_key not in live:
                            self._missing(what, input_key)
                        ids.discard(id(live[input_key]))
                    if take_output:
                        if output_key not in live:
                            self._missing(what, output_key)
                        ids.discard(id(live[output_key]))
                    call = what
                    made = backward(what, live.pop(input_key) if take_input else live.get(input_key),
                                    live.pop(output_key) if take_output else live.get(output_key),
                                    live.pop(tape_key), live.pop(grad_key))
                    call = None
                    if made is not None:
                        if id(made) in ids:
                            self._wrong(what, made_key, made)
                        ids.add(id(made))
                    live[made_key] = made
                    made = None
                elif kind == 1:  # RECORD
                    _, what, input_key, output_key, take_input, tape_key, asked = step
                    if input_key not in live:
                        self._missing(what, input_key)
                    if tape_key in live:
                        self._make_room(what, tape_key)
                    if output_key in live and (asked or output_key in unasked):
                        self._make_room(what, output_key)
                    if record is None:
                        self._lied(what, "there is no callback record")
                    call = what
                    if take_input:
                        ids.discard(id(live[input_key]))
                        made = record(what, live.pop(input_key))
                    else:
                        made = record(what, live[input_key])
                    call = None
                    if type(made) is not tuple or len(made) != 2:
                        self._lied(what, f"gave {type(made).__name__}; a tuple of output and tape")
                    made, tape = made
                    # What is right is taken before anything is said of what is wrong.
                    lies = made is None if asked else False
                    if made is not None:
                        lies = id(made) in ids or made is tape
                        if not lies and (asked or output_key not in live):
                            live[output_key] = made
                            ids.add(id(made))
                            if not asked:
                                unasked.add(output_key)
                        elif not lies and drop is not None:  # is there already, and was not asked for
                            self._dropped(drop, what._replace(kind=ActionKind.DROP, flags=DriveFlag(0), first=what.last, last=0,
                                                              option=0, item=Item.INPUT), made)
                    if tape is not None:
                        if id(tape) in ids:
                            self._wrong(what, tape_key, tape)
                        ids.add(id(tape))
                    live[tape_key] = tape
                    tape = None
                    if lies:
                        self._wrong(what, output_key, made)
                    made = None
                elif kind == 0:  # FORWARD
                    _, what, input_key, output_key, take_input = step
                    if input_key not in live:
                        self._missing(what, input_key)
                    if output_key in live:
                        self._make_room(what, output_key)
                    if forward is None:
                        self._lied(what, "there is no callback forward")
                    call = what
                    if take_input:
                        ids.discard(id(live[input_key]))
                        made = forward(what, live.pop(input_key))
                    else:
                        made = forward(what, live[input_key])
                    call = None
                    if made is None or id(made) in ids:
                        self._wrong(what, output_key, made)
                    live[output_key] = made
                    ids.add(id(made))
                    made = None
                elif kind == TURN or kind == END:
                    return step
                else:
                    self._run_rare(step)
        except BaseException as error:
            if call is not None:
                self._failure = DriveFailure(call, error)
            raise
        finally:
            self._action = step[1].action
        raise InvalidScheduleError("the schedule has no END")

    def _run_rare(self, step: Step) -> None:
        """Steps of transfers."""
        kind, call = step[0], step[1]
        live = self._live
        if kind == REFUSE:
            self._refuse(call, step[2])
        if kind == HOLD:  # dropped while it is copied
            _, _, key, held = step
            self._missing(call, key)
            self._rename(key, held)
        elif kind == STORE:
            _, _, key, slot_key, wait = step
            self._missing(call, key)
            if self._callbacks["wait"] is None:
                self._lied(wait, "there is no callback wait")
            self._ask("store", call, live[key])
            self._transfers[call.transfer] = wait
            live[slot_key] = None
            self._held[slot_key] = key
        elif kind == LOAD:
            _, _, key, loading, wait = step
            if key in live:
                self._make_room(call, key)
            if self._callbacks["wait"] is None:
                self._lied(wait, "there is no callback wait")
            item = self._ask("load", call)
            self._transfers[call.transfer] = wait
            if item is None or id(item) in self._ids:
                self._wrong(call, key, item)
            self._give(loading, item)
        else:  # AWAIT
            _, _, key, loading = step
            del self._transfers[call.transfer]
            self._ask("wait", call)
            if loading is not None:
                if key in live:
                    self._make_room(call, key)
                self._rename(loading, key)

    def _rename(self, old: Key, new: Key) -> None:
        """Where it is among the live ones: they go in the order in which they came."""
        items = [(new if key == old else key, item) for key, item in self._live.items()]
        self._live.clear()
        self._live.update(items)


class _Unraisable:
    """An error that nobody catches goes to sys.unraisablehook when this goes."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __del__(self) -> None:
        raise self.error


def _text_of_call(call: DriveCall) -> str:
    """"FORWARD of layers [2, 5)", "DROP of TAPE(3, option 1)"."""
    if call.kind == ActionKind.TURN:
        return "TURN"
    if call.item:
        return f"{call.kind} of {text_of((int(call.item), call.first, call.option))}"
    if call.last == call.first + 1:
        return f"{call.kind} of layer {call.first}"
    return f"{call.kind} of layers [{call.first}, {call.last})"
