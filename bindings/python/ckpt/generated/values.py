# Generated from include/ckpt by tools/api: do not edit.
"""Enumerations and records. A number that a newer library has, and this file not, is a member without a name."""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Tuple

from .._root import ActionKindBase, DTypeBase, Members, OpenEnum

if TYPE_CHECKING:
    from .. import WorkerPool

_new: Any = tuple.__new__

__all__ = ["LogLevel", "MemoryOrder", "MemoryEventKind", "DType", "WritePath", "StrategyChosen", "StrategyList", "Item",
           "ActionKind", "LayerFlag", "ProfileFlag", "RecomputeCheck", "LearningRateKind", "ActivationPolicyKind", "PipelineOrder",
           "IntervalKind", "BestMetric", "Verify", "Conversion", "Policy", "ControllerEventKind", "Reason", "CheckpointTaskState",
           "CheckpointTaskKind", "CloseMode", "StagingMode", "WhenFull", "Priority", "CheckpointTaskList", "TreeKind", "TreeForm",
           "DriveFlag", "OperationFlag", "MemoryStats", "MemoryLayerStats", "MemoryAllocation", "MemoryScopeStats", "MemoryEvent",
           "MemorySystem", "BufferPoolStats", "StorageRange", "StrategyQuestion", "StrategyCounters", "StrategyInfo",
           "ScheduleAction", "LayerProfile", "OptionProfile", "TierProfile", "PlanReport", "FrontierPoint", "LayerOption",
           "LayerContext", "ScheduleExecutorStats", "ActivationMetadata", "PipelineStats", "PipelineInterval", "CheckpointInfo",
           "SaveResult", "LoadResult", "VerifyResult", "TensorInfo", "ThresholdInfo", "TaskObservation", "ControllerEvent",
           "ControllerInfo", "CheckpointTaskInfo", "AsyncManagerStats", "DriveCall", "ProgramBuffer", "ProgramOperation"]


class LogLevel(OpenEnum):
    """The severity of a log message.

    DEBUG: details for the development of the library
    INFO: actions and decisions of the library
    WARNING: something went wrong, and the library continues
    ERROR: something failed
    """

    DEBUG = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


_LogLevel: Members = Members(LogLevel)


class MemoryOrder(OpenEnum):
    """The order of layers in a snapshot.

    ID: layers in the order of their numbers, the lowest first
    CURRENT: layers in the order of their live bytes, the most first
    PEAK: layers in the order of their peaks, the highest first
    """

    ID = 0
    CURRENT = 1
    PEAK = 2


_MemoryOrder: Members = Members(MemoryOrder)


class MemoryEventKind(IntFlag):
    """Kind of an event of a memory tracker. A subscription is for a sum of kinds.

    ALLOCATED: an allocation of a layer was recorded
    FREED: an allocation was freed
    NEW_PEAK: the live total reached a new peak
    LIMIT_EXCEEDED: the live total rose above the limit, or a limit was set below it
    ALL: the sum of all kinds of events
    """

    ALLOCATED = 1
    FREED = 2
    NEW_PEAK = 4
    LIMIT_EXCEEDED = 8
    ALL = 15


_MemoryEventKind: Members = Members(MemoryEventKind)


class DType(DTypeBase):
    """An element type: one of DType, the 22 element types of the safetensors format. The numbers never change; 0 is not an element
    type. Storage, copies and exchange support all of them, arithmetic F32 and F64.

    F4: floating point of 4 bits: 2 exponent, 1 mantissa; two in a byte, the first in the low bits
    F6_E2M3: floating point of 6 bits: 2 exponent, 3 mantissa; packed: four in three bytes
    F6_E3M2: floating point of 6 bits: 3 exponent, 2 mantissa; packed: four in three bytes
    BOOL: truth value of one byte: 0 or 1
    U8: unsigned integer of 8 bits
    I8: signed integer of 8 bits
    F8_E5M2: floating point of 8 bits: 5 exponent, 2 mantissa
    F8_E4M3: floating point of 8 bits: 4 exponent, 3 mantissa, no infinities ("e4m3fn")
    F8_E8M0: floating point of 8 bits: exponent only, for scale factors
    F8_E4M3FNUZ: floating point of 8 bits: 4 exponent, 3 mantissa, no infinities, no negative zero
    F8_E5M2FNUZ: floating point of 8 bits: 5 exponent, 2 mantissa, no infinities, no negative zero
    I16: signed integer of 16 bits
    U16: unsigned integer of 16 bits
    F16: floating point of 16 bits: IEEE 754 binary16
    BF16: floating point of 16 bits: the upper half of an F32
    I32: signed integer of 32 bits
    U32: unsigned integer of 32 bits
    F32: floating point of 32 bits: IEEE 754 binary32
    I64: signed integer of 64 bits
    U64: unsigned integer of 64 bits
    F64: floating point of 64 bits: IEEE 754 binary64
    C64: complex number of 64 bits: two F32, real and imaginary
    """

    F4 = 1
    F6_E2M3 = 2
    F6_E3M2 = 3
    BOOL = 4
    U8 = 5
    I8 = 6
    F8_E5M2 = 7
    F8_E4M3 = 8
    F8_E8M0 = 9
    F8_E4M3FNUZ = 10
    F8_E5M2FNUZ = 11
    I16 = 12
    U16 = 13
    F16 = 14
    BF16 = 15
    I32 = 16
    U32 = 17
    F32 = 18
    I64 = 19
    U64 = 20
    F64 = 21
    C64 = 22


_DType: Members = Members(DType)


class WritePath(OpenEnum):
    """How large files are written. Each mode falls back to the next one if the system or the file does not support it.

    RING: large files bypass the page cache (O_DIRECT), with eight chunks of 4 MiB in flight by io_uring; falls back to
        WritePath.DIRECT if the system or the file does not support it
    DIRECT: large files bypass the page cache (O_DIRECT), one chunk after the other; falls back to WritePath.BUFFERED if the system
        or the file does not support it
    BUFFERED: large files are written through the page cache
    """

    RING = 0
    DIRECT = 1
    BUFFERED = 2


_WritePath: Members = Members(WritePath)


class StrategyChosen(OpenEnum):
    """The meaning of a strategy's yes for the layer.

    DEFAULT: the default of the kind of strategy: StrategyChosen.BOUNDARY for interval, StrategyChosen.RECOMPUTE for all others
    RECOMPUTE: a chosen layer keeps only its input and runs again in backward; all others are stored
    BOUNDARY: inputs of chosen layers are kept, and the layers between them are recomputed as one segment
    """

    DEFAULT = 0
    RECOMPUTE = 1
    BOUNDARY = 2


_StrategyChosen: Members = Members(StrategyChosen)


class StrategyList(OpenEnum):
    """A list of names, globs or rules of a strategy.

    NAMES: the names and globs of chosen layers
    EXCLUDED: the names and globs of excluded layers
    RULES: the rules of first
    """

    NAMES = 0
    EXCLUDED = 1
    RULES = 2


_StrategyList: Members = Members(StrategyList)


class Item(OpenEnum):
    """The kind of an item in memory. INPUT(i) and GRAD(i) have the bytes of x_i, TAPE(i, option) the layer's tape bytes under that
    option.

    NONE: no item
    INPUT: INPUT(i): x_i, i = 0 .. n; its bytes are those of x_i. INPUT(0) exists when a step begins; INPUT(n) is the chain's output
    TAPE: TAPE(i, option): the values that layer i recorded for its backward; its bytes are the layer's tape bytes under that option
    GRAD: GRAD(i): the gradient with respect to x_i; its bytes are those of x_i
    """

    NONE = 0
    INPUT = 1
    TAPE = 2
    GRAD = 3


_Item: Members = Members(Item)


class ActionKind(ActionKindBase):
    """Kind of an action. Memory changes only at actions, as each kind documents; nothing else is kept or dropped.

    FORWARD: runs layers first .. last-1 without recording, under one option; needs INPUT(first), creates INPUT(last), keeps nothing
        between
    FORWARD_TAPE: runs layers first .. last-1 and records: needs INPUT(first), creates TAPE(i, option) and INPUT(i+1) of each layer
        i
    BACKWARD: runs layers last-1 down to first backward: needs GRAD(i+1), TAPE(i, option), and INPUT(i) or INPUT(i+1) if the layer's
        flags require it; creates GRAD(i); ends GRAD(i+1) and TAPE(i, option). Exactly once for each layer and micro-batch
    STORE_BEGIN: begins to copy an item into (tier, slot), tier >= 1; the item may be dropped at once, but its bytes count until the
        AWAIT
    LOAD_BEGIN: begins to copy the item in (tier, slot) back to memory; its bytes count from here, it is usable after the AWAIT
    AWAIT: waits for a transfer of STORE_BEGIN or LOAD_BEGIN
    DROP: ends an item (tier 0), or the item in a slot of another tier
    SEND: sends a copy of an item to a neighbour stage of a pipeline; the item is kept until its DROP
    RECEIVE: receives an item from a neighbour stage. In the schedule of a pipeline's stage every micro-batch's INPUT arrives this
        way; the schedule of a whole chain has no SEND and RECEIVE
    TURN: ends the forward part: needs INPUT(n), passes it to the caller, creates GRAD(n); last stage only
    END: ends the step: only GRAD(0) may exist
    RECORD: runs one layer and records, only for its backward: needs INPUT(first), creates TAPE(first, option), and INPUT(last) only
        if the layer has the flag NEEDS_OUTPUT. last is first + 1. Runs the option's record (has_record); without one it runs
        forward, and an output that is not an item counts as workspace while it runs
    ADVANCE: runs layers first .. last-1 without recording, each in place: needs INPUT(first), which it ends, and creates
        INPUT(last) in the same buffer. While layer k runs, the buffer counts the larger of x_k and x_{k+1}. Not for an INPUT that a
        STORE_BEGIN is copying. slot names the buffer in schedules of adjoint codes, as for the result of their FORWARD; else it is
        0
    """

    FORWARD = 1
    FORWARD_TAPE = 2
    BACKWARD = 3
    STORE_BEGIN = 4
    LOAD_BEGIN = 5
    AWAIT = 6
    DROP = 7
    SEND = 8
    RECEIVE = 9
    TURN = 10
    END = 11
    RECORD = 12
    ADVANCE = 13


_ActionKind: Members = Members(ActionKind)


class LayerFlag(IntFlag):
    """Properties of a layer's backward and recomputation for planning: a sum of flags.

    NEEDS_INPUT: backward reads the layer's input
    NEEDS_OUTPUT: backward reads the layer's output
    DETERMINISTIC: recomputing forward produces the same bits; without this flag the layer is never recomputed
    NO_INPUT_GRADIENT: backward computes no gradient of the input: only for layer 0 of a chain, and for layers of a graph that read
        only value 0, with an input that has no gradient (tokens)
    IN_PLACE: forward may write its output over its input, and backward the gradient of its input over that of its output: an
        element-wise layer. After the first layer of a FORWARD, the layer writes its output into the buffer of its input, and its
        BACKWARD writes GRAD(i) into the buffer of GRAD(i+1); while the layer runs that buffer counts the larger of the two
    ADDS_GRADIENT: backward can add to an existing gradient of its input; without this flag it writes a second buffer, which is then
        added. Used in graphs, for a value that several layers read
    """

    NEEDS_INPUT = 1
    NEEDS_OUTPUT = 2
    DETERMINISTIC = 4
    NO_INPUT_GRADIENT = 8
    IN_PLACE = 16
    ADDS_GRADIENT = 32


_LayerFlag: Members = Members(LayerFlag)


class ProfileFlag(IntFlag):
    """Properties of a whole chain: a sum of flags.

    KEEPS_INPUT: the caller keeps INPUT(0) for the whole step: its DROP frees no bytes
    KEEPS_OUTPUT: the caller keeps INPUT(n) from its computation to the end of the step: its DROP frees no bytes
    OWN_ALLOCATOR: memory comes from an allocator of the caller, not from one arena: budgets limit live bytes, not reserved ones
    """

    KEEPS_INPUT = 1
    KEEPS_OUTPUT = 2
    OWN_ALLOCATOR = 4


_ProfileFlag: Members = Members(ProfileFlag)


class RecomputeCheck(OpenEnum):
    """The check of recomputed forwards in a step. Each level includes the checks of the lower ones.

    NONE: no check
    METADATA: the layer is asked again for element type and shape of its output, and for the bytes that its option needs; they must
        be as when the executor was created
    HASH: the output must have the hash (XXH3-128) of the first run's output; needs 16 bytes for each output that is recomputed
    BITWISE: the output must have the bits of the first run's output; needs memory outside of the arena for all outputs that are
        recomputed
    """

    NONE = 0
    METADATA = 1
    HASH = 2
    BITWISE = 3


_RecomputeCheck: Members = Members(RecomputeCheck)


class LearningRateKind(OpenEnum):
    """The decay of a learning rate after its warm-up.

    CONSTANT: stays at its peak
    LINEAR: decays linearly
    COSINE: decays along half a cosine. Source: Loshchilov, Hutter, "SGDR", arXiv:1608.03983
    """

    CONSTANT = 0
    LINEAR = 1
    COSINE = 2


_LearningRateKind: Members = Members(LearningRateKind)


class ActivationPolicyKind(OpenEnum):
    """The rule that selects the micro-batches with activations that are kept from forward to backward. The others are recomputed.

    STORE_ALL: the activations of all micro-batches are kept from forward to backward: most memory, fastest backward
    RECOMPUTE_ALL: no activations are kept, all are recomputed: least memory, slowest backward
    SELECTIVE: the activations of every interval-th micro-batch are kept, and always those of the first and the last
    MEMORY_BASED: activations of at most threshold_bytes in total are kept: if a store would exceed it, the oldest are dropped
        first; those of the first and the last micro-batch are kept regardless of their size, and any other that does not fit in the
        rest is not stored
    STRATEGY: activations with a yes from a strategy are kept; the question has the stage's name and the micro-batch. A memory-aware
        strategy, or a composite that contains one, is InvalidArgumentError, because under pressure it answers yes more often;
        not(memory-aware) is its inverse and allowed, also inside composites
    AUTOMATIC: selected by memory pressure when a step begins: below 0.5 store-all, below 0.7 selective with an interval of at least
        2, below 0.9 memory-based among those that selective would store, else recompute-all. Pressure is the tracker's live bytes
        divided by its limit, if it has one; else the process's resident bytes, without the arenas of a pipeline, divided by
        memory_limit_bytes. In each case an activation is only stored if it fits in the remainder of the limit, which the stages of
        a pipeline share equally: higher pressure never stores more. threshold_bytes of the policy in force is this bound. Each
        selection is logged (INFO)
    """

    STORE_ALL = 1
    RECOMPUTE_ALL = 2
    SELECTIVE = 3
    MEMORY_BASED = 4
    STRATEGY = 5
    AUTOMATIC = 6


_ActivationPolicyKind: Members = Members(ActivationPolicyKind)


class PipelineOrder(OpenEnum):
    """The order in which stages run the forward and backward parts of micro-batches. In each of them gradients are added in the
    order of micro-batches.

    GPIPE: all forwards, then all backwards. Source: Huang et al., "GPipe", arXiv:1811.06965
    ONE_F_ONE_B: after a warm-up alternately one forward, one backward: stage p of P holds at most P - p micro-batches. Source:
        Narayanan et al., "Memory-efficient pipeline-parallel DNN training" (PipeDream-flush), arXiv:2006.09503
    INTERLEAVED: 1F1B over several chunks per stage; micro_batches is a multiple of stages. Source: Narayanan et al., "Efficient
        large-scale language model training on GPU clusters using Megatron-LM", arXiv:2104.04473
    """

    GPIPE = 1
    ONE_F_ONE_B = 2
    INTERLEAVED = 3


_PipelineOrder: Members = Members(PipelineOrder)


class IntervalKind(OpenEnum):
    """The activity of a stage in an interval of a step.

    FORWARD: the stage runs a forward part
    RECOMPUTE: the stage runs a forward part again
    BACKWARD: the stage runs a backward part
    WAIT: the stage sends, or waits for a neighbour
    """

    FORWARD = 1
    RECOMPUTE = 2
    BACKWARD = 3
    WAIT = 4


_IntervalKind: Members = Members(IntervalKind)


class BestMetric(OpenEnum):
    """Which metric is the best.

    SMALLEST: the best metric is the smallest
    LARGEST: the best metric is the largest
    """

    SMALLEST = 0
    LARGEST = 1


_BestMetric: Members = Members(BestMetric)


class Verify(OpenEnum):
    """The level of checks on the bytes that are read.

    NONE: no checksums are checked; sizes, headers and manifest are still checked
    FULL: checks the checksum of every byte that is loaded
    LAZY: only for readers: checks the checksum of a tensor at the first access
    """

    NONE = 0
    FULL = 1
    LAZY = 2


_Verify: Members = Members(Verify)


class Conversion(OpenEnum):
    """Which element types a load converts.

    NONE: no conversion: the state's tensors must have the element types of the checkpoint
    LOSSLESS: elements are converted only to types that represent all their values: F16 and BF16 to F32 and F64, F32 to F64,
        integers to wider integers that include their range, and to F32 and F64 where these represent all of them
    LOSSY: any integers of 8 to 64 bits and floating-point numbers of 16 to 64 bits are converted to any others of these: rounded to
        the nearest, ties to even; to integers only from whole numbers. A value outside the range of the other type is an error
    """

    NONE = 0
    LOSSLESS = 1
    LOSSY = 2


_Conversion: Members = Members(Conversion)


class Policy(OpenEnum):
    """The policy by which a controller decides when to save.

    AUTO: a weighted combination of estimators of the failure rate; weights follow the cost that each would have had on every gap so
        far
    THRESHOLD: the threshold rule, applied to the last observed task; a commit consumes the slot
    EXPECTED_VALUE: the interval at which the expected loss and the cost of a checkpoint are equal, with the estimated failure rate
    YOUNG: Young's interval with a given mean time between failures and the measured cost
    DALY: Daly's interval with a given mean time between failures and the measured cost
    BAYES: Daly's interval for the mean of a Gamma posterior: prior 1 failure in 1 h
    WEIBULL: the interval for a Weibull distribution fitted to the last 512 gaps, at the age of the current gap
    FIXED: a fixed, given interval
    """

    AUTO = 0
    THRESHOLD = 1
    EXPECTED_VALUE = 2
    YOUNG = 3
    DALY = 4
    BAYES = 5
    WEIBULL = 6
    FIXED = 7


_Policy: Members = Members(Policy)


class ControllerEventKind(OpenEnum):
    """The kind of an event for Controller.record.

    RUN_BEGAN: a run begins: budgets and windows start again. InvalidStateError during a run
    RUN_RESUMED: this process continues the run that Controller.restore loaded. A run that was in progress there counts as failed,
        half an interval after its last event, but not later than now; record its recovery next. Without such a run: as
        ControllerEventKind.RUN_BEGAN. The time may be on another clock than in the previous process
    SAVE_BEGAN: a save starts: no other save is requested until it is committed or aborted. InvalidStateError while a save is in
        flight
    SAVE_COMMITTED: the save in flight is durable: uses stall_seconds and durable_seconds. InvalidStateError without a save in
        flight
    SAVE_ABORTED: the save in flight failed: it is not used as a measurement. InvalidStateError without a save in flight
    TASK_DONE: a task is done: uses name and duration_seconds, and not now_seconds; as Threshold.observe_task. The mean duration
        replaces ControllerOptions.poll_seconds if that is 0
    FAILURE: the machine failed: unsaved work is lost. The run continues
    RECOVERY: work continues after a failure: uses saved_seconds and overhead_seconds
    CLEAN_EXIT: the run ends without a failure: its last gap is censored, and the cost of saves that no recovery has accounted for
        counts as overhead without benefit
    PREEMPTION: the process will be terminated: uses left_seconds. A save is requested at once if earlier saves became durable
        within that time
    """

    RUN_BEGAN = 0
    RUN_RESUMED = 1
    SAVE_BEGAN = 2
    SAVE_COMMITTED = 3
    SAVE_ABORTED = 4
    TASK_DONE = 5
    FAILURE = 6
    RECOVERY = 7
    CLEAN_EXIT = 8
    PREEMPTION = 9


_ControllerEventKind: Members = Members(ControllerEventKind)


class Reason(OpenEnum):
    """The reason for a decision of a controller.

    NOT_DUE: no: no save is due yet
    DUE: yes: this poll is the nearest to the target
    FIRST_SAVE: yes: early, to measure the cost of a save
    TASK_IS_LONG: yes, by the threshold rule: the task is long enough
    TASK_IS_SHORT: no, by the threshold rule: the task is too short, or no slot is left
    SAVE_IN_FLIGHT: no: the previous save is not durable yet
    BUDGET_IS_SPENT: no: the budget of this window is spent
    PREEMPTION: yes: the process will be terminated
    PREEMPTION_SHORT: no: the process will be terminated before a save could be durable
    PREEMPTION_SAVED: no: the process will be terminated, and a save after the notice is durable
    """

    NOT_DUE = 0
    DUE = 1
    FIRST_SAVE = 2
    TASK_IS_LONG = 3
    TASK_IS_SHORT = 4
    SAVE_IN_FLIGHT = 5
    BUDGET_IS_SPENT = 6
    PREEMPTION = 7
    PREEMPTION_SHORT = 8
    PREEMPTION_SAVED = 9


_Reason: Members = Members(Reason)


class CheckpointTaskState(OpenEnum):
    """The state of a task, or how it ended. A task changes from QUEUED to RUNNING to one of the final states, or from QUEUED
    directly to a final state; a final state never changes.

    QUEUED: admitted; being copied, or waiting for a worker or its gate
    RUNNING: a worker has begun
    COMPLETED: a save is durable; a load has filled the state
    FAILED: an error stopped it
    CANCELLED: stopped on request
    REJECTED: refused because the queue was full, or dropped for a newer one
    """

    QUEUED = 0
    RUNNING = 1
    COMPLETED = 2
    FAILED = 3
    CANCELLED = 4
    REJECTED = 5


_CheckpointTaskState: Members = Members(CheckpointTaskState)


class CheckpointTaskKind(OpenEnum):
    """The operation of a task.

    SAVE: saves a state
    LOAD: loads a state
    """

    SAVE = 0
    LOAD = 1


_CheckpointTaskKind: Members = Members(CheckpointTaskKind)


class CloseMode(OpenEnum):
    """The treatment of unfinished tasks when a manager is closed.

    DRAIN: queued tasks are completed first
    CANCEL: queued and uncommitted tasks are cancelled
    DRAIN_UNREPORTED: queued tasks are completed first; a failure that the call returns does not count as reported, so the release
        of the manager reports it again. For the end of a scope that cannot raise an error
    """

    DRAIN = 0
    CANCEL = 1
    DRAIN_UNREPORTED = 2


_CloseMode: Members = Members(CloseMode)


class StagingMode(OpenEnum):
    """How the bytes of a save are staged.

    COPY: the tensors of a save are copied, by several threads, before the call returns: the save is then staged
    BORROW: the tensors of a save are never copied as a whole: no caller may write to them until the save is staged, shortly before
        it ends. If a write is detected, the save fails with InvalidStateError; in any case the checksums of a checkpoint match its
        bytes
    DEFERRED: the tensors of a save are copied in the background: no caller may write to them until the save is staged, after the
        copy
    """

    COPY = 0
    BORROW = 1
    DEFERRED = 2


_StagingMode: Members = Members(StagingMode)


class WhenFull(OpenEnum):
    """The treatment of a new task when the queue is full.

    REFUSE: fails with QueueFullError at once
    WAIT: waits for a place until the time-out expires, then fails with QueueFullError; waiting without a time-out opens all gates
    DROP_OLDEST: drops the oldest task that no worker has started, which ends CheckpointTaskState.REJECTED; fails with
        QueueFullError if there is none
    """

    REFUSE = 0
    WAIT = 1
    DROP_OLDEST = 2


_WhenFull: Members = Members(WhenFull)


class Priority(OpenEnum):
    """The order in which tasks start.

    LOW: starts after all tasks of a higher priority
    NORMAL: starts after tasks of high priority and before tasks of low priority
    HIGH: starts before all tasks of a lower priority
    """

    LOW = -1
    NORMAL = 0
    HIGH = 1


_Priority: Members = Members(Priority)


class CheckpointTaskList(OpenEnum):
    """A list of tasks.

    LIVE: the tasks that have not ended, the oldest first
    ENDED: the tasks that have ended and are in the history, in the order in which they ended
    """

    LIVE = 0
    ENDED = 1


_CheckpointTaskList: Members = Members(CheckpointTaskList)


class TreeKind(OpenEnum):
    """The kind of a node of a tree.

    NULL: no value
    BOOLEAN: truth value
    INTEGER: whole number of 64 bits with sign
    BIG_INTEGER: whole number beyond 64 bits, as text: "-0x1f..."
    NUMBER: floating-point number of 64 bits, also NaN (bit for bit) and infinities
    COMPLEX: complex number: real and imaginary part, 64 bits each
    TEXT: string in UTF-8; lone surrogates of other languages' strings take three bytes each
    BYTES: sequence of bytes
    BYTEARRAY: mutable sequence of bytes, in languages that have a separate type for it
    PATH: path of the writer's system, as text
    POSIX_PATH: path of a POSIX system, as text
    WINDOWS_PATH: path of Windows, as text
    LIST: container: parts follow
    TUPLE: container: parts follow; an immutable list
    DICT: container: keys follow, each before its value
    ORDERED_DICT: container: a dict in which the order is part of the value
    NAMED_TUPLE: container with a class's name: names of fields follow, each before its value
    DATACLASS: container with a class's name: names of fields follow, each before its value
    TENSOR: tensor of the group
    ATTRIBUTES: container of two parts: a value, and a dict of its attributes by name (format 2)
    """

    NULL = 0
    BOOLEAN = 1
    INTEGER = 2
    BIG_INTEGER = 3
    NUMBER = 4
    COMPLEX = 5
    TEXT = 6
    BYTES = 7
    BYTEARRAY = 8
    PATH = 9
    POSIX_PATH = 10
    WINDOWS_PATH = 11
    LIST = 12
    TUPLE = 13
    DICT = 14
    ORDERED_DICT = 15
    NAMED_TUPLE = 16
    DATACLASS = 17
    TENSOR = 18
    ATTRIBUTES = 19


_TreeKind: Members = Members(TreeKind)


class TreeForm(OpenEnum):
    """The type of a tensor of a tree in the writer's program.

    ARRAY: array of a numeric library (NumPy), or of the language
    SCALAR: scalar of a numeric library, without dimensions
    TORCH: tensor of PyTorch
    TENSOR: tensor of libckpt
    PARAMETER: torch.nn.Parameter; the attribute "requires_grad" is stored when it is false (format 2)
    """

    ARRAY = 0
    SCALAR = 1
    TORCH = 2
    TENSOR = 3
    PARAMETER = 4


_TreeForm: Members = Members(TreeForm)


class DriveFlag(IntFlag):
    """Flags of a call of the driver: a sum of flags.

    AGAIN: the layers ran before in this step: restore the ambient state (random numbers, statistics) of the start of their first
        run
    NO_OUTPUT: only the layer's backward reads its output: a layer with a backward that reads it returns it, other layers return
        none
    TAKE_INPUT: last use of the input: the callback owns the handle, also if it fails; an in-place step overwrites it
    TAKE_OUTPUT: last use of the output that a backward reads: the callback owns the handle, also if it fails
    """

    AGAIN = 1
    NO_OUTPUT = 2
    TAKE_INPUT = 4
    TAKE_OUTPUT = 8


_DriveFlag: Members = Members(DriveFlag)


class OperationFlag(IntFlag):
    """How an operation runs: a sum of flags.

    AGAIN: the layer ran before in this step: its ambient state is restored first, from the buffer ambient
    IN_PLACE: the result overwrites the operand: both buffers have the same offset
    """

    AGAIN = 1
    IN_PLACE = 2


_OperationFlag: Members = Members(OperationFlag)


class MemoryStats(NamedTuple):
    """The totals of a memory tracker at one moment.

    layer_count: number of layers
    current_bytes: bytes live now
    peak_bytes: highest live total, in bytes, since creation or reset of the statistics
    total_allocated_bytes: bytes of all allocations since creation or reset of the statistics
    total_freed_bytes: bytes freed since creation or reset of the statistics: total_allocated_bytes - current_bytes
    live_allocations: number of allocations live now
    allocations: number of allocations since creation or reset of the statistics
    frees: allocations - live_allocations: a free by layer counts each allocation that it frees
    average_bytes: current_bytes / live_allocations, rounded down; 0 when none is live
    not_found: recording calls refused for an unknown layer or allocation, double frees included
    refused: reservations refused by the limit
    handler_failures: event handlers that failed
    taken_at_ns: time of the snapshot, in nanoseconds on the tracker's clock
    sequence: number of allocations and frees since the tracker was created; a reset does not change it
    taken_utc_ns: time of the snapshot, in nanoseconds since 1970-01-01T00:00:00Z
    """

    layer_count: int
    current_bytes: int
    peak_bytes: int
    total_allocated_bytes: int
    total_freed_bytes: int
    live_allocations: int
    allocations: int
    frees: int
    average_bytes: int
    not_found: int
    refused: int
    handler_failures: int
    taken_at_ns: int
    sequence: int
    taken_utc_ns: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class MemoryLayerStats(NamedTuple):
    """The counts of one layer in a memory tracker.

    layer_id: number of the layer, 0 or more
    name: name of the layer
    current_bytes: bytes of the layer that are live now
    peak_bytes: highest number of live bytes of this layer alone, since creation or reset of the statistics
    total_allocated_bytes: bytes of all allocations of the layer since creation or reset of the statistics
    total_freed_bytes: bytes of the layer freed since creation or reset of the statistics
    live_allocations: number of allocations of the layer that are live now
    allocations: number of allocations of the layer since creation or reset of the statistics
    frees: number of allocations of the layer freed since creation or reset of the statistics
    largest_bytes: bytes of the layer's largest single allocation since creation or reset of the statistics
    average_bytes: total_allocated_bytes / allocations, rounded down; 0 when there was none
    last_allocated_at_ns: when the layer last allocated, in nanoseconds on the tracker's clock; 0 when allocations is 0, but a
        custom clock can also return 0
    last_freed_at_ns: when the layer last freed, in nanoseconds on the tracker's clock; 0 when frees is 0, but a custom clock can
        also return 0
    last_allocated_utc_ns: when the layer last allocated, in nanoseconds since 1970-01-01T00:00:00Z; 0: never
    last_freed_utc_ns: when the layer last freed, in nanoseconds since 1970-01-01T00:00:00Z; 0: never
    """

    layer_id: int
    name: str
    current_bytes: int
    peak_bytes: int
    total_allocated_bytes: int
    total_freed_bytes: int
    live_allocations: int
    allocations: int
    frees: int
    largest_bytes: int
    average_bytes: int
    last_allocated_at_ns: int
    last_freed_at_ns: int
    last_allocated_utc_ns: int
    last_freed_utc_ns: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class MemoryAllocation(NamedTuple):
    """One live allocation of a memory tracker.

    layer_id: number of the layer of the allocation
    allocation: id of the allocation, never 0
    bytes: size of the allocation in bytes
    age_ns: nanoseconds since the allocation was recorded, with the resolution of the tracker's clock
    sequence: position of its recording in the order of all allocations and frees: lower is older
    """

    layer_id: int
    allocation: int
    bytes: int
    age_ns: int
    sequence: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class MemoryScopeStats(NamedTuple):
    """The counts of a scope of a memory tracker since it was pushed, for all layers and threads.

    depth: number of open scopes around it
    scope: id of the scope
    start_bytes: bytes that were live when the scope was pushed
    peak_bytes: highest live total in bytes since the scope was pushed; the increase within the scope is peak_bytes - start_bytes
    net_bytes: bytes live now - start_bytes; may be negative
    total_allocated_bytes: bytes allocated since the scope was pushed, unaffected by resets of the statistics; at most 2**63 - 1
    pushed_at_ns: when the scope was pushed, in nanoseconds on the tracker's clock
    pushed_utc_ns: when the scope was pushed, in nanoseconds since 1970-01-01T00:00:00Z
    """

    depth: int
    scope: int
    start_bytes: int
    peak_bytes: int
    net_bytes: int
    total_allocated_bytes: int
    pushed_at_ns: int
    pushed_utc_ns: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class MemoryEvent(NamedTuple):
    """One event of a memory tracker, with the values right after it.

    kind: kind of the event
    sequence: position in the order of all allocations and frees; events of the same allocation or free share it and are delivered
        in the order of their kinds
    allocation: id of the allocation; 0 when a limit was set below the live total
    bytes: size of the allocation in bytes
    current_bytes: bytes live right after the event
    peak_bytes: highest live total in bytes right after the event
    limit_bytes: limit of the live total in bytes; 0: no limit
    occurred_at_ns: when it happened, in nanoseconds on the tracker's clock
    layer_name: name of the layer; empty when a limit was set below the live total
    layer_id: id of the layer; None when a limit was set below the live total
    occurred_utc_ns: when it was delivered to the subscriptions, in nanoseconds since 1970-01-01T00:00:00Z
    """

    kind: MemoryEventKind
    sequence: int
    allocation: int
    bytes: int
    current_bytes: int
    peak_bytes: int
    limit_bytes: int
    occurred_at_ns: int
    layer_name: str
    layer_id: Optional[int]
    occurred_utc_ns: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_MemoryEventKind[v[0]], *v[1:]))


class MemorySystem(NamedTuple):
    """Physical memory available to this process.

    total_bytes: physical memory of the machine in bytes, at most the limit of the process's control group
    available_bytes: bytes that can be allocated now without swapping, also within the control group's limit
    machine_bytes: physical memory of the machine in bytes
    limit_bytes: smallest control group limit in bytes that applies to this process; 0: none
    """

    total_bytes: int
    available_bytes: int
    machine_bytes: int
    limit_bytes: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class BufferPoolStats(NamedTuple):
    """Current contents and counters of a buffer pool.

    live_bytes: bytes that tensors use now, as the tracker counts them
    live_buffers: number of buffers that tensors use now; tensors without bytes need none
    retained_bytes: bytes kept for reuse
    retained_buffers: number of buffers kept for reuse
    reserved_bytes: bytes allocated from the system: live buffers, each rounded up to 64 bytes, and retained ones
    peak_reserved_bytes: the largest value of reserved_bytes since the pool was created
    taken: number of buffers that tensors took since the pool was created
    reused: number of those buffers that were reused, without allocating memory from the system
    """

    live_bytes: int
    live_buffers: int
    retained_bytes: int
    retained_buffers: int
    reserved_bytes: int
    peak_reserved_bytes: int
    taken: int
    reused: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class StorageRange(NamedTuple):
    """A range of a file, and the buffer for its bytes.

    offset: offset of the range in the file, in bytes, >= 0
    bytes: size of the range in bytes, >= 0
    """

    offset: int
    bytes: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class StrategyQuestion(NamedTuple):
    """A question to a strategy about one layer.

    dtype: element type of the layer's activation
    layer_name: name of the layer: UTF-8, not empty
    shape: lengths of the activation's dimensions
    bytes: size of the activation in bytes
    layer_index: index of the layer in its chain, from 0
    """

    dtype: DType
    layer_name: str
    shape: Tuple[int, ...]
    bytes: int
    layer_index: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_DType[v[0]], *v[1:]))


class StrategyCounters(NamedTuple):
    """Counters of a strategy since it was created or reset. Failed questions are not counted.

    asked_layers: number of layers about which it was asked
    chosen_layers: number of layers that were answered with yes
    chosen_bytes: bytes of the activations of these layers; at most 2**63 - 1
    """

    asked_layers: int
    chosen_layers: int
    chosen_bytes: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class StrategyInfo(NamedTuple):
    """The configuration of a strategy. Numbers that do not apply to its kind are 0.

    has_tracker: for memory-aware: True when it was created with a tracker, else False
    kind: kind of strategy: "interval", "selective", ..., "custom". A strategy of a registered kind has the kind of the strategy
        that its factory created
    interval: for interval: n, where every n-th layer is chosen; for memory-aware: the current n
    threshold_bytes: for size: activations of at least this many bytes are chosen
    max_share: for memory-aware: share of total memory above which more layers are chosen
    total_bytes: for memory-aware: total memory in bytes, as set, or the memory that the process may use
    large_factor: for smart: a layer with more than this many times the mean bytes is chosen
    rare_accesses: for smart: a layer accessed fewer times than this is chosen
    late_share: for smart: a layer with an index above this share of the number of known layers is chosen
    names_count: for selective: number of names and globs of chosen layers
    excluded_count: for selective, size and smart: number of names and globs of excluded layers
    rules_count: for first: number of rules
    children_count: for any, all, not and first: number of children
    has_clock: for memory-aware: True when it was created with a clock, else False
    has_total: for memory-aware: True when total_bytes was set, False when it was determined from the system
    """

    has_tracker: bool
    kind: str
    interval: int
    threshold_bytes: int
    max_share: float
    total_bytes: int
    large_factor: float
    rare_accesses: int
    late_share: float
    names_count: int
    excluded_count: int
    rules_count: int
    children_count: int
    has_clock: bool
    has_total: bool

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class ScheduleAction(NamedTuple):
    """One action of a schedule. Fields that a kind does not use are 0.

    kind: kind of action
    micro_batch: number of the micro-batch, from 0; 0 for a step of one batch
    first: first layer of the action; or the index i of the item
    last: one past the last layer of the action
    option: option of the layers; or of the item, for a TAPE
    item: kind of item of STORE_BEGIN, LOAD_BEGIN, DROP, SEND, RECEIVE
    tier: tier of the item: 0 memory; 1 .. 3 slower places
    slot: slot within the tier, >= 0; of FORWARD and ADVANCE: the buffer of the result, for code that runs the schedule
    transfer: id of a transfer from its STORE_BEGIN or LOAD_BEGIN to its AWAIT
    """

    kind: ActionKind
    micro_batch: int = 0
    first: int = 0
    last: int = 0
    option: int = 0
    item: Item = Item.NONE
    tier: int = 0
    slot: int = 0
    transfer: int = 0

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_ActionKind[v[0]], *v[1:5], _Item[v[5]], *v[6:]))


class LayerProfile(NamedTuple):
    """Properties of one layer for planning.

    flags: sum of LayerFlag; default LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC
    output_bytes: bytes of the layer's output, and of its gradient, >= 0
    ambient_bytes: bytes of the ambient state that is saved before the first forward and restored before a recomputation, >= 0
    dtype: element type of the layer's output, for strategies; None when not known
    shape: lengths of the dimensions of the layer's output, for strategies
    """

    flags: LayerFlag = LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC
    output_bytes: int = 0
    ambient_bytes: int = 0
    dtype: Optional[DType] = None
    shape: Tuple[int, ...] = ()

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_LayerFlag[v[0]], *v[1:3], _DType[v[3]], *v[4:]))


class OptionProfile(NamedTuple):
    """Properties of one option (way to run a layer) for planning. Most layers have one.

    tape_bytes: bytes that the layer records for its backward, >= 0
    forward_workspace_bytes: bytes needed while forward runs, with or without tape, >= 0
    backward_workspace_bytes: bytes needed while backward runs, >= 0
    forward_seconds: duration of one forward in seconds, >= 0
    backward_seconds: duration of one backward in seconds, >= 0
    record_workspace_bytes: bytes needed while RECORD runs, >= 0; ignored without has_record
    record_seconds: duration of one RECORD in seconds, >= 0; ignored without has_record
    has_record: True: the layer can record without computing its output, with record_workspace_bytes and record_seconds; False:
        RECORD runs forward
    backward_peak_bytes: maximum bytes of a backward while it runs, without the layer's input: its tape, both gradients, the output
        if it is read, and workspace, >= 0; 0: not known, their sum. For programs with a separate allocator: planners and the
        verifier use it; arena and program use the sum
    """

    tape_bytes: int = 0
    forward_workspace_bytes: int = 0
    backward_workspace_bytes: int = 0
    forward_seconds: float = 0.0
    backward_seconds: float = 0.0
    record_workspace_bytes: int = 0
    record_seconds: float = 0.0
    has_record: bool = False
    backward_peak_bytes: int = 0

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class TierProfile(NamedTuple):
    """Properties of a tier, a place that is slower than memory, for planning.

    capacity_bytes: capacity of the tier in bytes, >= 0; 0: no limit
    write_bytes_per_second: rate of a STORE_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time
    read_bytes_per_second: rate of a LOAD_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time
    latency_seconds: duration of a copy of no bytes in seconds, >= 0
    """

    capacity_bytes: int = 0
    write_bytes_per_second: float = 0.0
    read_bytes_per_second: float = 0.0
    latency_seconds: float = 0.0

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class PlanReport(NamedTuple):
    """The exact memory and time of a schedule on a chain.

    actions: number of actions, END included
    forwards: number of layer forwards (each RECORD is one), recomputed ones included
    recomputed_forwards: number of layer forwards beyond the first of each layer
    step_seconds: duration of the step in seconds: the sum of forwards, records, backwards and waits of AWAITs
    recomputed_seconds: duration of the recomputed forwards in seconds, from forward_seconds or record_seconds
    peak_action: index of the first action with the peak of tier 0
    peak_bytes: peak live bytes of each tier; tier 0 counts items, workspace and ambient state
    wait_seconds: duration of the waits of AWAITs in seconds; included in step_seconds
    peak_items: maximum number of items (INPUT, TAPE, GRAD) in each tier, x_0 included
    peak_inputs: maximum number of INPUTs in each tier, x_0 included: the states that an adjoint code keeps
    stored_bytes: bytes that were copied into each tier; 0 for tier 0
    loaded_bytes: bytes that were copied back from each tier; 0 for tier 0
    """

    actions: int
    forwards: int
    recomputed_forwards: int
    step_seconds: float
    recomputed_seconds: float
    peak_action: int
    peak_bytes: Tuple[int, ...]
    wait_seconds: float
    peak_items: Tuple[int, ...]
    peak_inputs: Tuple[int, ...]
    stored_bytes: Tuple[int, ...]
    loaded_bytes: Tuple[int, ...]

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class FrontierPoint(NamedTuple):
    """Memory and time of one schedule of a planner's frontier: no other schedule of the planner takes less time within its live
    bytes.

    live_bytes: peak live bytes of tier 0
    reserved_bytes: size of the arena that holds all buffers, in bytes
    recomputed_forwards: number of layer forwards beyond the first of each layer
    step_seconds: duration of the step in seconds
    recomputed_seconds: duration of the recomputed forwards in seconds
    lost_seconds: upper bound, in seconds, by which the optimum may be shorter, if it did not fit in the planner's tables
    """

    live_bytes: int
    reserved_bytes: int
    recomputed_forwards: int
    step_seconds: float
    recomputed_seconds: float
    lost_seconds: float

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class LayerOption(NamedTuple):
    """Memory that a custom layer needs for one of its options.

    tape_bytes: bytes that the layer records for its backward, >= 0
    forward_workspace_bytes: bytes that the layer needs while forward runs, >= 0
    backward_workspace_bytes: bytes that the layer needs while backward runs, >= 0
    """

    tape_bytes: int = 0
    forward_workspace_bytes: int = 0
    backward_workspace_bytes: int = 0

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class LayerContext(NamedTuple):
    """The context of one run of a layer.

    option: option of the layer that is run, from 0
    micro_batch: number of the micro-batch, from 0
    recomputation: True when this forward is a recomputation in the step, else False
    layer: global number of the layer: the same in every split of the chain
    step: number of the step, >= 0
    seed: seed of the step's random numbers
    first_sample: global number of the batch's first sample within the step, >= 0
    input: element type and shape of the layer's input
    output: element type and shape of the layer's output
    targets: targets of the step, of the micro-batch's samples; None when the step has none
    pool: threads that the step's layers share; None when only the running thread is used
    evaluation: True in ScheduleExecutor.evaluate, without dropout; False in a step
    """

    option: int
    micro_batch: int
    recomputation: bool
    layer: int
    step: int
    seed: int
    first_sample: int
    input: Tuple[int, Tuple[int, ...]]
    output: Tuple[int, Tuple[int, ...]]
    targets: Any
    pool: Optional[WorkerPool]
    evaluation: bool

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class ScheduleExecutorStats(NamedTuple):
    """Measurements of an executor since it was created.

    steps: number of successful steps
    forwards: number of layer forwards, recomputed ones included
    recomputed_forwards: number of layer forwards beyond the first of each layer in a step
    live_bytes: bytes that are live now; 0 between steps
    peak_live_bytes: maximum number of live bytes: equals the verifier's peak of tier 0 to the byte
    reserved_bytes: bytes of the arena that the executor reserved when it was created
    run_ns: duration of all steps in nanoseconds
    transfer_wait_ns: duration in nanoseconds that steps waited for copies through the storages of tiers; part of run_ns
    stored_bytes: bytes that were copied into each tier; 0 for tier 0
    loaded_bytes: bytes that were copied back from each tier; 0 for tier 0
    """

    steps: int
    forwards: int
    recomputed_forwards: int
    live_bytes: int
    peak_live_bytes: int
    reserved_bytes: int
    run_ns: int
    transfer_wait_ns: int
    stored_bytes: Tuple[int, ...]
    loaded_bytes: Tuple[int, ...]

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class ActivationPolicy(NamedTuple):
    """A rule that selects the micro-batches with activations that are kept from forward to backward. The others are recomputed.

    kind: kind of policy: one of ActivationPolicyKind; default ActivationPolicyKind.STORE_ALL
    interval: for selective: n, where every n-th micro-batch is stored, >= 0; 0 stores all, like 1; default 1
    threshold_bytes: for memory-based, also if automatic selects it: maximum bytes of stored activations, >= 0; default 1 GiB
    strategy: for ActivationPolicyKind.STRATEGY: the strategy that is asked; kept alive; ignored by other kinds
    memory_limit_bytes: for automatic: total memory in bytes, >= 0; 0: the memory that this process may use, which is physical
        memory or its control group's limit
    """

    kind: ActivationPolicyKind = ActivationPolicyKind.STORE_ALL
    interval: int = 1
    threshold_bytes: int = 1073741824
    strategy: Any = None
    memory_limit_bytes: int = 0

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_ActivationPolicyKind[v[0]], *v[1:]))


class ActivationMetadata(NamedTuple):
    """Information about one stored activation.

    micro_batch: number of the micro-batch, from 0
    dtype: element type of the activation
    shape: lengths of the activation's dimensions
    bytes: size of the activation in bytes
    hits: number of reads since it was stored
    stored_at_ns: when it was stored, in nanoseconds on the manager's clock
    stored_utc_ns: when it was stored, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock
    """

    micro_batch: int
    dtype: DType
    shape: Tuple[int, ...]
    bytes: int
    hits: int
    stored_at_ns: int
    stored_utc_ns: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (*v[0:1], _DType[v[1]], *v[2:]))


class PipelineStats(NamedTuple):
    """Measurements of a stage of a pipeline since the pipeline was created.

    in_flight: maximum number of micro-batches between forward and backward (of chunk 0)
    first_layer: global number of the stage's first layer (of chunk 0)
    layers: number of layers of all chunks of the stage
    steps: number of successful steps
    forwards: number of layer forwards, recomputed ones included
    recomputed_forwards: number of layer forwards beyond the first of each layer and micro-batch in a step
    kept_micro_batches: number of micro-batches with tapes that were kept from forward to backward
    recomputed_micro_batches: number of micro-batches with tapes that were recomputed
    peak_live_bytes: maximum number of live bytes: equals the verifier's peak of the whole step to the byte
    reserved_bytes: bytes of the stage's arena
    queue_bytes: bytes reserved by the queues to and from the next stage, in addition to the arena
    busy_ns: nanoseconds for which the stage computed, without waits, in the last step
    """

    in_flight: int
    first_layer: int
    layers: int
    steps: int
    forwards: int
    recomputed_forwards: int
    kept_micro_batches: int
    recomputed_micro_batches: int
    peak_live_bytes: int
    reserved_bytes: int
    queue_bytes: int
    busy_ns: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class PipelineInterval(NamedTuple):
    """The activity of a stage of a pipeline in one interval of a step.

    kind: activity of the stage
    stage: number of the stage, from 0
    chunk: number of the chunk of the stage, from 0
    micro_batch: number of the micro-batch, from 0
    begin_at_ns: begin of the interval, in nanoseconds since the step began
    end_at_ns: end of the interval, in nanoseconds since the step began
    """

    kind: IntervalKind
    stage: int
    chunk: int
    micro_batch: int
    begin_at_ns: int
    end_at_ns: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_IntervalKind[v[0]], *v[1:]))


class CheckpointInfo(NamedTuple):
    """Information about one checkpoint, without reading its files.

    status: 0: manifest and file sizes are valid (checksums of files are not checked); NotFoundError: no manifest, so the save is in
        progress or was interrupted; CorruptError: damaged; others: the error that prevented reading it
    step: number of the step that was saved
    commit_sequence: sequence number of the save in its storage; 0 unless status is 0
    bytes: bytes of the files, the manifest not counted; 0 unless status is 0
    name: name of the checkpoint: its directory in the storage
    metric: metric of the save; None when there is none
    saved_utc_ns: time of the save, in nanoseconds since 1970-01-01T00:00:00Z; 0 when an earlier version wrote it, or status is not
        0
    pinned: True when retention does not remove the checkpoint (CheckpointManager.pin), else False
    world_size: number of ranks that saved it; 0 unless status is 0
    generation: generation of its line, which increases with each roll-back; 0 in a storage without roll-backs
    abandoned: True when a later run went back to an earlier step: only loads by name or step select the checkpoint, and retention
        removes it first, else False
    record_damaged: True when, on an object store, its commit record is damaged, and only the digest in the record shows that it
        belongs to this checkpoint, else False. Loads use the checkpoint and count the record in skipped
    """

    status: int
    step: int
    commit_sequence: int
    bytes: int
    name: str
    metric: Optional[float]
    saved_utc_ns: int
    pinned: bool
    world_size: int
    generation: int
    abandoned: bool
    record_damaged: bool

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class SaveResult(NamedTuple):
    """Result of one save.

    files: number of files of the checkpoint, the manifest not counted
    step: number of the step that was saved
    commit_sequence: sequence number of the save, which increases with every save in this storage
    bytes: bytes of the files, the manifest not counted
    name: name of the checkpoint: its directory in the storage
    linked: number of files that were linked or copied because they had not changed
    rank_bytes: bytes of the files that this rank wrote; equal to bytes for a single process
    generation: generation of the checkpoint's line, which increases with each roll-back; 0 in a storage without roll-backs
    rolled_back: True when the generation begins with this save: the run went back to an earlier step, or a new run began in an
        existing storage, and the checkpoints that are not on its line are abandoned, else False
    metric_ignored: True when the metric was not finite, so that the checkpoint has none, else False
    unreported_failures: number of background tasks of this storage that failed in this process with a failure that no caller
        received before the release of their manager. Set by the first save of the storage that completes afterwards; else 0
    unreported_status: status of the oldest of the unreported failures; 0 when there are none
    unreported_error: the oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are none
    """

    files: int
    step: int
    commit_sequence: int
    bytes: int
    name: str
    linked: int
    rank_bytes: int
    generation: int
    rolled_back: bool
    metric_ignored: bool
    unreported_failures: int
    unreported_status: int
    unreported_error: str

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class LoadResult(NamedTuple):
    """Result of one load.

    environment_differs: True when environment_json was set and differs from the checkpoint's, or the library's version or the BLAS
        in use differs. The log names the difference; results may differ in their last bits. If no BLAS is in use yet, its first use
        logs a warning
    step: number of the step that was loaded
    commit_sequence: sequence number of the save in its storage
    seed: seed of the run's random numbers, as saved
    bytes: bytes of the files, the manifest not counted
    skipped: number of newer checkpoints that could not be used, plus, on an object store, 1 for a damaged commit record of the
        checkpoint that was loaded; the load report lists them. A directory without a manifest is not a checkpoint and does not
        count
    name: name of the checkpoint: its directory in the storage; truncated if it is longer (possible only for a load by name)
    missing: number of tensors of the state that the checkpoint lacks; 0 unless the load was partial
    unexpected: number of tensors of the checkpoint that the state lacks; 0 unless the load was partial
    partly_filled: True after a load that failed after it had begun to write the tensors, so that some of them hold parts of the
        checkpoint: a load in place, or a load with a file that changed between its check and its copy. 0 after a successful load
    world_size: number of ranks that saved the checkpoint
    """

    environment_differs: bool
    step: int
    commit_sequence: int
    seed: int
    bytes: int
    skipped: int
    name: str
    missing: int
    unexpected: int
    partly_filled: bool
    world_size: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class VerifyResult(NamedTuple):
    """Result of a verification.

    files: number of files that were checked completely, the manifest not counted
    tensors: number of tensors in the files that were checked
    bytes: bytes of the files that were checked
    name: name of the checkpoint: its directory in the storage, truncated if it is longer
    """

    files: int
    tensors: int
    bytes: int
    name: str

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class TensorInfo(NamedTuple):
    """Information about one tensor in a file.

    dtype: element type
    name: name of the tensor: UTF-8; may be empty
    shape: lengths of the dimensions; () for 0 dimensions
    bytes: size of the tensor in bytes
    offset: offset of its first byte in the file, in bytes; 0 if it consists of blocks in several files
    group: group of the checkpoint that the tensor is in; empty for files without groups
    """

    dtype: DType
    name: str
    shape: Tuple[int, ...]
    bytes: int
    offset: int
    group: str

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_DType[v[0]], *v[1:]))


class ThresholdInfo(NamedTuple):
    """The state of a threshold rule.

    threshold: current threshold: a share of the longest task, 0.05 .. 1
    longest_seconds: duration of the longest task observed, in seconds
    budget: number of checkpoints of a run
    used: number of checkpoints used in this run
    tasks: number of stored tasks: at most the last 256
    """

    threshold: float
    longest_seconds: float
    budget: int
    used: int
    tasks: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class TaskObservation(NamedTuple):
    """One observed task.

    checkpointed: True when a checkpoint followed it, else False
    duration_seconds: duration of the task in seconds
    failed: True when it failed, or a failure occurred while it was the last task, else False
    name: name of the task: UTF-8, not blank
    """

    checkpointed: bool
    duration_seconds: float
    failed: bool
    name: str

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class ControllerEvent(NamedTuple):
    """An event of a run. Each kind uses the fields that its comment names, and now_seconds.

    kind: kind of the event
    now_seconds: time of the event in seconds, on the caller's clock
    name: name of the task: UTF-8, not blank, at most 95 bytes
    duration_seconds: duration of the task in seconds: finite, >= 0
    stall_seconds: seconds for which work was stopped for the save: the cost of the save
    durable_seconds: seconds from the begin of the save until it was durable; used after preemption notices
    saved_seconds: seconds of work that need not be repeated because of the loaded checkpoint
    overhead_seconds: cost of the loaded checkpoint in seconds
    left_seconds: seconds until the process is terminated
    """

    kind: ControllerEventKind = ControllerEventKind.RUN_BEGAN
    now_seconds: float = 0
    name: Optional[str] = None
    duration_seconds: float = 0
    stall_seconds: float = 0
    durable_seconds: float = 0
    saved_seconds: float = 0
    overhead_seconds: float = 0
    left_seconds: float = 0

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_ControllerEventKind[v[0]], *v[1:]))


class Decision(NamedTuple):
    """A controller's decision whether to save now.

    checkpoint: True: save now; False: do not
    reason: reason for the decision
    policy: the policy that decided
    interval_seconds: current target interval between saves, in seconds; 0 for Policy.THRESHOLD
    risk: probability of a failure within the target interval, 0 .. 1
    cost_seconds: cost of a save in seconds: measured, set, or assumed (60 s)
    since_last_seconds: seconds since the last save, or since work began
    due_seconds: when the next save is due, in seconds on the caller's clock; 0 for Policy.THRESHOLD
    """

    checkpoint: bool
    reason: Reason
    policy: Policy
    interval_seconds: float
    risk: float
    cost_seconds: float
    since_last_seconds: float
    due_seconds: float

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (*v[0:1], _Reason[v[1]], _Policy[v[2]], *v[3:]))


class ControllerInfo(NamedTuple):
    """The state of a controller.

    running: True while a run is in progress, else False
    save_in_flight: True while a save has begun and is neither committed nor aborted, else False
    failures: number of failures recorded
    saves: number of saves committed
    cost_seconds: mean stall of the last eight saves in seconds; 0 when there was none
    durable_seconds: mean time in seconds until the last eight saves were durable; 0 when there was none
    unjudged_overhead_seconds: cost in seconds of saves that no recovery or clean exit has accounted for yet
    last_seen_seconds: time of the last recorded event, in seconds on the caller's clock
    mtbf_seconds: mean time between failures in seconds at last_seen_seconds, as the policy estimates it: 1 / failure rate
    threshold: current threshold of the threshold rule: a share of the longest task
    threshold_used: number of slots of this run that the threshold rule has used
    tasks: number of stored tasks
    """

    running: bool
    save_in_flight: bool
    failures: int
    saves: int
    cost_seconds: float
    durable_seconds: float
    unjudged_overhead_seconds: float
    last_seen_seconds: float
    mtbf_seconds: float
    threshold: float
    threshold_used: int
    tasks: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class CheckpointTaskResult(NamedTuple):
    """How a background task ended.

    state: final state of the task: CheckpointTaskState.COMPLETED, CheckpointTaskState.FAILED, CheckpointTaskState.CANCELLED or
        CheckpointTaskState.REJECTED
    status: 0 when completed, CancelledError when cancelled, QueueFullError when rejected, else the error
    kind: kind of task: CheckpointTaskKind.SAVE or CheckpointTaskKind.LOAD
    id: id of the task
    step: number of the step: of a save, in any final state; of the checkpoint that a load loaded, 0 unless completed
    bytes: bytes of the files that are durable, or that were loaded; 0 unless completed
    retries: number of operations that the manager's fault handler retried, and of files that were written again
    duration_ns: nanoseconds from the start of the task by a worker to its end; 0 when none started it
    stall_ns: nanoseconds for which the call that created the task blocked its caller: admission and staging
    durable_ns: nanoseconds from the call that created the task until it was durable (loaded); 0 unless completed
    name: name of the checkpoint: its directory in the storage; empty unless completed
    error: reason why the task did not complete: one line of UTF-8, truncated at a character boundary; empty when completed
    generation: generation of a save's line, which increases with each roll-back; 0 in a storage without roll-backs, and when
        rejected
    rolled_back: True when the generation began with this save, which was accepted although its step does not exceed the newest
        step, else False
    metric_ignored: True when the metric of a save was not finite, so that the checkpoint has none, else False
    unreported_failures: number of failures of earlier background tasks of the storage that no caller has received (see SaveResult);
        of a save that completed, else 0
    unreported_status: status of the oldest of the unreported failures; 0 when there are none
    unreported_error: the oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when there
        are none
    """

    state: CheckpointTaskState
    status: int
    kind: CheckpointTaskKind
    id: int
    step: int
    bytes: int
    retries: int
    duration_ns: int
    stall_ns: int
    durable_ns: int
    name: str
    error: str
    generation: int
    rolled_back: bool
    metric_ignored: bool
    unreported_failures: int
    unreported_status: int
    unreported_error: str

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_CheckpointTaskState[v[0]], *v[1:2], _CheckpointTaskKind[v[2]], *v[3:]))


class CheckpointTaskInfo(NamedTuple):
    """Information about one background task.

    kind: kind of task: CheckpointTaskKind.SAVE or CheckpointTaskKind.LOAD
    state: state of the task: CheckpointTaskState.QUEUED, CheckpointTaskState.RUNNING or its final state
    staged: True when the tensors of a save may be written, else False
    id: id of the task
    step: number of the step to be saved; 0 for a load
    done_bytes: bytes written (by a load: read) so far
    total_bytes: total bytes of tensors and headers to be written or read; 0 until a load has determined it
    queued_at_ns: when it was queued, in nanoseconds on the system's monotonic clock
    started_at_ns: when a worker started it, in nanoseconds on the system's monotonic clock; 0 when none has
    ended_at_ns: when it ended, in nanoseconds on the system's monotonic clock; 0 when it has not ended
    queued_utc_ns: when it was queued, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock, for display; that clock may
        be set at any time, so compute differences from the monotonic times
    started_utc_ns: when a worker started it, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock, for display; 0 when
        none has
    ended_utc_ns: when it ended, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock, for display; 0 when it has not
        ended
    """

    kind: CheckpointTaskKind
    state: CheckpointTaskState
    staged: bool
    id: int
    step: int
    done_bytes: int
    total_bytes: int
    queued_at_ns: int
    started_at_ns: int
    ended_at_ns: int
    queued_utc_ns: int
    started_utc_ns: int
    ended_utc_ns: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_CheckpointTaskKind[v[0]], _CheckpointTaskState[v[1]], *v[2:]))


class AsyncManagerStats(NamedTuple):
    """Counters and current state of a manager of background tasks.

    live_tasks: number of tasks that have not ended
    running_tasks: number of tasks that a worker has started and that have not ended
    completed_tasks: number of tasks that completed since the manager was created
    failed_tasks: number of tasks that failed since the manager was created
    cancelled_tasks: number of tasks that were cancelled since the manager was created
    rejected_tasks: number of tasks that were rejected since the manager was created
    in_flight_bytes: bytes of saves that have not ended and are not written yet
    written_bytes: bytes written by all tasks
    staging_bytes: bytes of memory that was allocated for copies
    stall_ns: nanoseconds for which callers were blocked, in total
    last_stall_ns: nanoseconds for which the last staged save blocked its caller
    unreported_failures: number of failed tasks that no caller has seen and that were not reported
    unreported_status: status of the oldest of the unreported failures; 0 when there are none
    unreported_error: the oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when there
        are none
    """

    live_tasks: int
    running_tasks: int
    completed_tasks: int
    failed_tasks: int
    cancelled_tasks: int
    rejected_tasks: int
    in_flight_bytes: int
    written_bytes: int
    staging_bytes: int
    stall_ns: int
    last_stall_ns: int
    unreported_failures: int
    unreported_status: int
    unreported_error: str

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class DriveCall(NamedTuple):
    """One call of the driver: the operation to do. Fields that a kind does not use are 0.

    kind: the operation: FORWARD, RECORD, BACKWARD, TURN, STORE_BEGIN, LOAD_BEGIN, AWAIT or DROP of ActionKind
    flags: sum of DriveFlag
    first: first layer of the call; or the index i of the item
    last: one past the last layer of the call
    option: option of the layers; or of the item, for a TAPE
    micro_batch: number of the micro-batch: 0
    item: kind of item of STORE_BEGIN, LOAD_BEGIN, AWAIT and DROP
    tier: tier of the item: 0 memory; 1 .. 3 slower places
    slot: place within the tier, >= 0; of FORWARD: the buffer of the result, as the schedule's action names it
    transfer: id of the transfer, from its STORE_BEGIN or LOAD_BEGIN to its AWAIT
    action: index of the schedule's action that causes the call, from 0
    layers: number of layers of the chain; 0 while it is unknown in an open-ended schedule
    """

    kind: ActionKind
    flags: DriveFlag
    first: int
    last: int
    option: int
    micro_batch: int
    item: Item
    tier: int
    slot: int
    transfer: int
    action: int
    layers: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_ActionKind[v[0]], _DriveFlag[v[1]], *v[2:6], _Item[v[6]], *v[7:]))


class ProgramBuffer(NamedTuple):
    """A buffer, and the operations between which it is live.

    bytes: number of bytes, >= 0
    offset: offset in its tier's arena in bytes, a multiple of 64; negative for a buffer of 0 bytes
    first: index of the operation that writes it first; negative for x_0, which exists from the start
    last: index of the last operation that uses it; the number of operations for GRAD(0), which outlives the step
    index: index i of INPUT(i) and GRAD(i); else the layer
    item: item that it holds: one of Item; NONE for workspace and ambient state
    tier: tier of its arena: 0 memory; 1 .. 3 slower places
    option: option of the layer, for a TAPE
    micro_batch: number of the micro-batch, from 0
    slot: slot within the tier, for a tier above 0
    """

    bytes: int
    offset: int
    first: int
    last: int
    index: int
    item: Item
    tier: int
    option: int
    micro_batch: int
    slot: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (*v[0:5], _Item[v[5]], *v[6:]))


class ProgramOperation(NamedTuple):
    """One operation. Buffers are indices into the list of buffers; -1 for none.

    kind: kind of operation: ActionKind.FORWARD, _FORWARD_TAPE (with output), _RECORD, _BACKWARD, _TURN, _SEND, _RECEIVE,
        _STORE_BEGIN, _LOAD_BEGIN or _AWAIT
    flags: sum of OperationFlag
    layer: layer that runs; or the index of the item that is moved
    option: option of the layer that runs; or of a TAPE that is moved
    micro_batch: number of the micro-batch, from 0
    stream: stream to which it is issued: 0 computes, 2 t - 1 writes to tier t, 2 t reads from it
    transfer: id of the transfer, of STORE_BEGIN, LOAD_BEGIN and AWAIT
    input: buffer that is read: the layer's input, or the source of a copy; for a BACKWARD if the layer needs it
    output: buffer that is written: the layer's output, or the target of a copy; a BACKWARD reads it if the layer needs it
    tape: buffer that a recording forward writes and a BACKWARD reads
    workspace: scratch buffer of the operation
    grad_output: buffer of the output's gradient: BACKWARD reads it, TURN writes it
    grad_input: buffer of the input's gradient, which a BACKWARD writes
    ambient: buffer of the layer's ambient state: written by its first forward, read when it runs again
    present_ambient: buffer that keeps the current ambient state while the layer runs again
    action: index of the schedule's action that contains the operation, from 0
    """

    kind: ActionKind
    flags: OperationFlag
    layer: int
    option: int
    micro_batch: int
    stream: int
    transfer: int
    input: int
    output: int
    tape: int
    workspace: int
    grad_output: int
    grad_input: int
    ambient: int
    present_ambient: int
    action: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, (_ActionKind[v[0]], _OperationFlag[v[1]], *v[2:]))


class LayerCallbacks:
    """The properties of a custom layer, apart from its functions.

    flags: sum of LayerFlag; default LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC
    options: number of options (ways to run the layer), 1 .. 64; default 1
    ambient_bytes: bytes of state outside the arguments that forward reads (a random generator); 0: none
    """

    flags: LayerFlag = LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC
    options: int = 1
    ambient_bytes: int = 0
