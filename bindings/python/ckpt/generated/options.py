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
    """Options for creating a memory tracker.

    clock: clock for the times of allocations and frees; None: the system's coarse monotonic clock. The tracker keeps it alive
    peak_granularity_bytes: minimum increase, in bytes, of the peak over the last reported one for an event of a new peak, > 0;
        default 1
    """
    struct = _native.ckpt_memory_tracker_options()
    struct.clock = handle_of(clock)
    struct.peak_granularity_bytes = peak_granularity_bytes
    struct.kept = [clock]  # borrowed by the struct
    return struct


def buffer_pool_options(retain_limit_bytes: Optional[int] = 268435456, layer_name: Optional[str] = None) -> Any:
    """Options for creating a buffer pool.

    retain_limit_bytes: maximum number of bytes kept for reuse; beyond it the buffers that were returned first are released to the
        system; default 256 MiB; None: every buffer is kept for reuse
    layer_name: layer name under which the tracker counts the pool's buffers; None: "tensor"
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
    """Options for creating a storage in the file system.

    must_exist: what happens if the directory is missing: False creates it and its parents durably; True: NotFoundError
    write_path: how large files are written: WritePath.RING (the default), WritePath.DIRECT or WritePath.BUFFERED
    large_from_bytes: smallest size of a large file in bytes, >= 0; 0 (the default): 8 MiB
    bytes_per_second: limit of all writes through this storage together, in bytes per second, >= 0; 0: none. After a pause, 4 MiB
        may be written at once. Reads of executors from the files of their tiers have a separate limit of the same value
    may_compress: False: a save that needs more bytes than the file system has free fails with NoSpaceError before it creates a
        file; True: the save is tried anyway. For file systems that compress, where a file may occupy less space than its size
    lock_kind: kind of lock that excludes a second writer; all writers of a directory must use the same kind. None or empty:
        "flock", a lock of flock(2) on the file ".lock"; if the file system has no such locks, opening a writer fails with
        UnsupportedError. "fcntl": a record lock (fcntl(2)) on ".lock", which belongs to the open file where the system has
        F_OFD_SETLK; elsewhere to the process, which loses it when it closes any descriptor of ".lock". "file": a file ".lock-..."
        that records the host, process and start time of the writer, and is removed when the writer is released. If the recorded
        process ran on this host and has ended, its file is taken over; any other file means BusyError. "none": no lock, and a
        warning; a save fails with BusyError before it commits if a second writer has committed. InvalidArgumentError for other
        names
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
    """Options for creating a fault handler: number of attempts and pauses between them.

    max_attempts: maximum number of attempts of one operation, the first one included, >= 1; default 5
    first_delay_ns: pause before the second attempt, in nanoseconds, >= 0; default 10 ms
    max_delay_ns: maximum pause, in nanoseconds, >= 0; default 10 s
    factor: ratio of each pause to the previous one, >= 1; default 2
    jitter: maximum random change of a pause, as a fraction of it, 0 .. 1; default 0.5
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
    """Objects and values that a text refers to. Every one that is set must be used by the text.

    tracker: for memory-aware: tracker of the live bytes, in a step in addition to those of the executors; kept alive. None: live
        bytes of the executors, or outside of steps the resident bytes of the process
    clock: for memory-aware: clock for its adjustments; kept alive; None: the monotonic clock
    total_bytes: for memory-aware: total memory in bytes, >= 0, if the text does not specify it; 0: the memory that the process may
        use
    """
    struct = _native.ckpt_strategy_options()
    struct.tracker = handle_of(tracker)
    struct.clock = handle_of(clock)
    struct.total_bytes = total_bytes
    struct.kept = [tracker, clock]  # borrowed by the struct
    return struct


def layer_profile(flags: LayerFlag = LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC, output_bytes: int = 0, ambient_bytes: int = 0,
                  dtype: Any = None, shape: Sequence[int] = ()) -> Any:
    """Properties of one layer for planning.

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
    """Properties of a tier, a place that is slower than memory, for planning.

    capacity_bytes: capacity of the tier in bytes, >= 0; 0: no limit
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
    """Options for creating an executor.

    budget_bytes: a schedule that reserves more bytes is refused with OverBudgetError; 0: no budget
    pool: threads that the executor uses; kept alive; None: a new pool with as many threads as the process may use
    tracker: tracker that counts every buffer under its layer's name; kept alive; None: a new one
    follower: follower with a strategy that is notified of layers that run and of live bytes; None: none
    recompute_check: check of recomputed forwards: one of RecomputeCheck; default RecomputeCheck.NONE. A difference fails the step
        with CorruptError; the message names the layer and the micro-batch. A RECORD without output is not checked
    check_writes: True: after every run of a layer all bytes of the arena that it must not write are compared with their state
        before, and a change fails the step with CorruptError; the message names the layer; each run of a layer takes longer; False:
        no check
    tier1_storage: storage for the items of tier 1: a file that only this executor can access, or memory, written while layers run;
        kept alive; None: memory of the executor, each item copied synchronously
    tier2_storage: storage for the items of tier 2; kept alive; None: memory, each item copied synchronously
    tier3_storage: storage for the items of tier 3; kept alive; None: memory, each item copied synchronously
    check_finite: True: a layer's output of F32 or F64 that is not finite fails the step with OutOfRangeError; the message names the
        first such layer, the element and its value; each forward reads its output once more; False: only the loss is checked
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
    targets: targets of a loss layer; None when no layer needs them
    output_gradient: gradient of the chain's output; None: 1, only for a chain with an output of one element
    output: receives the chain's output; None: it is not wanted
    input_gradient: receives the gradient of the chain's input; None: it is not wanted. Refused if the first layer computes none
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
    """Options for creating an AdamW optimizer. Its state: "<name>.m" and "<name>.v" for every parameter, and the number of steps.
    Source: Loshchilov, Hutter, "Decoupled weight decay regularization", arXiv:1711.05101.

    learning_rate: size of a step, > 0; default 1e-3
    beta1: decay of the mean of gradients, 0 <= beta1 < 1; default 0.9
    beta2: decay of the mean of squared gradients, 0 <= beta2 < 1; default 0.999
    epsilon: added to the root of the mean of squared gradients, > 0; default 1e-8
    weight_decay: decoupled weight decay, >= 0: each step subtracts learning_rate * weight_decay times a weight from it; default
        0.01
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
    """A learning rate for each step: increases linearly over warm_up_steps, then decays to last_rate at step_count.

    kind: kind of decay: one of LearningRateKind; default LearningRateKind.CONSTANT
    peak_rate: the highest rate, >= 0: of the first step after the warm-up; default 1e-3
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
    """A rule that selects the micro-batches with activations that are kept from forward to backward. The others are recomputed.

    kind: kind of policy: one of ActivationPolicyKind; default ActivationPolicyKind.STORE_ALL
    interval: for selective: n, where every n-th micro-batch is stored, >= 0; 0 stores all, like 1; default 1
    threshold_bytes: for memory-based, also if automatic selects it: maximum bytes of stored activations, >= 0; default 1 GiB
    strategy: for ActivationPolicyKind.STRATEGY: the strategy that is asked; kept alive; ignored by other kinds
    memory_limit_bytes: for automatic: total memory in bytes, >= 0; 0: the memory that this process may use, which is physical
        memory or its control group's limit
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
    """Options for creating an activation manager.

    name: name of the stage for strategies and the tracker; None: "stage"
    tracker: tracker that counts stored activations; kept alive; None: a new one
    clock: clock for the times of stored activations; kept alive; None: the monotonic clock
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
    """Options for creating a pipeline. The chain is split into pieces = stages * chunks pieces of at least one layer; piece k is
    chunk k / stages of stage k % stages.

    order: order in which stages run the forward and backward parts of micro-batches: one of PipelineOrder; default
        PipelineOrder.ONE_F_ONE_B
    stages: number of stages, 1 .. 1024; default 1
    micro_batches: number of micro-batches of a step, 1 .. 65536; divides the batch's samples; default 1
    chunks: number of pieces of each stage; 1 (the default) unless the order is PipelineOrder.INTERLEAVED
    threads_per_stage: number of threads of each stage's pool, the stage's thread included; 1 .. 1024; default 1
    measured_steps: number of runs for measuring the layers' times, for the split and the budget; 0: only bytes are used; default 3
    queue_places: capacity of each queue between neighbours; 0: as much as the schedule needs
    budget_bytes: limit of the reserved bytes of each stage's whole step, with the kept values of all micro-batches in flight; each
        stage uses the fastest plan found within it; 0: no budget
    strategy: strategy that determines each piece's plan, layer by layer; asked again before each step; kept alive; None: no
        strategy
    tracker: tracker that counts every buffer, those of queues included; kept alive; None: a new one
    recompute_check: check of each recomputed forward: one of RecomputeCheck; default RecomputeCheck.NONE
    check_writes: True: detects writes of layers outside of their buffers; False: no check
    check_finite: True: a layer's output of F32 or F64 that is not finite fails the step with OutOfRangeError; the message names the
        layer, the element and the micro-batch: the first such layer of the stage that detected one first; False: only the losses
        are checked
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
    """Options for opening the checkpoints of a storage, and rules for retention.

    read_only: False locks the storage for writing; True: no lock, nothing is changed, and saving fails. The same on all ranks
    keep_last: number of checkpoints to keep after each save, the saved one included; older ones are removed; 0 (the default): all
        are kept. Retention reads manifests, not files: a checkpoint with an unreadable manifest neither counts nor is removed. A
        checkpoint that a load or verification of this process found damaged does not count, and is removed once it is older than
        all kept ones; the newest undamaged one is never removed. Directories left by interrupted saves are removed, too, once a
        checkpoint of the same or a later step is saved
    keep_every: checkpoints with a step that is a multiple of this are kept, too (of equal steps the last committed); 0: none.
        Requires keep_last >= 1
    keep_best: number of checkpoints with the best metric that are kept, too, of equal ones the newest; 0: none. Requires keep_last
        >= 1
    best_metric: which metric is the best: BestMetric.SMALLEST (the default) or BestMetric.LARGEST
    coordinator: coordinator of the processes of the run; kept alive; None: a single process
    fault_handler: decides which errors of the storage are retried; kept alive; None: a handler with default options. Set one with
        max_attempts 1 to disable retries, also for a storage that retries by itself: the attempts would multiply
    keep_rules: retention rules, separated by commas. After every save older checkpoints are removed, except those that a rule,
        keep, keep_last, keep_every or keep_best keeps, those that are pinned, and the newest valid one. "last:COUNT": the newest
        ones; "every:STEPS": those with a step that is a multiple; "best:COUNT" (as best_metric specifies), "best:COUNT:min" and
        "best:COUNT:max": those with the best metric; "newer:AGE": those with an age below this, in seconds, or with s, m, h, d or w
        after the number, and those of unknown age. For example "last:3, every:100, best:2:max, newer:24h". None or empty: no rules.
        Damaged and unreadable checkpoints are treated as for keep_last
    timeout_ns: maximum time in nanoseconds for which one call, or the writing of one background save, waits for the other ranks of
        a coordinator of several processes; 0 (the default): ten minutes
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
    """Options of one save.

    step: number of the step, >= 0; a load takes the highest one of the current line
    seed: seed of the run's random numbers, stored for the load
    metadata_json: arbitrary JSON for users and tools; None: the JSON value null
    environment_json: JSON that describes the environment on which the results' last bits depend (hardware, other libraries); None:
        nothing. The library adds its version and the BLAS that this process uses, if one is loaded already
    prefix: prefix of the checkpoint's name, for users: 1 .. 24 characters of a-z, 0-9 and '_', not "step" or "torn"; loads and
        retention ignore it. None or empty: no prefix
    metric: metric of the state, for the selection of the best checkpoints. If it is not finite, the state is saved without a
        metric, a warning is logged, and metric_ignored is set in the result; None when there is none
    incremental: True (the default): an unchanged file of a group that rarely changes is linked or copied instead of written from
        memory; False: all files are written
    check_replicas: other than 0: with several ranks, compares the checksums of replicated tensors, and of blocks that several ranks
        have, before the save; a difference fails the save with InvalidArgumentError that names the tensor and the ranks. Reads
        every byte of these tensors
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
    """Options of one load.

    verify: level of checks: Verify.FULL (the default) or Verify.NONE
    name: name of the checkpoint to load, without fallback to another one; None: the newest valid one
    step: step of the checkpoint to load, of several the newest valid one; None when there is none; not together with name
    environment_json: JSON that describes the environment of this run, compared with the environment of the save; None: not
        compared. The library's version and the BLAS are always compared, if both sides have them
    partial: False: the state and the checkpoint must have the same names; True: tensors that only one of them has are counted and
        listed in the load report; tensors and keys of the state that the checkpoint lacks keep their values
    in_place: False: a load that fails leaves the state's tensors unchanged. For that, files of the file system are read twice, to
        check them and to copy them, and the copy is checked again; files of other storages need additional memory of the size of
        the tensors. Other values: bytes are read directly into the tensors and checked there, which is faster and needs no
        additional memory; after a load that fails the contents of the tensors are undefined
    strip_prefix: prefix that is removed from the checkpoint's tensor names that begin with it, before they are looked up in the
        state ("module."); None or empty: no prefix is removed. Two names that become equal, or a name that becomes empty, are an
        error
    add_prefix: prefix that is added to each of the checkpoint's tensor names, after strip_prefix was removed, before they are
        looked up in the state; None or empty: no prefix is added
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
    """Options for creating a threshold rule.

    threshold: initial threshold: a share of the longest task, 0.05 .. 1; default 0.35
    learning_rate: maximum change of the threshold by one recovery, > 0, <= 1; default 0.1
    budget: number of checkpoints of a run, >= 0; default 3
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
    """Options for creating a controller.

    policy: policy that decides about saves: one of Policy; default Policy.AUTO
    mtbf_seconds: for Policy.YOUNG and Policy.DALY: mean time between failures in seconds, > 0
    interval_seconds: for Policy.FIXED: interval between saves in seconds, > 0
    keep: for Policy.BAYES and Policy.EXPECTED_VALUE: factor by which each failure discounts earlier observations, > 0, <= 1; 1 (the
        default): no discount
    initial_cost_seconds: cost of a save in seconds until one was measured; 0: unknown
    first_seconds: if the cost of a save is unknown, latest time of the first save in seconds, to measure it; default 600
    poll_seconds: seconds between two polls; 0: the mean duration of observed tasks. A save is requested at the poll nearest to the
        target
    min_interval_seconds: shortest interval between saves in seconds, >= 0
    max_interval_seconds: longest interval between saves in seconds; 0: no maximum
    max_overhead_share: share of the time that saves may take, > 0, <= 1; default 1. Takes precedence over max_interval_seconds
    budget_saves: maximum number of saves in each window, >= 0; 0: no limit
    budget_window_seconds: length of the consecutive windows in seconds, from the begin of the run; 0: one window for the whole run
    threshold: for Policy.THRESHOLD: initial threshold, a share of the longest task, 0.05 .. 1; default 0.35
    threshold_learning_rate: for Policy.THRESHOLD: maximum change of the threshold by one recovery, > 0, <= 1; default 0.1
    threshold_budget: for Policy.THRESHOLD: number of checkpoints of a run, >= 0; default 3
    clock: clock of Controller.now; kept alive; None: the monotonic clock
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
    """Options of a simulation: failures to replay, and policies.

    trace: text with the seconds between failures, one number per line, # begins a comment; None: a distribution is used
    law: distribution of the failures of one node, in seconds: "exponential:MTBF" or "weibull:SHAPE:MTBF"; None: a trace is used
    policies: the policies, separated by commas: auto, threshold, expected-value, young, daly (both with the true MTBF), bayes,
        bayes:KEEP, weibull, fixed:SECONDS; None: all but fixed
    nodes: number of nodes: they fail independently, and each failure stops all; 1 .. 1000000; default 1
    failures: number of failures to draw in each run, 1 .. 1000000; default 200
    replicas: number of runs to draw, 1 .. 100000; default 20
    seed: seed of all random draws; default 1
    cost_seconds: cost of a save in seconds, > 0; default 30
    restart_seconds: duration of a restart after a failure, in seconds, >= 0; default 300
    poll_seconds: seconds between polls, > 0; default 30
    remote_every: n, where every n-th save is remote and costs cost_seconds, and the others are local; >= 1; 1 (the default): all
        are remote
    local_cost_seconds: cost of a local save in seconds, > 0 if saves are local
    remote_share: share of the failures that destroy local saves, 0 .. 1
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
    """Options for creating a manager of background tasks.

    workers: number of worker threads that write and load, 1 .. 16; default 1. Each uses another thread for checksums. Saves of one
        checkpoint manager wait for one another, so more than 1 speeds up only loads
    capacity: maximum number of tasks that have not ended, 1 .. 65536; default 10
    history: number of ended tasks that can still be queried, 1 .. 1048576; default 100
    staging_bytes: maximum bytes of memory for copies, >= 65536; default 1 GiB. Allocated on first use, then kept. A larger state is
        copied in waves: the save returns when the last wave is copied
    prepare_bytes: bytes of memory for copies that are allocated and touched when the manager is created, so that the first saves
        are as fast as later ones; 0 .. staging_bytes
    bytes_per_second: limit of the write rate, in bytes per second; 0: none
    drain_timeout_ns: time in nanoseconds for which the release of the manager waits for tasks; -1: forever; default 30 s
    staging_threads: number of threads that copy, the calling one included, 1 .. 1024; 0 (the default): the threads that this
        process may use, at most 4
    nice: niceness of the manager's threads, above that of the process: 0 .. 19, where 19 is the least favourable
    tracker: tracker that counts the memory for copies, as allocations of the layer "checkpoint staging" with the lifetime of the
        manager; kept alive; None: none
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
    """Options of one background task.

    mode: how the bytes of a save are staged: StagingMode.COPY, StagingMode.BORROW or StagingMode.DEFERRED; ignored by loads;
        default StagingMode.COPY
    when_full: what happens when the queue is full: WhenFull.REFUSE, WhenFull.WAIT (the default) or WhenFull.DROP_OLDEST
    priority: one of Priority: tasks of higher priority start first, of equal priority the older ones; default Priority.NORMAL
    timeout_ns: how long WhenFull.WAIT waits for a place, in nanoseconds; -1: forever; default 60 s
    gate_step: the task starts only after AsyncManager.end_step was called with this step or a later one. Waiting for the task,
        closing, a save that needs its memory, or a call that waits for a place without a time-out opens the gate. A task at a
        closed gate does not block a worker: other tasks start before it; None: the task waits for no step
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
