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
    """How much a message of the log matters.

    DEBUG: details for the development of the library
    INFO: what the library does and decides
    WARNING: something went wrong, and the library goes on
    ERROR: something failed
    """

    DEBUG = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


_LogLevel: Members = Members(LogLevel)


class MemoryOrder(OpenEnum):
    """In which order layers come.

    ID: layers in the order of their numbers, the lowest first
    CURRENT: layers in the order of their live bytes, the most first
    PEAK: layers in the order of their peaks, the highest first
    """

    ID = 0
    CURRENT = 1
    PEAK = 2


_MemoryOrder: Members = Members(MemoryOrder)


class MemoryEventKind(IntFlag):
    """Kind of an event of a memory tracker. A subscription names a sum of them.

    ALLOCATED: a layer made an allocation
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
    """An element type: one of DType, the 22 element types of the safetensors format. Numbers are fixed for ever; 0 is none.
    Storage, copies and exchange know all of them, arithmetic F32 and F64.

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
    """How large files are written. Each way falls back to the next where the system or the file does not support it.

    RING: large files are written past the page cache (O_DIRECT), eight chunks of 4 MiB under way by io_uring; falls back to
        WritePath.DIRECT where the system or the file does not support it
    DIRECT: large files are written past the page cache (O_DIRECT), one chunk after the other; falls back to WritePath.BUFFERED
        where the system or the file does not support it
    BUFFERED: large files are written through the page cache
    """

    RING = 0
    DIRECT = 1
    BUFFERED = 2


_WritePath: Members = Members(WritePath)


class StrategyChosen(OpenEnum):
    """What a strategy's yes means for the layer.

    DEFAULT: what is usual for the kind of strategy: StrategyChosen.BOUNDARY for interval, StrategyChosen.RECOMPUTE for all others
    RECOMPUTE: a chosen layer keeps only its input and runs again in backward; all others are stored
    BOUNDARY: inputs of chosen layers are kept, each stretch between them is recomputed as one segment
    """

    DEFAULT = 0
    RECOMPUTE = 1
    BOUNDARY = 2


_StrategyChosen: Members = Members(StrategyChosen)


class StrategyList(OpenEnum):
    """A list of names, globs or rules that a strategy was made with.

    NAMES: the names and globs of chosen layers
    EXCLUDED: the names and globs of excluded layers
    RULES: the rules of first
    """

    NAMES = 0
    EXCLUDED = 1
    RULES = 2


_StrategyList: Members = Members(StrategyList)


class Item(OpenEnum):
    """What memory holds. Bytes of INPUT(i) and GRAD(i): those of x_i; of TAPE(i, option): the layer's tape bytes under that option.

    NONE: no item
    INPUT: INPUT(i): x_i, i = 0 .. n; its bytes are those of x_i. INPUT(0) is there when a step begins; INPUT(n) is the chain's
        output
    TAPE: TAPE(i, option): what layer i recorded for its backward; its bytes are the layer's tape bytes under that option
    GRAD: GRAD(i): the gradient with respect to x_i; its bytes are those of x_i
    """

    NONE = 0
    INPUT = 1
    TAPE = 2
    GRAD = 3


_Item: Members = Members(Item)


class ActionKind(ActionKindBase):
    """Kind of an action. Memory changes only at actions, as each kind says; nothing else is kept or dropped.

    FORWARD: runs layers first .. last-1 without recording, under one option; needs INPUT(first), makes INPUT(last), keeps nothing
        between
    FORWARD_TAPE: runs layers first .. last-1 and records: needs INPUT(first), makes TAPE(i, option) and INPUT(i+1) of each layer i
    BACKWARD: runs layers last-1 down to first backward: needs GRAD(i+1), TAPE(i, option), and INPUT(i) or INPUT(i+1) where the
        layer's flags say so; makes GRAD(i); ends GRAD(i+1) and TAPE(i, option). Once for each layer and micro-batch
    STORE_BEGIN: begins to copy an item into (tier, slot), tier >= 1; the item may be dropped at once, but its bytes count until the
        AWAIT
    LOAD_BEGIN: begins to copy the item in (tier, slot) back to memory; its bytes count from here, it is usable after the AWAIT
    AWAIT: waits for a transfer that STORE_BEGIN or LOAD_BEGIN began
    DROP: ends an item (tier 0), or what a slot of another tier holds
    SEND: sends a copy of an item to a neighbour stage of a pipeline; the item stays until its DROP
    RECEIVE: receives an item from a neighbour stage. In a stage's schedule of a pipeline every micro-batch's INPUT arrives this
        way; a schedule of a chain of its own has no SEND and RECEIVE
    TURN: ends the forward part: needs INPUT(n), shows it to the caller, makes GRAD(n); last stage only
    END: ends the step: only GRAD(0) may be left
    RECORD: runs one layer and records, for a backward that nothing else waits for: needs INPUT(first), makes TAPE(first, option),
        and INPUT(last) only where the layer's flags say NEEDS_OUTPUT. last is first + 1. Runs the option's record (has_record);
        without one it runs forward, and an output that it does not make counts as workspace meanwhile
    ADVANCE: runs layers first .. last-1 without recording, each in place: needs INPUT(first), which it ends, and makes INPUT(last)
        in the same buffer. While layer k runs, the buffer counts the larger of x_k and x_{k+1}. Not for an INPUT that a STORE_BEGIN
        is copying. slot names the buffer in schedules of adjoint codes, as it does for the result of their FORWARD; else it is 0
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
    """What planning must know of a layer's backward and of running it again: a sum of flags.

    NEEDS_INPUT: backward reads the layer's input
    NEEDS_OUTPUT: backward reads the layer's output
    DETERMINISTIC: running forward again produces the same bits; without it the layer is never recomputed
    NO_INPUT_GRADIENT: backward makes no gradient of the input: only for layer 0, whose input has no gradient (tokens)
    IN_PLACE: forward may write its output over its input, and backward the gradient of its input over that of its output: an
        element-wise layer. Behind the first layer of a FORWARD, the layer's output is made in the buffer of its input, and its
        BACKWARD makes GRAD(i) in the buffer of GRAD(i+1); meanwhile that buffer counts the larger of the two
    """

    NEEDS_INPUT = 1
    NEEDS_OUTPUT = 2
    DETERMINISTIC = 4
    NO_INPUT_GRADIENT = 8
    IN_PLACE = 16


_LayerFlag: Members = Members(LayerFlag)


class ProfileFlag(IntFlag):
    """What holds for a whole chain: a sum of flags.

    KEEPS_INPUT: INPUT(0) stays with the caller, who holds it through the whole step: its DROP frees no bytes
    KEEPS_OUTPUT: INPUT(n) stays with the caller from the moment it is made to the end of the step: its DROP frees no bytes
    OWN_ALLOCATOR: memory comes from an allocator of the caller's, not from one arena: budgets bind live bytes, not reserved ones
    """

    KEEPS_INPUT = 1
    KEEPS_OUTPUT = 2
    OWN_ALLOCATOR = 4


_ProfileFlag: Members = Members(ProfileFlag)


class RecomputeCheck(OpenEnum):
    """What is checked where a layer runs forward again in a step. Each also checks what those before it do.

    NONE: nothing is checked
    METADATA: the layer is asked again for element type and shape of its output, and for the bytes that its option needs: they are
        as they were when the executor was made
    HASH: the output has the hash of the first run's (XXH3-128): 16 bytes are kept of each output that is made again
    BITWISE: the output has the bits of the first run's, which is kept beside the arena: as many bytes as all outputs that are made
        again
    """

    NONE = 0
    METADATA = 1
    HASH = 2
    BITWISE = 3


_RecomputeCheck: Members = Members(RecomputeCheck)


class LearningRateKind(OpenEnum):
    """How a learning rate falls behind its warm-up.

    CONSTANT: stays at its peak
    LINEAR: falls in a straight line
    COSINE: falls along half a cosine. Source: Loshchilov, Hutter, "SGDR", arXiv:1608.03983
    """

    CONSTANT = 0
    LINEAR = 1
    COSINE = 2


_LearningRateKind: Members = Members(LearningRateKind)


class ActivationPolicyKind(OpenEnum):
    """How it is decided which micro-batches' activations stay from forward to backward. The others are computed again.

    STORE_ALL: the activations of all micro-batches stay from forward to backward: most memory, fastest backward
    RECOMPUTE_ALL: no micro-batch's activations stay, all are computed again: least memory, slowest backward
    SELECTIVE: the activations of every interval-th micro-batch stay, and always those of the first and the last
    MEMORY_BASED: the activations that fit threshold_bytes stay: when a store would pass it, the oldest are dropped first; the first
        and the last stay whatever their size, any other that does not fit beside them is not stored
    STRATEGY: the activations stay that a strategy answers yes to; it is asked with the stage's name and the micro-batch. A
        memory-aware strategy, or a composite that contains one, is InvalidArgumentError: under pressure it answers yes more often;
        not(memory-aware) is its inverse, also inside composites
    AUTOMATIC: picked when a step begins by pressure: below 0.5 store-all, below 0.7 selective with an interval of at least 2, below
        0.9 memory-based among those that selective would store, else recompute-all. Pressure is the tracker's live bytes over its
        limit, if it has one; else the process's resident bytes, without a pipeline's own arenas, over memory_limit_bytes. Whatever
        is picked, an activation is only stored if it fits what the limit leaves, of which each stage of a pipeline has an equal
        part: a higher pressure never stores more. threshold_bytes of the policy in force is that bound. Each pick is logged (INFO)
    """

    STORE_ALL = 1
    RECOMPUTE_ALL = 2
    SELECTIVE = 3
    MEMORY_BASED = 4
    STRATEGY = 5
    AUTOMATIC = 6


_ActivationPolicyKind: Members = Members(ActivationPolicyKind)


class PipelineOrder(OpenEnum):
    """In which order stages run the forward and backward parts of micro-batches. Gradients add up in the order of micro-batches
    under each of them.

    GPIPE: all forwards, then all backwards. Source: Huang et al., "GPipe", arXiv:1811.06965
    ONE_F_ONE_B: after a warm-up one forward, one backward, in turn: stage p of P holds at most P - p micro-batches. Source:
        Narayanan et al., "Memory-efficient pipeline-parallel DNN training" (PipeDream-flush), arXiv:2006.09503
    INTERLEAVED: 1F1B over several chunks a stage; micro_batches is a multiple of stages. Source: Narayanan et al., "Efficient
        large-scale language model training on GPU clusters using Megatron-LM", arXiv:2104.04473
    """

    GPIPE = 1
    ONE_F_ONE_B = 2
    INTERLEAVED = 3


_PipelineOrder: Members = Members(PipelineOrder)


class IntervalKind(OpenEnum):
    """What a stage does in an interval of a step.

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
    """What is checked of the bytes that are read.

    NONE: trust the bytes; sizes, headers and manifest are checked all the same
    FULL: check the checksum of every byte that is loaded
    LAZY: only for readers: check the checksum of a tensor when it is first touched
    """

    NONE = 0
    FULL = 1
    LAZY = 2


_Verify: Members = Members(Verify)


class Conversion(OpenEnum):
    """Which element types a load converts.

    NONE: nothing is converted: the state's tensors must have the element types of the checkpoint
    LOSSLESS: elements are converted to types that hold every value of theirs: F16 and BF16 to F32 and F64, F32 to F64, integers to
        wider ones of the same or a larger range, and to F32 and F64 where these hold all of them
    LOSSY: any integers and floating-point numbers of 16 to 64 bits (and integers of 8) are converted to any others of these:
        rounded to the nearest, ties to even; integers only from whole numbers. A value that the other type has no place for is an
        error
    """

    NONE = 0
    LOSSLESS = 1
    LOSSY = 2


_Conversion: Members = Members(Conversion)


class Policy(OpenEnum):
    """How a controller decides when to save.

    AUTO: experts on the failure rate, weighted by what each would have cost on every gap so far
    THRESHOLD: the threshold rule on the last observed task; a commit consumes the slot
    EXPECTED_VALUE: the interval at which expected loss and cost of a checkpoint are equal, with the learned failure rate
    YOUNG: Young's interval with a set mean time between failures and the measured cost
    DALY: Daly's interval with a set mean time between failures and the measured cost
    BAYES: Daly's interval for the mean of a Gamma posterior: prior 1 failure in 1 h
    WEIBULL: the interval for a Weibull law fitted to the last 512 gaps, at the age of the current one
    FIXED: a set interval
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
    """What happened, for Controller.record.

    RUN_BEGAN: a run begins: budgets and windows start again. InvalidStateError during a run
    RUN_RESUMED: this process continues what Controller.restore loaded. If a run was in progress there, it has failed: half an
        interval after its last event, but not later than now; record its recovery next. Without such a run: as
        ControllerEventKind.RUN_BEGAN. The time may be on another clock than in the process before
    SAVE_BEGAN: a save starts: no other one is asked for until it is committed or aborted. InvalidStateError while one is in flight
    SAVE_COMMITTED: the save in flight is durable: uses stall_seconds and durable_seconds. InvalidStateError without a save in
        flight
    SAVE_ABORTED: the save in flight failed: nothing is learned from it. InvalidStateError without a save in flight
    TASK_DONE: a task is done: uses name and duration_seconds, and not now_seconds; as Threshold.observe_task. The mean duration
        also stands for ControllerOptions.poll_seconds when that is 0
    FAILURE: the machine failed: what was not saved is lost. The run continues
    RECOVERY: work continues after a failure: uses saved_seconds and overhead_seconds
    CLEAN_EXIT: the run ends without a failure: its last gap is censored, and the cost of saves that no recovery has judged was
        spent for nothing
    PREEMPTION: the process will be terminated: uses left_seconds. A save is asked for at once if those before became durable within
        that time
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
    """Why a controller answered as it did.

    NOT_DUE: no: no save is wanted yet
    DUE: yes: this poll is the nearest to the target
    FIRST_SAVE: yes: early, to learn what a save costs
    TASK_IS_LONG: yes, by the threshold rule: the task is long enough
    TASK_IS_SHORT: no, by the threshold rule: the task is too short, or it has no slot left
    SAVE_IN_FLIGHT: no: the save before is not durable yet
    BUDGET_IS_SPENT: no: the budget of this window is spent
    PREEMPTION: yes: the process will be ended
    PREEMPTION_SHORT: no: the process will be ended before a save could be durable
    PREEMPTION_SAVED: no: the process will be ended, and a save after the notice is durable
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
    """Where a task is, or how it ended. A task goes from QUEUED to RUNNING to one of the others, or from QUEUED to an end at once;
    an end never changes.

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
    """What a task does.

    SAVE: saves a state
    LOAD: loads a state
    """

    SAVE = 0
    LOAD = 1


_CheckpointTaskKind: Members = Members(CheckpointTaskKind)


class CloseMode(OpenEnum):
    """What becomes of the tasks of a manager that is closed.

    DRAIN: queued tasks are completed first
    CANCEL: what is queued or not yet committed is cancelled
    DRAIN_UNREPORTED: queued tasks are completed first; a failure that the call returns does not count as reported, so the release
        of the manager reports it, too. For the end of a scope that cannot raise an error
    """

    DRAIN = 0
    CANCEL = 1
    DRAIN_UNREPORTED = 2


_CloseMode: Members = Members(CloseMode)


class StagingMode(OpenEnum):
    """How the bytes of a save are taken.

    COPY: the tensors of a save are copied, by several threads, before the call returns: it returns staged
    BORROW: the tensors of a save are never copied as a whole: no caller may write to them until the save is staged, which is
        shortly before it ends. When one does and it is seen, the save fails with InvalidStateError; in no case does a checkpoint
        hold bytes that its checksums do not
    DEFERRED: the tensors of a save are copied in the background: no caller may write to them until the save is staged, which is
        soon
    """

    COPY = 0
    BORROW = 1
    DEFERRED = 2


_StagingMode: Members = Members(StagingMode)


class WhenFull(OpenEnum):
    """What happens to a task when the queue is full.

    REFUSE: fail with QueueFullError at once
    WAIT: wait for a place until the time-out has passed, then fail with QueueFullError; waiting for ever opens all gates
    DROP_OLDEST: the oldest task that no worker has begun makes place and ends CheckpointTaskState.REJECTED; QueueFullError when
        there is none
    """

    REFUSE = 0
    WAIT = 1
    DROP_OLDEST = 2


_WhenFull: Members = Members(WhenFull)


class Priority(OpenEnum):
    """Which tasks begin first.

    LOW: begins after all tasks of a higher priority
    NORMAL: begins after tasks of high priority and before tasks of low priority
    HIGH: begins before all tasks of a lower priority
    """

    LOW = -1
    NORMAL = 0
    HIGH = 1


_Priority: Members = Members(Priority)


class CheckpointTaskList(OpenEnum):
    """A list of tasks.

    LIVE: the tasks that have not ended, the oldest first
    ENDED: the tasks that have ended, as far as the history goes, in the order in which they ended
    """

    LIVE = 0
    ENDED = 1


_CheckpointTaskList: Members = Members(CheckpointTaskList)


class TreeKind(OpenEnum):
    """What a node of a tree is.

    NULL: no value
    BOOLEAN: truth value
    INTEGER: whole number of 64 bits with sign
    BIG_INTEGER: whole number beyond 64 bits, as text: "-0x1f..."
    NUMBER: floating-point number of 64 bits, also NaN (bit for bit) and infinities
    COMPLEX: two such numbers: the real and the imaginary part
    TEXT: text in UTF-8; lone surrogates of other languages' texts are three bytes each in it
    BYTES: any row of bytes
    BYTEARRAY: row of bytes that can be changed, in languages that have two types
    PATH: path of the writer's system, as text
    POSIX_PATH: path of a POSIX system, as text
    WINDOWS_PATH: path of Windows, as text
    LIST: container: parts follow
    TUPLE: container: parts follow; a list that cannot be changed
    DICT: container: keys, each with its value behind it, follow
    ORDERED_DICT: container: a dict whose order is a part of its value
    NAMED_TUPLE: container with a class's name: names of fields, each with its value behind it, follow
    DATACLASS: container with a class's name: names of fields, each with its value behind it, follow
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
    """What a tensor of a tree was in the writer's program.

    ARRAY: array of a library for numbers (NumPy), or of the language
    SCALAR: single number of such a library, without dimensions
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
    """What a callback must know beside its handles: a sum of flags.

    AGAIN: the layers ran before in this step: restore the ambient state (random numbers, statistics) that their first run began
        with
    NO_OUTPUT: nothing but the layer's own backward reads its output: only a layer whose backward does so gives it, others give none
    TAKE_INPUT: last use of the input: the callback owns the handle, also when it fails; a step in place overwrites it
    TAKE_OUTPUT: last use of the output that a backward reads: the callback owns the handle, also when it fails
    """

    AGAIN = 1
    NO_OUTPUT = 2
    TAKE_INPUT = 4
    TAKE_OUTPUT = 8


_DriveFlag: Members = Members(DriveFlag)


class OperationFlag(IntFlag):
    """How an operation runs: a sum of flags.

    AGAIN: the layer ran before in this step: its ambient state is restored first, from the buffer ambient
    IN_PLACE: the result is made where the operand was: both buffers have one offset
    """

    AGAIN = 1
    IN_PLACE = 2


_OperationFlag: Members = Members(OperationFlag)


class MemoryStats(NamedTuple):
    """The totals of a memory tracker at one moment.

    layer_count: number of layers that were ever named
    current_bytes: bytes live now
    peak_bytes: highest live total in bytes since the tracker was made or its statistics were reset
    total_allocated_bytes: bytes of all allocations since the tracker was made or its statistics were reset
    total_freed_bytes: bytes freed since the tracker was made or its statistics were reset: total_allocated_bytes - current_bytes
    live_allocations: number of allocations live now
    allocations: number of allocations since the tracker was made or its statistics were reset
    frees: allocations - live_allocations: a free by layer counts each allocation that it frees
    average_bytes: current_bytes / live_allocations, rounded down; 0 when none is live
    not_found: recording calls refused for an unknown layer or allocation, double frees included
    refused: reservations refused by the limit
    handler_failures: event handlers that failed
    taken_at_ns: when this was true, in nanoseconds on the tracker's clock
    sequence: number of allocations and frees since the tracker was made; a reset leaves it alone
    taken_utc_ns: when this was true, in nanoseconds since 1970-01-01T00:00:00Z
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
    """What a memory tracker counted for one layer.

    layer_id: number of the layer, 0 or more
    name: name of the layer
    current_bytes: bytes of the layer that are live now
    peak_bytes: highest number of live bytes of this layer alone, since the tracker was made or its statistics were reset
    total_allocated_bytes: bytes of all allocations of the layer since the tracker was made or its statistics were reset
    total_freed_bytes: bytes of the layer freed since the tracker was made or its statistics were reset
    live_allocations: number of allocations of the layer that are live now
    allocations: number of allocations of the layer since the tracker was made or its statistics were reset
    frees: number of allocations of the layer freed since the tracker was made or its statistics were reset
    largest_bytes: bytes of the layer's largest single allocation since the tracker was made or its statistics were reset
    average_bytes: total_allocated_bytes / allocations, rounded down; 0 when there was none
    last_allocated_at_ns: when the layer last allocated, in nanoseconds on the tracker's clock; 0 when allocations is 0, but also a
        time that a custom clock can return
    last_freed_at_ns: when the layer last freed, in nanoseconds on the tracker's clock; 0 when frees is 0, but also a time that a
        custom clock can return
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

    layer_id: number of the layer that made the allocation
    allocation: id of the allocation, never 0
    bytes: size of the allocation in bytes
    age_ns: nanoseconds since the allocation was recorded, as coarse as the tracker's clock
    sequence: place of its recording in the order of all allocations and frees: lower is older
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
    """What happened in a scope of a memory tracker since it was pushed, in all layers and threads.

    depth: number of open scopes around it
    scope: id of the scope
    start_bytes: bytes that were live when the scope was pushed
    peak_bytes: highest live total in bytes since the scope was pushed; its own rise is peak_bytes - start_bytes
    net_bytes: bytes live now - start_bytes; may be negative
    total_allocated_bytes: bytes allocated since the scope was pushed, resets of the statistics notwithstanding; at most 2**63 - 1
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
    """One event of a memory tracker, with the values that held right after it.

    kind: what happened
    sequence: place in the order of all allocations and frees; events of one share it and come in the order of their kinds
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
    """Physical memory that this process can have.

    total_bytes: physical memory of the machine in bytes, at most the limit of the process's control group
    available_bytes: bytes that can be allocated now without swapping, also within the control group's limit
    machine_bytes: physical memory of the machine in bytes
    limit_bytes: smallest control group limit in bytes that holds for this process; 0: none
    """

    total_bytes: int
    available_bytes: int
    machine_bytes: int
    limit_bytes: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class BufferPoolStats(NamedTuple):
    """What a buffer pool holds now and has done so far.

    live_bytes: bytes that tensors use now: what the tracker counts
    live_buffers: number of buffers that tensors use now; tensors without bytes need none
    retained_bytes: bytes kept for reuse
    retained_buffers: number of buffers kept for reuse
    reserved_bytes: bytes allocated from the system: live buffers, each rounded up to 64 bytes, and retained ones
    peak_reserved_bytes: the largest value of reserved_bytes since the pool was made
    taken: buffers that tensors took since the pool was made
    reused: buffers that tensors took and that needed no memory from the system
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
    """A piece of a file, and where its bytes go.

    offset: where the piece begins in the file, in bytes, >= 0
    bytes: size of the piece in bytes, >= 0
    """

    offset: int
    bytes: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class StrategyQuestion(NamedTuple):
    """What a strategy is asked about one layer.

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
    """What a strategy did since it was created or reset. Questions that failed are not counted.

    asked_layers: number of layers that it was asked about
    chosen_layers: number of layers that were answered with yes
    chosen_bytes: bytes of the activations that were answered with yes; at most 2**63 - 1
    """

    asked_layers: int
    chosen_layers: int
    chosen_bytes: int

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class StrategyInfo(NamedTuple):
    """What a strategy was made of. Numbers that its kind does not have are 0.

    has_tracker: for memory-aware: True when it was made with a tracker, else False
    kind: kind of strategy: "interval", "selective", ..., "custom". A strategy of a registered kind is of the kind that its factory
        made
    interval: for interval: every so many-th layer is chosen; for memory-aware: the interval in force now
    threshold_bytes: for size: activations of at least this many bytes are chosen
    max_share: for memory-aware: share of total memory above which more layers are chosen
    total_bytes: for memory-aware: total memory in bytes, as set, or what the process may use
    large_factor: for smart: a layer with more than this many times the mean bytes is chosen
    rare_accesses: for smart: a layer accessed fewer times than this is chosen
    late_share: for smart: a layer whose index is past this share of the known layers is chosen
    names_count: for selective: number of names and globs of chosen layers
    excluded_count: for selective, size and smart: number of names and globs of excluded layers
    rules_count: for first: number of rules
    children_count: for any, all, not and first: number of children
    has_clock: for memory-aware: True when it was made with a clock, else False
    has_total: for memory-aware: True when total_bytes was set, False when it was found
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
    tier: where the item is: 0 memory; 1 .. 3 slower places
    slot: place within the tier, >= 0; of FORWARD and ADVANCE: the buffer of the result, for the user's own code
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
    """What planning must know of one layer.

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
    """What planning must know of one way to run a layer. Most layers have one.

    tape_bytes: bytes that the layer records for its backward, >= 0
    forward_workspace_bytes: bytes needed while forward runs, with or without tape, >= 0
    backward_workspace_bytes: bytes needed while backward runs, >= 0
    forward_seconds: duration of one forward in seconds, >= 0
    backward_seconds: duration of one backward in seconds, >= 0
    record_workspace_bytes: bytes needed while RECORD runs, >= 0; not looked at without has_record
    record_seconds: duration of one RECORD in seconds, >= 0; not looked at without has_record
    has_record: True: the layer can record without making its output, as the two fields above say; False: RECORD runs forward
    backward_peak_bytes: most bytes at once while the backward runs of all that it reads, makes and needs for itself, but for the
        layer's input: its tape, both gradients, the output where it is read, and workspace, >= 0; 0: not known, their sum. For
        those whose memory comes from an allocator of their own: planners and the verifier count it; arena and program keep the sum
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
    """What planning must know of a tier, a place that is slower than memory.

    capacity_bytes: bytes that the tier can hold, >= 0; 0: no limit
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
    """What a schedule costs on a chain, exactly.

    actions: number of actions, END included
    forwards: number of layer forwards (each RECORD is one), recomputed ones included
    recomputed_forwards: number of layer forwards beyond the first of each layer
    step_seconds: duration of the step in seconds: of the forwards, records and backwards, one after another, and of what the AWAITs
        wait for
    recomputed_seconds: duration of the recomputed forwards in seconds, as they ran: forward_seconds or record_seconds
    peak_action: index of the action during which tier 0 was fullest (the first such)
    peak_bytes: live bytes at the fullest moment of each tier; tier 0 counts items, workspace and ambient state
    wait_seconds: duration of what the AWAITs wait for, in seconds; counted in step_seconds
    peak_items: most items (INPUT, TAPE, GRAD) at once in each tier; with x_0
    peak_inputs: most INPUTs at once in each tier; with x_0: the states that an adjoint code keeps
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
    """What one schedule of a planner's frontier costs: no other of the planner's takes less time within its live bytes.

    live_bytes: live bytes of tier 0 at the fullest moment
    reserved_bytes: bytes that a machine must have: the size of the arena that holds all buffers
    recomputed_forwards: number of layer forwards beyond the first of each layer
    step_seconds: duration of the step in seconds
    recomputed_seconds: duration of the recomputed forwards in seconds
    lost_seconds: duration in seconds by which the planner's best may be shorter, where its tables had no room for it
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
    """What a custom layer needs for one of its options.

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
    """Where and when a layer runs.

    option: option of the layer that is run, from 0
    micro_batch: number of the micro-batch, from 0
    recomputation: True when this forward ran before in the step, else False
    layer: global number of the layer: the same in every split of the chain
    step: number of the step, >= 0
    seed: seed of the step's random numbers
    first_sample: global number of the batch's first sample within the step, >= 0
    input: element type and shape of the layer's input
    output: element type and shape of the layer's output
    targets: targets of the step, of the micro-batch's samples; None when the step has none
    pool: threads that the step's layers share; None when there are none beside the one that runs
    evaluation: True in ScheduleExecutor.evaluate, where nothing is dropped at random; False in a step
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
    """What an executor measured since it was made.

    steps: number of steps that ended well
    forwards: number of layer forwards, recomputed ones included
    recomputed_forwards: number of layer forwards beyond the first of each layer in a step
    live_bytes: bytes of what is alive now: between steps 0
    peak_live_bytes: the most bytes that were alive at once: equals the verifier's peak of tier 0 to the byte
    reserved_bytes: bytes of the arena that the executor reserved when it was made
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
    """Which micro-batches' activations stay from forward to backward. The others are computed again.

    kind: kind of policy: one of ActivationPolicyKind; default ActivationPolicyKind.STORE_ALL
    interval: for selective: every so many-th micro-batch is stored, >= 0; 0 stores all, like 1; default 1
    threshold_bytes: for memory-based, also where automatic picks it: bytes of activations that are stored at most, >= 0; default 1
        GiB
    strategy: for ActivationPolicyKind.STRATEGY: the strategy that is asked; kept alive; ignored by other kinds
    memory_limit_bytes: for automatic: bytes that count as all memory, >= 0; 0: what this process may use, which is physical memory
        or its control group's limit
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
    """What is known of one stored activation.

    micro_batch: number of the micro-batch, from 0
    dtype: element type of the activation
    shape: lengths of the activation's dimensions
    bytes: size of the activation in bytes
    hits: number of times that it was read since it was stored
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
    """What a stage of a pipeline measured since the pipeline was made.

    in_flight: micro-batches between forward and backward at most (of chunk 0)
    first_layer: global number of the stage's first layer (of chunk 0)
    layers: number of layers of all chunks of the stage
    steps: number of steps that ended well
    forwards: number of layer forwards, recomputed ones included
    recomputed_forwards: number of layer forwards beyond the first of each layer and micro-batch in a step
    kept_micro_batches: number of micro-batches whose tapes stayed from forward to backward
    recomputed_micro_batches: number of micro-batches whose tapes did not stay from forward to backward
    peak_live_bytes: the most bytes that were alive at once: equals the verifier's peak of the whole step to the byte
    reserved_bytes: bytes of the stage's arena
    queue_bytes: bytes reserved by the queues to and from the next stage, beside the arena
    busy_ns: nanoseconds of the last step in which the stage computed and did not wait
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
    """What a stage of a pipeline does in one interval of a step.

    kind: what the stage does
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
    """What is known of one checkpoint without reading its files.

    status: 0: manifest and file sizes are right (checksums of files not looked at); NotFoundError: no manifest, so being written or
        cut off; CorruptError: damaged; others: why it could not be read
    step: number of the step that was saved
    commit_sequence: number of the save among those in its storage; 0 unless status is 0
    bytes: bytes of the files, the manifest not counted; 0 unless status is 0
    name: name of the checkpoint: its directory in the storage
    metric: metric that the save was made with; None when there is none
    saved_utc_ns: when the save was made, in nanoseconds since 1970; 0 when an earlier version made it, or status is not 0
    pinned: True when retention does not remove the checkpoint (CheckpointManager.pin), else False
    world_size: number of ranks that saved it; 0 unless status is 0
    generation: generation of its line, which grows with each roll-back; 0 in a storage that never had one
    abandoned: True when a later run went back to an earlier step: only loads by name or step take the checkpoint, and retention
        removes it first, else False
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

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class SaveResult(NamedTuple):
    """What one save wrote.

    files: number of files of the checkpoint, the manifest not counted
    step: number of the step that was saved
    commit_sequence: number of the save, which grows with every save in this storage
    bytes: bytes of the files, the manifest not counted
    name: name of the checkpoint: its directory in the storage
    linked: number of files that were linked or copied because nothing in them had changed
    rank_bytes: bytes of those of the files that this rank made; of one process alone: bytes
    generation: generation of the checkpoint's line, which grows with each roll-back; 0 in a storage that never had one
    rolled_back: True when the generation begins with this save: the run went back to an earlier step, or a new run began in an old
        storage, and the checkpoints that are not on its line are abandoned, else False
    metric_ignored: True when the metric was not finite, so that the checkpoint has none, else False
    unreported_failures: number of background tasks of this storage that failed in this process and whose managers were released
        before a caller received the failure. Set by the first save of the storage that completes afterwards; else 0
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
    """What one load found.

    environment_differs: True when environment_json was set and is not the checkpoint's, or the library's version or the BLAS in use
        is another one. The log says which; results may differ in their last bits. Where no BLAS is in use yet, its first use warns
        in the log
    step: number of the step that was loaded
    commit_sequence: number of the save among those in its storage
    seed: seed of the run's random numbers, as saved
    bytes: bytes of the files, the manifest not counted
    skipped: number of newer checkpoints that could not be used, and, on an object store, 1 for a damaged commit record of the
        checkpoint that was loaded; the load report names them. A directory without a manifest is not a checkpoint and does not
        count
    name: name of the checkpoint: its directory in the storage; cut off when it is longer (only if the load was asked for it by
        name)
    missing: number of tensors of the state that the checkpoint lacks; 0 unless the load was partial
    unexpected: number of tensors of the checkpoint that the state lacks; 0 unless the load was partial
    partly_filled: True after a load that failed when it had begun to write the tensors, some of which hold parts of the checkpoint
        by then: a load in place, or one whose file changed between its check and its copy. 0 after one that succeeded
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
    """What a verification checked.

    files: number of files whose every byte was checked, the manifest not counted
    tensors: number of tensors in the files that were checked
    bytes: bytes of the files that were checked
    name: name of the checkpoint: its directory in the storage, cut off when it is longer
    """

    files: int
    tensors: int
    bytes: int
    name: str

    @classmethod
    def _of(cls, v: Tuple[Any, ...]) -> Any:
        return _new(cls, v)


class TensorInfo(NamedTuple):
    """What is known of one tensor in a file.

    dtype: element type
    name: name of the tensor: UTF-8; may be empty
    shape: lengths of the dimensions; () when there are no dimensions
    bytes: size of the tensor in bytes
    offset: place of its first byte, from the start of the file, in bytes; 0 where it is in blocks of several files
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
    """What a threshold rule knows.

    threshold: value of the threshold now: a share of the longest task, 0.05 .. 1
    longest_seconds: duration of the longest task observed, in seconds
    budget: number of checkpoints of a run
    used: number of checkpoints used in this run
    tasks: number of tasks that can be read: the last 256 at most
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
    """One task that was observed.

    checkpointed: True when a checkpoint was made of it, else False
    duration_seconds: duration of the task in seconds
    failed: True when it failed, or a failure came while it was the last one, else False
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
    """An event of a run, as a controller learns from it. Each kind uses the fields that it names, and now_seconds.

    kind: what happened
    now_seconds: time of the event in seconds, on the caller's clock
    name: name of the task: UTF-8, not blank, at most 95 bytes
    duration_seconds: duration of the task in seconds: finite, at least 0
    stall_seconds: seconds that work stood still for the save: the cost of the save
    durable_seconds: seconds from the begin of the save until it was durable; used after preemption notices
    saved_seconds: seconds of work that the loaded checkpoint makes unnecessary to repeat
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
    """A controller's answer to the question whether to save now.

    checkpoint: True: save now; False: do not
    reason: why
    policy: the policy that decided
    interval_seconds: interval wanted between saves now, in seconds; 0 for Policy.THRESHOLD
    risk: probability of a failure within the interval wanted, 0 .. 1
    cost_seconds: cost of a save in seconds: measured, set, or assumed (60 s)
    since_last_seconds: seconds since the last save, or since work began
    due_seconds: when a save is wanted, in seconds on the caller's clock; 0 for Policy.THRESHOLD
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
    """What a controller knows.

    running: True while a run is going on, else False
    save_in_flight: True while a save is begun and neither committed nor aborted, else False
    failures: number of failures recorded
    saves: number of saves committed
    cost_seconds: mean stall of the last eight saves in seconds; 0 when there was none
    durable_seconds: mean time in seconds until the last eight saves were durable; 0 when there was none
    unjudged_overhead_seconds: cost in seconds of saves that neither a recovery nor a clean exit has judged
    last_seen_seconds: the last sign of life, in seconds on the caller's clock
    mtbf_seconds: mean time between failures in seconds at the last sign of life, as the policy sees it: 1 / failure rate
    threshold: value of the threshold rule's threshold now: a share of the longest task
    threshold_used: number of checkpoints of this run that the threshold rule used
    tasks: number of tasks that can be read
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

    state: how the task ended: CheckpointTaskState.COMPLETED, CheckpointTaskState.FAILED, CheckpointTaskState.CANCELLED or
        CheckpointTaskState.REJECTED
    status: 0 when completed, CancelledError when cancelled, QueueFullError when rejected, else why it failed
    kind: kind of task: CheckpointTaskKind.SAVE or CheckpointTaskKind.LOAD
    id: id of the task
    step: number of the step: of a save, however it ended; of what a load loaded, 0 unless completed
    bytes: bytes of the files that are durable, or that were loaded; 0 unless completed
    retries: operations that the checkpoint's fault handler let try again, and files that were written anew
    duration_ns: nanoseconds from the moment at which a worker began the task to its end; 0 when none began
    stall_ns: nanoseconds for which the call that made the task kept its caller: admission and staging
    durable_ns: nanoseconds from the call that made the task to the moment at which it was durable (loaded); 0 unless completed
    name: name of the checkpoint: its directory in the storage; empty unless completed
    error: why the task did not complete: one line of UTF-8, cut off at a character; empty when completed
    generation: generation of a save's line, which grows with each roll-back; 0 in a storage that never had one, and when rejected
    rolled_back: True when the generation began with this save, which was accepted although its step is not after the newest one,
        else False
    metric_ignored: True when the metric of a save was not finite, so that the checkpoint has none, else False
    unreported_failures: number of failures of earlier background tasks of the storage that no caller has received (see SaveResult);
        of a save that completed, else 0
    unreported_status: status of the oldest of the unreported failures; 0 when there are none
    unreported_error: the oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are none
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
    """What is known of one background task.

    kind: kind of task: CheckpointTaskKind.SAVE or CheckpointTaskKind.LOAD
    state: where the task is: CheckpointTaskState.QUEUED, CheckpointTaskState.RUNNING or the way in which it ended
    staged: True when the tensors of a save may be written, else False
    id: id of the task
    step: number of the step to be saved; 0 for a load
    done_bytes: bytes written, or by a load read, so far
    total_bytes: bytes of the tensors and headers to be written, or read; 0 until a load knows them
    queued_at_ns: when it was queued, in nanoseconds on the system's monotonic clock
    started_at_ns: when a worker began it, in nanoseconds on the system's monotonic clock; 0 when none has begun
    ended_at_ns: when it ended, in nanoseconds on the system's monotonic clock; 0 when it has not ended
    queued_utc_ns: when it was queued, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock, to be shown; that clock may
        be set at any time, so take differences on the monotonic clock
    started_utc_ns: when a worker began it, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock, to be shown; 0 when
        none has begun
    ended_utc_ns: when it ended, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock, to be shown; 0 when it has not
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
    """What a manager of background tasks did and holds.

    live_tasks: number of tasks that have not ended
    running_tasks: number of tasks that a worker has begun and that have not ended
    completed_tasks: number of tasks that completed since the manager was made
    failed_tasks: number of tasks that failed since the manager was made
    cancelled_tasks: number of tasks that were cancelled since the manager was made
    rejected_tasks: number of tasks that were rejected since the manager was made
    in_flight_bytes: bytes of saves that have not ended and are not written yet
    written_bytes: bytes written by all tasks
    staging_bytes: bytes of memory that was allocated for copies
    stall_ns: nanoseconds for which callers were kept, in all
    last_stall_ns: nanoseconds for which the save that was staged last kept its caller
    unreported_failures: number of tasks that failed and that no caller has seen or been notified of
    unreported_status: status of the oldest of the unreported failures; 0 when there are none
    unreported_error: the oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are none
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
    """One call of the driver: which piece of work it is. Fields that a kind does not use are 0.

    kind: what is to be done: FORWARD, RECORD, BACKWARD, TURN, STORE_BEGIN, LOAD_BEGIN, AWAIT or DROP of ActionKind
    flags: sum of DriveFlag
    first: first layer of the call; or the index i of the item
    last: one past the last layer of the call
    option: option of the layers; or of the item, for a TAPE
    micro_batch: number of the micro-batch: 0
    item: kind of item of STORE_BEGIN, LOAD_BEGIN, AWAIT and DROP
    tier: where the item is or goes: 0 memory; 1 .. 3 slower places
    slot: place within the tier, >= 0; of FORWARD: the buffer of the result, as the schedule's action names it
    transfer: id of the transfer, from its STORE_BEGIN or LOAD_BEGIN to its AWAIT
    action: index of the schedule's action that asks for this, from 0
    layers: number of layers of the chain; 0 while an open-ended schedule does not know it
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
    """A piece of memory from the operation that makes what it holds to the last that uses it.

    bytes: number of bytes, >= 0
    offset: distance from the start of its tier's arena in bytes, a multiple of 64; negative for one of no bytes
    first: index of the operation that makes it; negative for x_0, which is there from the start
    last: index of the last operation that uses it; the number of operations for GRAD(0), which is left
    index: index i of INPUT(i) and GRAD(i); else the layer
    item: what it holds: one of Item; NONE for workspace and ambient state
    tier: which arena it is in: 0 memory; 1 .. 3 slower places
    option: option of the layer, for a TAPE
    micro_batch: number of the micro-batch, from 0
    slot: place within the tier, for a tier above 0
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
    """One piece of work. Buffers are numbers into the list of buffers; -1 for none.

    kind: what is done: ActionKind.FORWARD, _FORWARD_TAPE (with output), _RECORD, _BACKWARD, _TURN, _SEND, _RECEIVE, _STORE_BEGIN,
        _LOAD_BEGIN or _AWAIT
    flags: sum of OperationFlag
    layer: layer that runs; or the index of the item that is moved
    option: option of the layer that runs; or of a TAPE that is moved
    micro_batch: number of the micro-batch, from 0
    stream: where it is issued: 0 computes, 2 t - 1 writes to tier t, 2 t reads from it
    transfer: id of the transfer, of STORE_BEGIN, LOAD_BEGIN and AWAIT
    input: buffer that is read: the layer's input, or what a copy reads; of a BACKWARD when the layer needs it
    output: buffer that is written: the layer's output, or a copy's; a BACKWARD reads it when the layer needs it
    tape: buffer that a recording forward writes and a BACKWARD reads
    workspace: buffer of arbitrary bytes for the time of the operation
    grad_output: buffer of the output's gradient: BACKWARD reads it, TURN writes it
    grad_input: buffer of the input's gradient, which a BACKWARD writes
    ambient: buffer of the layer's ambient state: written by its first forward, read when it runs again
    present_ambient: buffer that keeps the present ambient state while the layer runs again
    action: index of the schedule's action that this is a part of, from 0
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
    """What a custom layer says beside its functions.

    flags: sum of LayerFlag; default LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC
    options: number of ways to run the layer, 1 .. 64; default 1
    ambient_bytes: bytes of state outside the arguments that forward reads (a random generator); 0: none
    """

    flags: LayerFlag = LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC
    options: int = 1
    ambient_bytes: int = 0
