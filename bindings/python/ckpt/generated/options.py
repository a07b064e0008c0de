# Generated from include/ckpt by tools/api: do not edit.
"""Functions that make options: their keywords are the values of the options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

from .. import native as _native
from .._root import handle_of, made_by
from .values import *

if TYPE_CHECKING:
    from .. import Clock, Coordinator, FaultHandler, Follower, MemoryTracker, Storage, WorkerPool


def memory_tracker_options(clock: Optional[Clock] = None, peak_granularity_bytes: int = 1) -> Any:
    """How a memory tracker is made.

    clock: dates what is recorded; None: the system's monotonic clock in its coarse form. The tracker keeps it alive
    peak_granularity_bytes: bytes, above 0: an event of a new peak comes only when the peak is at least this far above the last one
        reported; default 1
    """
    struct = _native.ckpt_memory_tracker_options()
    struct.clock = handle_of(clock)
    struct.peak_granularity_bytes = peak_granularity_bytes
    struct.kept = [clock]  # borrowed by the struct
    return struct


def buffer_pool_options(retain_limit_bytes: Optional[int] = 268435456, layer_name: Optional[str] = None) -> Any:
    """How a buffer pool is made.

    retain_limit_bytes: bytes kept for reuse at most; beyond it the buffers that were returned first are released to the system;
        default 256 MiB; None: every buffer is kept for reuse
    layer_name: the tracker counts the pool's buffers under this layer name; None: "tensor"
    """
    struct = _native.ckpt_buffer_pool_options()
    if retain_limit_bytes is not None:
        struct.retain_limit_bytes = retain_limit_bytes
    struct.has_retain_limit = int(retain_limit_bytes is not None)
    struct.layer_name = layer_name
    struct.kept = [layer_name]  # borrowed by the struct
    return struct


def file_system_options(must_exist: bool = False, write_path: WritePath = WritePath.RING, large_from_bytes: int = 0,
                        bytes_per_second: int = 0, may_compress: bool = False, lock_kind: Optional[str] = None) -> Any:
    """How a storage in the file system is made.

    must_exist: what happens when the directory is missing: False creates it, and those that lead to it, durably; True:
        NotFoundError
    write_path: how large files are written: WritePath.RING (the default), WritePath.DIRECT or WritePath.BUFFERED
    large_from_bytes: files of at least this many bytes count as large, >= 0; 0 (the default): 8 MiB
    bytes_per_second: limit of all writes through this storage together, in bytes per second, >= 0; 0: none. After a pause 4 MiB may
        be written at once. What executors read back from the files of their tiers has the same limit, by itself
    may_compress: False: a save that needs more bytes than the file system has free fails with NoSpaceError before it makes a file;
        True: it is tried all the same. For file systems that compress, where files may take less room than their bytes
    lock_kind: how a writer keeps a second one out of the directory; all its writers use the same kind. None or empty: "flock", a
        lock of flock(2) on the file ".lock"; where the file system has no such locks, opening a writer fails with UnsupportedError.
        "fcntl": a record lock (fcntl(2)) on ".lock", which belongs to the open file where the system has F_OFD_SETLK; elsewhere to
        the process, which loses it when it closes any descriptor of ".lock". "file": a file ".lock-..." that records the host,
        process and start time of the writer, and is removed when the writer is released. If the recorded process ran on this host
        and has ended, its file is taken over; any other file means BusyError. "none": no lock, and a warning; a save fails with
        BusyError before it commits when a second writer has committed. InvalidArgumentError for other names
    """
    struct = _native.ckpt_file_system_options()
    struct.must_exist = int(must_exist)
    struct.write_path = write_path
    struct.large_from_bytes = large_from_bytes
    struct.bytes_per_second = bytes_per_second
    struct.may_compress = int(may_compress)
    struct.lock_kind = lock_kind
    struct.kept = [lock_kind]  # borrowed by the struct
    return struct


def fault_handler_options(max_attempts: int = 5, first_delay_ns: int = 10000000, max_delay_ns: int = 10000000000,
                          factor: float = 2.0, jitter: float = 0.5, seed: int = 0) -> Any:
    """How a fault handler is made: how often and after which pauses a failed operation is tried again.

    max_attempts: attempts of one operation at most, the first one included, >= 1; default 5
    first_delay_ns: pause before the second attempt, in nanoseconds, >= 0; default 10 ms
    max_delay_ns: no pause is longer than this, in nanoseconds, >= 0; default 10 s
    factor: each pause is this many times as long as the pause before it, >= 1; default 2
    jitter: a pause is made longer or shorter by a random share of it of at most this, 0 .. 1; default 0.5
    seed: seed of the random numbers for the jitter: Philox4x32-10
    """
    struct = _native.ckpt_fault_handler_options()
    struct.max_attempts = max_attempts
    struct.first_delay_ns = first_delay_ns
    struct.max_delay_ns = max_delay_ns
    struct.factor = factor
    struct.jitter = jitter
    struct.seed = seed
    return struct


def strategy_options(tracker: Optional[MemoryTracker] = None, clock: Optional[Clock] = None, total_bytes: int = 0) -> Any:
    """What a text cannot hold. All of it has to be used by the text.

    tracker: for memory-aware: counts the live bytes, in a step in addition to those of the executors; kept alive. None: those of
        the executors, or between questions the resident bytes of the process
    clock: for memory-aware: times its adjustments; kept alive; None: the monotonic clock
    total_bytes: for memory-aware: total memory in bytes, at least 0, where the text has none; 0: what the process may use
    """
    struct = _native.ckpt_strategy_options()
    struct.tracker = handle_of(tracker)
    struct.clock = handle_of(clock)
    struct.total_bytes = total_bytes
    struct.kept = [tracker, clock]  # borrowed by the struct
    return struct


def layer_profile(flags: LayerFlag = LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC, output_bytes: int = 0, ambient_bytes: int = 0,
                  dtype: Any = None, shape: Sequence[int] = ()) -> Any:
    """What planning must know of one layer.

    flags: sum of LayerFlag; default LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC
    output_bytes: bytes of the layer's output, and of its gradient, >= 0
    ambient_bytes: bytes of the ambient state that is saved before the first forward and restored before a recomputation, >= 0
    dtype: element type of the layer's output, for strategies; None when not known
    shape: lengths of the dimensions of the layer's output, for strategies
    """
    struct = _native.ckpt_layer_profile()
    struct.flags = flags
    struct.output_bytes = output_bytes
    struct.ambient_bytes = ambient_bytes
    dtype = made_by['dtype'](dtype)
    struct.dtype = dtype
    struct.ndim = len(shape)
    struct.shape = list(shape)
    return struct


def option_profile(tape_bytes: int = 0, forward_workspace_bytes: int = 0, backward_workspace_bytes: int = 0,
                   forward_seconds: float = 0.0, backward_seconds: float = 0.0, record_workspace_bytes: int = 0,
                   record_seconds: float = 0.0, has_record: bool = False, backward_peak_bytes: int = 0) -> Any:
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
    struct = _native.ckpt_option_profile()
    struct.tape_bytes = tape_bytes
    struct.forward_workspace_bytes = forward_workspace_bytes
    struct.backward_workspace_bytes = backward_workspace_bytes
    struct.forward_seconds = forward_seconds
    struct.backward_seconds = backward_seconds
    struct.record_workspace_bytes = record_workspace_bytes
    struct.record_seconds = record_seconds
    struct.has_record = int(has_record)
    struct.backward_peak_bytes = backward_peak_bytes
    return struct


def tier_profile(capacity_bytes: int = 0, write_bytes_per_second: float = 0.0, read_bytes_per_second: float = 0.0,
                 latency_seconds: float = 0.0) -> Any:
    """What planning must know of a tier, a place that is slower than memory.

    capacity_bytes: bytes that the tier can hold, >= 0; 0: no limit
    write_bytes_per_second: rate of a STORE_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time
    read_bytes_per_second: rate of a LOAD_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time
    latency_seconds: duration of a copy of no bytes in seconds, >= 0
    """
    struct = _native.ckpt_tier_profile()
    struct.capacity_bytes = capacity_bytes
    struct.write_bytes_per_second = write_bytes_per_second
    struct.read_bytes_per_second = read_bytes_per_second
    struct.latency_seconds = latency_seconds
    return struct


def schedule_executor_options(budget_bytes: int = 0, pool: Optional[WorkerPool] = None, tracker: Optional[MemoryTracker] = None,
                              follower: Optional[Follower] = None, recompute_check: RecomputeCheck = RecomputeCheck.NONE,
                              check_writes: bool = False, tier1_storage: Optional[Storage] = None,
                              tier2_storage: Optional[Storage] = None, tier3_storage: Optional[Storage] = None,
                              check_finite: bool = False) -> Any:
    """How an executor is made.

    budget_bytes: a schedule that reserves more bytes is refused with OverBudgetError; 0: no budget
    pool: threads that the executor uses; kept alive; None: a pool of its own with as many threads as the process may use
    tracker: counts every buffer under its layer's name; kept alive; None: one of its own
    follower: the strategy it follows is notified of layers that run and of live bytes; None: no strategy is
    recompute_check: what is checked where a layer runs forward again: one of RecomputeCheck; default RecomputeCheck.NONE. A
        difference ends the step with CorruptError, whose message names the layer and the micro-batch. A RECORD that makes no output
        has none to check
    check_writes: True: around every run of a layer all bytes of the arena that it may not write are looked at, and a change ends
        the step with CorruptError, whose message names the layer; each run of a layer takes longer by that; False: they are not
        looked at
    tier1_storage: where the items of tier 1 go: to a file that only this executor reaches, or to memory, while layers run; kept
        alive; None: to memory of the executor's own, each copied at once
    tier2_storage: where the items of tier 2 go; kept alive; None: to memory, each copied at once
    tier3_storage: where the items of tier 3 go; kept alive; None: to memory, each copied at once
    check_finite: True: a layer's output of F32 or F64 that is not finite ends the step with OutOfRangeError, whose message names
        the first such layer, the element and its value; each forward reads its output once more; False: only the loss is looked at
    """
    struct = _native.ckpt_schedule_executor_options()
    struct.budget_bytes = budget_bytes
    struct.pool = handle_of(pool)
    struct.tracker = handle_of(tracker)
    struct.follower = handle_of(follower)
    struct.recompute_check = recompute_check
    struct.check_writes = int(check_writes)
    struct.tier1_storage = handle_of(tier1_storage)
    struct.tier2_storage = handle_of(tier2_storage)
    struct.tier3_storage = handle_of(tier3_storage)
    struct.check_finite = int(check_finite)
    struct.kept = [pool, tracker, follower, tier1_storage, tier2_storage, tier3_storage]  # borrowed by the struct
    return struct


def step(step: int = 0, seed: int = 0, first_sample: int = 0, input: Any = None, targets: Any = None, output_gradient: Any = None,
         output: Any = None, input_gradient: Any = None, accumulate: bool = False) -> Any:
    """Data of one step of training. Tensors are borrowed for the call.

    step: number of the step, >= 0: a key of dropout's random numbers
    seed: seed of the step's random numbers: a key of dropout
    first_sample: global number of the batch's first sample within the step, >= 0
    input: input of the chain, of the executor's input element type and shape
    targets: what a loss layer compares with; None when no layer needs it
    output_gradient: gradient of the chain's output; None: 1, only for a chain whose output has one element
    output: receives the chain's output; None: it is not wanted
    input_gradient: receives the gradient of the chain's input; None: it is not wanted. Refused when the first layer makes none
    accumulate: False: gradients are set to 0 first; True: this step adds to them
    """
    struct = _native.ckpt_step()
    struct.step = step
    struct.seed = seed
    struct.first_sample = first_sample
    input = made_by['tensor'](input)
    struct.input = handle_of(input)
    targets = made_by['tensor'](targets)
    struct.targets = handle_of(targets)
    output_gradient = made_by['tensor'](output_gradient)
    struct.output_gradient = handle_of(output_gradient)
    output = made_by['tensor'](output)
    struct.output = handle_of(output)
    input_gradient = made_by['tensor'](input_gradient)
    struct.input_gradient = handle_of(input_gradient)
    struct.accumulate = int(accumulate)
    struct.kept = [input, targets, output_gradient, output, input_gradient]  # borrowed by the struct
    return struct


def adamw_options(learning_rate: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                  weight_decay: float = 0.01, decay_matrices_only: bool = False) -> Any:
    """How an AdamW optimizer is made. Its state: "<name>.m" and "<name>.v" for every parameter, and the number of steps. Source:
    Loshchilov, Hutter, "Decoupled weight decay regularization", arXiv:1711.05101.

    learning_rate: size of a step, > 0; default 1e-3
    beta1: decay of the mean of gradients, 0 <= beta1 < 1; default 0.9
    beta2: decay of the mean of squared gradients, 0 <= beta2 < 1; default 0.999
    epsilon: added to the root of the mean of squared gradients, > 0; default 1e-8
    weight_decay: decoupled weight decay, >= 0: each step takes learning_rate * weight_decay times a weight from it; default 0.01
    decay_matrices_only: True: only parameters of two dimensions or more decay, biases and norms do not; False: all decay
    """
    struct = _native.ckpt_adamw_options()
    struct.learning_rate = learning_rate
    struct.beta1 = beta1
    struct.beta2 = beta2
    struct.epsilon = epsilon
    struct.weight_decay = weight_decay
    struct.decay_matrices_only = int(decay_matrices_only)
    return struct


def learning_rate_schedule(kind: LearningRateKind = LearningRateKind.CONSTANT, peak_rate: float = 1e-3, last_rate: float = 0,
                           warm_up_steps: int = 0, step_count: int = 0) -> Any:
    """A learning rate for each step: grows in a straight line over warm_up_steps, then falls to last_rate until step_count.

    kind: how it falls: one of LearningRateKind; default LearningRateKind.CONSTANT
    peak_rate: the highest rate, >= 0: of the first step behind the warm-up; default 1e-3
    last_rate: the rate at step_count and later, 0 .. peak_rate; not read when the kind is constant
    warm_up_steps: number of steps before the peak, >= 0: step i of them has peak_rate (i + 1) / (steps + 1)
    step_count: number of steps of the run, >= warm_up_steps; not read when the kind is constant
    """
    struct = _native.ckpt_learning_rate_schedule()
    struct.kind = kind
    struct.peak_rate = peak_rate
    struct.last_rate = last_rate
    struct.warm_up_steps = warm_up_steps
    struct.step_count = step_count
    return struct


def activation_policy(kind: ActivationPolicyKind = ActivationPolicyKind.STORE_ALL, interval: int = 1,
                      threshold_bytes: int = 1073741824, strategy: Any = None, memory_limit_bytes: int = 0) -> Any:
    """Which micro-batches' activations stay from forward to backward. The others are computed again.

    kind: kind of policy: one of ActivationPolicyKind; default ActivationPolicyKind.STORE_ALL
    interval: for selective: every so many-th micro-batch is stored, >= 0; 0 stores all, like 1; default 1
    threshold_bytes: for memory-based, also where automatic picks it: bytes of activations that are stored at most, >= 0; default 1
        GiB
    strategy: for ActivationPolicyKind.STRATEGY: the strategy that is asked; kept alive; ignored by other kinds
    memory_limit_bytes: for automatic: bytes that count as all memory, >= 0; 0: what this process may use, which is physical memory
        or its control group's limit
    """
    struct = _native.ckpt_activation_policy()
    struct.kind = kind
    struct.interval = interval
    struct.threshold_bytes = threshold_bytes
    strategy = made_by['strategy'](strategy)
    struct.strategy = handle_of(strategy)
    struct.memory_limit_bytes = memory_limit_bytes
    struct.kept = [strategy]  # borrowed by the struct
    return struct


def activation_manager_options(name: Optional[str] = None, tracker: Optional[MemoryTracker] = None,
                               clock: Optional[Clock] = None) -> Any:
    """How an activation manager is made.

    name: name of the stage: strategies are asked with it, the tracker counts under it; None: "stage"
    tracker: counts what is stored; kept alive; None: one of its own
    clock: dates what is stored; kept alive; None: the monotonic clock
    """
    struct = _native.ckpt_activation_manager_options()
    struct.name = name
    struct.tracker = handle_of(tracker)
    struct.clock = handle_of(clock)
    struct.kept = [name, tracker, clock]  # borrowed by the struct
    return struct


def pipeline_options(order: PipelineOrder = PipelineOrder.ONE_F_ONE_B, stages: int = 1, micro_batches: int = 1, chunks: int = 1,
                     threads_per_stage: int = 1, measured_steps: int = 3, queue_places: int = 0, budget_bytes: int = 0,
                     strategy: Any = None, tracker: Optional[MemoryTracker] = None,
                     recompute_check: RecomputeCheck = RecomputeCheck.NONE, check_writes: bool = False,
                     check_finite: bool = False) -> Any:
    """How a pipeline is made. The chain is cut into pieces = stages * chunks pieces of at least one layer; piece k is chunk k /
    stages of stage k % stages.

    order: order in which stages run the forward and backward parts of micro-batches: one of PipelineOrder; default
        PipelineOrder.ONE_F_ONE_B
    stages: number of stages, 1 .. 1024; default 1
    micro_batches: number of micro-batches of a step, 1 .. 65536; divides the batch's samples; default 1
    chunks: number of pieces of each stage; 1 (the default) unless the order is PipelineOrder.INTERLEAVED
    threads_per_stage: threads of each stage's pool, its own thread included; 1 .. 1024; default 1
    measured_steps: number of runs that time the layers, for the split and the budget; 0: bytes only; default 3
    queue_places: places of each queue between neighbours; 0: as many as the schedule needs
    budget_bytes: each stage takes the fastest plan found with which its whole step, with what it keeps of every micro-batch in
        flight, reserves no more bytes than this; 0: no budget
    strategy: chooses each piece's plan, layer by layer; asked again before each step; kept alive; None: no strategy
    tracker: counts every buffer, those of queues included; kept alive; None: one of its own
    recompute_check: what is checked where a layer runs forward again: one of RecomputeCheck; default RecomputeCheck.NONE
    check_writes: True: looks whether layers write where they may not; False: does not look
    check_finite: True: a layer's output of F32 or F64 that is not finite ends the step with OutOfRangeError, whose message names
        the layer, the element and the micro-batch: the first such layer of the stage that came upon one first; False: only the
        losses are looked at
    """
    struct = _native.ckpt_pipeline_options()
    struct.order = order
    struct.stages = stages
    struct.micro_batches = micro_batches
    struct.chunks = chunks
    struct.threads_per_stage = threads_per_stage
    struct.measured_steps = measured_steps
    struct.queue_places = queue_places
    struct.budget_bytes = budget_bytes
    strategy = made_by['strategy'](strategy)
    struct.strategy = handle_of(strategy)
    struct.tracker = handle_of(tracker)
    struct.recompute_check = recompute_check
    struct.check_writes = int(check_writes)
    struct.check_finite = int(check_finite)
    struct.kept = [strategy, tracker]  # borrowed by the struct
    return struct


def checkpoint_manager_options(read_only: bool = False, keep_last: int = 0, keep_every: int = 0, keep_best: int = 0,
                               best_metric: BestMetric = BestMetric.SMALLEST, coordinator: Optional[Coordinator] = None,
                               fault_handler: Optional[FaultHandler] = None, keep_rules: Optional[str] = None,
                               timeout_ns: int = 0) -> Any:
    """How the checkpoints of a storage are opened, and which of them stay.

    read_only: False locks the storage for writing; True: no lock, nothing is ever changed, and saving fails. The same on all ranks
    keep_last: after every save older checkpoints are removed, except this many (the saved one included); 0 (the default): all stay.
        Manifests are read for that, files are not: one whose manifest does not parse neither counts nor is removed. One that a load
        or verification of this process found damaged does not count, and is removed once it is older than all that stay; the newest
        other one is never removed. Directories that cut-off saves have left are removed, too, once the saved one is of the same or
        a later step
    keep_every: checkpoints whose step is a multiple of this stay too (of equal steps the last committed); 0: none. Needs keep_last
        >= 1
    keep_best: this many checkpoints with the best metric stay too, of equal ones the newest; 0: none. Needs keep_last >= 1
    best_metric: which metric is the best: BestMetric.SMALLEST (the default) or BestMetric.LARGEST
    coordinator: coordinator of the processes of the run; kept alive; None: a single process
    fault_handler: says which of the storage's errors are tried again; kept alive; None: one with its usual settings. Set one with
        max_attempts 1 for no attempts but the first, also before a storage that tries again by itself: the attempts would multiply
    keep_rules: rules, with commas between them; after every save older checkpoints are removed, except those that a rule, keep or
        the fields above keep, those that are pinned, and the newest good one. "last:COUNT": the newest ones; "every:STEPS": those
        whose step is a multiple; "best:COUNT" (as best_metric says), "best:COUNT:min" and "best:COUNT:max": those with the best
        metric; "newer:AGE": those that were saved less than this ago, in seconds, or with s, m, h, d or w behind the number, or at
        a time that is not known. For example "last:3, every:100, best:2:max, newer:24h". None or empty: no rules. What is said of
        keep_last holds
    timeout_ns: nanoseconds for which one call, or the writing of one save in the background, waits for the other ranks of a
        coordinator of several processes; 0 (the default): ten minutes
    """
    struct = _native.ckpt_checkpoint_manager_options()
    struct.read_only = int(read_only)
    struct.keep_last = keep_last
    struct.keep_every = keep_every
    struct.keep_best = keep_best
    struct.best_metric = best_metric
    struct.coordinator = handle_of(coordinator)
    struct.fault_handler = handle_of(fault_handler)
    struct.keep_rules = keep_rules
    struct.timeout_ns = timeout_ns
    struct.kept = [coordinator, fault_handler, keep_rules]  # borrowed by the struct
    return struct


def save_options(step: int = 0, seed: int = 0, metadata_json: Optional[str] = None, environment_json: Optional[str] = None,
                 prefix: Optional[str] = None, metric: Optional[float] = None, incremental: bool = True,
                 check_replicas: bool = False) -> Any:
    """What one save writes, and how.

    step: number of the step, >= 0; a load takes the highest one of the current line
    seed: seed of the run's random numbers, kept for the load
    metadata_json: JSON text of anything, for people and tools; None: the JSON value null
    environment_json: JSON text of what else the results' last bits depend on (hardware, other libraries); None: nothing. The
        library adds its version and the BLAS that this process uses by then, and loads none for that
    prefix: begins the checkpoint's name, for people: 1 .. 24 of a-z, 0-9 and '_', not "step" or "torn"; loads and retention do not
        look at it. None or empty: no prefix
    metric: metric of the state, compared to find the best checkpoints. If it is not finite, the state is saved without a metric, a
        warning is logged, and metric_ignored is set in the result; None when there is none
    incremental: True (the default): an unchanged file of a group that rarely changes is linked to, or copied, not written from
        memory; False: all are written
    check_replicas: other than 0 compares checksums of the replicated tensors of all ranks, where there are several, before the
        save, and of the blocks of ranks that have the same ones of all sharded tensors; one that differs fails it with
        InvalidArgumentError that names the tensor and the ranks. Reads every byte of these tensors
    """
    struct = _native.ckpt_save_options()
    struct.step = step
    struct.seed = seed
    struct.metadata_json = metadata_json
    struct.environment_json = environment_json
    struct.prefix = prefix
    if metric is not None:
        struct.metric = metric
    struct.has_metric = int(metric is not None)
    struct.incremental = int(incremental)
    struct.check_replicas = int(check_replicas)
    struct.kept = [metadata_json, environment_json, prefix]  # borrowed by the struct
    return struct


def load_options(verify: Verify = Verify.FULL, name: Optional[str] = None, step: Optional[int] = None,
                 environment_json: Optional[str] = None, partial: bool = False, in_place: bool = False,
                 strip_prefix: Optional[str] = None, add_prefix: Optional[str] = None,
                 convert: Conversion = Conversion.NONE) -> Any:
    """What one load takes, and how.

    verify: what is checked: Verify.FULL (the default) or Verify.NONE
    name: name of one checkpoint, which is loaded without falling back; None: the newest valid one
    step: the checkpoint of this step is loaded, of several the newest valid one; None when there is none; not together with name
    environment_json: JSON text of what this run's results depend on, compared with what the save wrote; None: not compared. The
        library's version and the BLAS are compared in any case, as far as both sides have them
    partial: False: the state and the checkpoint must have the same names; True: tensors that only one side has are counted and
        listed in the load report, those of the state and keys that the checkpoint lacks keep what they hold
    in_place: False: a load that fails leaves the state's tensors as they were. Files of the file system are read twice for that, to
        check them and to copy them, and checked again in the copy; of other storages' files it needs as much memory again as the
        tensors have. Other values: bytes are read straight into the tensors and checked there, which is faster and needs no memory,
        and after a load that fails what the tensors hold is undefined
    strip_prefix: what is taken off the beginning of the checkpoint's tensor names that begin with it, before they are looked for in
        the state ("module."); None or empty: nothing. Two names that become one, or a name of which nothing is left, are an error
    add_prefix: what is put before each of the checkpoint's tensor names, after strip_prefix was taken off, before they are looked
        for in the state; None or empty: nothing
    convert: which element types are converted to those of the state's tensors: Conversion.NONE (the default), Conversion.LOSSLESS
        or Conversion.LOSSY
    """
    struct = _native.ckpt_load_options()
    struct.verify = verify
    struct.name = name
    if step is not None:
        struct.step = step
    struct.has_step = int(step is not None)
    struct.environment_json = environment_json
    struct.partial = int(partial)
    struct.in_place = int(in_place)
    struct.strip_prefix = strip_prefix
    struct.add_prefix = add_prefix
    struct.convert = convert
    struct.kept = [name, environment_json, strip_prefix, add_prefix]  # borrowed by the struct
    return struct


def threshold_options(threshold: float = 0.35, learning_rate: float = 0.1, budget: int = 3) -> Any:
    """How a threshold rule is made.

    threshold: first value of the threshold: a share of the longest task, 0.05 .. 1; default 0.35
    learning_rate: how far one recovery moves the threshold at most, above 0, at most 1; default 0.1
    budget: number of checkpoints of a run, at least 0; default 3
    """
    struct = _native.ckpt_threshold_options()
    struct.threshold = threshold
    struct.learning_rate = learning_rate
    struct.budget = budget
    return struct


def controller_options(policy: Policy = Policy.AUTO, mtbf_seconds: float = 0, interval_seconds: float = 0, keep: float = 1,
                       initial_cost_seconds: float = 0, first_seconds: float = 600, poll_seconds: float = 0,
                       min_interval_seconds: float = 0, max_interval_seconds: float = 0, max_overhead_share: float = 1,
                       budget_saves: int = 0, budget_window_seconds: float = 0, threshold: float = 0.35,
                       threshold_learning_rate: float = 0.1, threshold_budget: int = 3, clock: Optional[Clock] = None) -> Any:
    """How a controller is made.

    policy: how saves are decided: one of Policy; default Policy.AUTO
    mtbf_seconds: for Policy.YOUNG and Policy.DALY: mean time between failures in seconds, above 0
    interval_seconds: for Policy.FIXED: interval between saves in seconds, above 0
    keep: for Policy.BAYES and Policy.EXPECTED_VALUE: share of what is known that each failure leaves, above 0, at most 1; 1 (the
        default): nothing is forgotten
    initial_cost_seconds: what a save costs, in seconds, until one was measured; 0: unknown
    first_seconds: when the cost of a save is unknown the first save comes no later than this, in seconds, to learn it; default 600
    poll_seconds: seconds between two questions; 0: as long as observed tasks last on average. A save is asked for at the poll
        nearest to the target
    min_interval_seconds: shortest interval between saves in seconds, at least 0
    max_interval_seconds: longest interval between saves in seconds; 0: no maximum
    max_overhead_share: share of the time that saves may take, above 0, at most 1; default 1. Goes before max_interval_seconds
    budget_saves: number of saves in each window, at least 0; 0: no limit
    budget_window_seconds: length of the windows in seconds, which follow one another from the run's begin; 0: one for the whole run
    threshold: for Policy.THRESHOLD: first value of the threshold, a share of the longest task, 0.05 .. 1; default 0.35
    threshold_learning_rate: for Policy.THRESHOLD: how far one recovery moves the threshold at most, above 0, at most 1; default 0.1
    threshold_budget: for Policy.THRESHOLD: number of checkpoints of a run, at least 0; default 3
    clock: source of time of Controller.now; kept alive; None: the monotonic clock
    """
    struct = _native.ckpt_controller_options()
    struct.policy = policy
    struct.mtbf_seconds = mtbf_seconds
    struct.interval_seconds = interval_seconds
    struct.keep = keep
    struct.initial_cost_seconds = initial_cost_seconds
    struct.first_seconds = first_seconds
    struct.poll_seconds = poll_seconds
    struct.min_interval_seconds = min_interval_seconds
    struct.max_interval_seconds = max_interval_seconds
    struct.max_overhead_share = max_overhead_share
    struct.budget_saves = budget_saves
    struct.budget_window_seconds = budget_window_seconds
    struct.threshold = threshold
    struct.threshold_learning_rate = threshold_learning_rate
    struct.threshold_budget = threshold_budget
    struct.clock = handle_of(clock)
    struct.kept = [clock]  # borrowed by the struct
    return struct


def controller_event(kind: ControllerEventKind = ControllerEventKind.RUN_BEGAN, now_seconds: float = 0, name: Optional[str] = None,
                     duration_seconds: float = 0, stall_seconds: float = 0, durable_seconds: float = 0, saved_seconds: float = 0,
                     overhead_seconds: float = 0, left_seconds: float = 0) -> Any:
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
    struct = _native.ckpt_controller_event()
    struct.kind = kind
    struct.now_seconds = now_seconds
    struct.name = name
    struct.duration_seconds = duration_seconds
    struct.stall_seconds = stall_seconds
    struct.durable_seconds = durable_seconds
    struct.saved_seconds = saved_seconds
    struct.overhead_seconds = overhead_seconds
    struct.left_seconds = left_seconds
    struct.kept = [name]  # borrowed by the struct
    return struct


def simulation_options(trace: Optional[str] = None, law: Optional[str] = None, policies: Optional[str] = None, nodes: int = 1,
                       failures: int = 200, replicas: int = 20, seed: int = 1, cost_seconds: float = 30,
                       restart_seconds: float = 300, poll_seconds: float = 30, remote_every: int = 1, local_cost_seconds: float = 0,
                       remote_share: float = 0) -> Any:
    """What a simulation of failures replays, and against which policies.

    trace: text with the seconds between failures, one number a line, # begins a comment; None: a law is used
    law: law of the failures of one node, in seconds: "exponential:MTBF" or "weibull:SHAPE:MTBF"; None: a trace is used
    policies: the policies, separated by commas: auto, threshold, expected-value, young, daly (both with the true MTBF), bayes,
        bayes:KEEP, weibull, fixed:SECONDS; None: all but fixed
    nodes: number of nodes of the law: they fail one by one, each stops all; 1 .. 1000000; default 1
    failures: number of failures to draw in each run, 1 .. 1000000; default 200
    replicas: number of runs to draw, 1 .. 100000; default 20
    seed: seed of all random draws; default 1
    cost_seconds: cost of a save in seconds, above 0; default 30
    restart_seconds: duration of a restart after a failure, in seconds, at least 0; default 300
    poll_seconds: seconds between questions, above 0; default 30
    remote_every: each so many-th save is remote and costs cost_seconds, the others are local; at least 1; 1 (the default): all are
        remote
    local_cost_seconds: cost of a local save in seconds, above 0 where saves are local
    remote_share: share of the failures that destroy what is local, 0 .. 1
    """
    struct = _native.ckpt_simulation_options()
    struct.trace = trace
    struct.law = law
    struct.policies = policies
    struct.nodes = nodes
    struct.failures = failures
    struct.replicas = replicas
    struct.seed = seed
    struct.cost_seconds = cost_seconds
    struct.restart_seconds = restart_seconds
    struct.poll_seconds = poll_seconds
    struct.remote_every = remote_every
    struct.local_cost_seconds = local_cost_seconds
    struct.remote_share = remote_share
    struct.kept = [trace, law, policies]  # borrowed by the struct
    return struct


def async_manager_options(workers: int = 1, capacity: int = 10, history: int = 100, staging_bytes: int = 1073741824,
                          prepare_bytes: int = 0, bytes_per_second: int = 0, drain_timeout_ns: int = 30000000000,
                          staging_threads: int = 0, nice: int = 0, tracker: Optional[MemoryTracker] = None) -> Any:
    """How a manager of background tasks is made.

    workers: threads that write and load, 1 .. 16; default 1. Each has another one for checksums. Saves of one checkpoint wait for
        one another, so more than 1 helps only loads
    capacity: tasks that have not ended, at most; 1 .. 65536; default 10
    history: tasks that have ended and can still be asked for, 1 .. 1048576; default 100
    staging_bytes: bytes of memory for copies, at most; at least 65536; default 1 GiB. Allocated when it is first needed, then kept.
        A state that is larger is copied in waves: the save returns when the last wave was copied
    prepare_bytes: bytes of the memory for copies that are allocated and touched at once, so that the first saves are as fast as the
        later ones; 0 .. staging_bytes
    bytes_per_second: limit on what is written, in bytes per second; 0: none
    drain_timeout_ns: time in nanoseconds for which the release of the manager lets tasks go on; -1: for ever; default 30 s
    staging_threads: threads that copy, the calling one included, 1 .. 1024; 0 (the default): what this process may use, at most 4
    nice: niceness of the manager's threads, above that of the process: 0 .. 19, where 19 is the least favourable
    tracker: counts the memory for copies, as allocations of the layer "checkpoint staging" that last as long as the manager; kept
        alive; None: no tracker counts it
    """
    struct = _native.ckpt_async_manager_options()
    struct.workers = workers
    struct.capacity = capacity
    struct.history = history
    struct.staging_bytes = staging_bytes
    struct.prepare_bytes = prepare_bytes
    struct.bytes_per_second = bytes_per_second
    struct.drain_timeout_ns = drain_timeout_ns
    struct.staging_threads = staging_threads
    struct.nice = nice
    struct.tracker = handle_of(tracker)
    struct.kept = [tracker]  # borrowed by the struct
    return struct


def checkpoint_task_options(mode: StagingMode = StagingMode.COPY, when_full: WhenFull = WhenFull.WAIT,
                            priority: Priority = Priority.NORMAL, timeout_ns: int = 60000000000,
                            gate_step: Optional[int] = None) -> Any:
    """How one background task is run.

    mode: how the bytes of a save are taken: StagingMode.COPY, StagingMode.BORROW or StagingMode.DEFERRED; loads have none; default
        StagingMode.COPY
    when_full: what happens when the queue is full: WhenFull.REFUSE, WhenFull.WAIT (the default) or WhenFull.DROP_OLDEST
    priority: one of Priority: tasks of a higher one begin first, of equal ones the older; default Priority.NORMAL
    timeout_ns: how long WhenFull.WAIT waits for a place, in nanoseconds; -1: for ever; default 60 s
    gate_step: no worker begins before AsyncManager.end_step was called with this step or a later one. Waiting for the task,
        closing, a save that needs its memory, or a call that waits for a place for ever opens the gate. A task at a closed gate
        holds no worker up: others begin before it; None: the task waits for no step
    """
    struct = _native.ckpt_checkpoint_task_options()
    struct.mode = mode
    struct.when_full = when_full
    struct.priority = priority
    struct.timeout_ns = timeout_ns
    if gate_step is not None:
        struct.gate_step = gate_step
    struct.has_gate_step = int(gate_step is not None)
    return struct
