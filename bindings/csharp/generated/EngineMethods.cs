// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Blas
    {
        /// <summary>Loads the BLAS now (OpenBLAS: the file that the environment variable CKPT_OPENBLAS names, else
        /// libopenblas.so.0). Returns its name, version and core as a string. If this processor can run a wider set of OpenBLAS's
        /// kernels than the one in use, the string continues after a semicolon with the names of both. This does not depend on
        /// environment variables. One warning is logged when the BLAS is loaded. Nothing is added for the BLAS of <c>Blas.Set</c>.
        /// <see cref="CkptStatus.NotFound"/> if OpenBLAS is missing; the message lists the files that were tried.
        /// <see cref="CkptStatus.Forked"/>, as from every function that needs a matrix product, in a child that was forked while
        /// another thread loaded the BLAS.</summary>
        public static string Info()
        {
            return native.ckpt_blas_get_info();
        }

        /// <summary>Loads OpenBLAS now, with the given set of its kernels. Without this call OpenBLAS chooses a set when it is
        /// loaded, by the environment variable OPENBLAS_CORETYPE or by its list of processor models; a version that is older than
        /// the processor may choose its slowest set. Results of different sets differ in their last bits. The library itself never
        /// calls this function. name: "best", or the name of a core of OpenBLAS, in upper or lower case. "best" is the fastest set
        /// for products of floats and doubles that the processor can run. It is one of those that every OpenBLAS 0.3 with several
        /// sets (DYNAMIC_ARCH) contains. The names, and the instructions that the processor and the operating system must offer: -
        /// "SkylakeX": AVX-512 F, CD, BW, DQ and VL; "Cooperlake": also VNNI and BF16; "SapphireRapids": also FP16 and AMX-BF16 -
        /// "Haswell": AVX2 and FMA; "Zen": the same, on processors of AMD and Hygon - "Excavator", "Steamroller", "Piledriver",
        /// "Bulldozer": AMD's family 15h - "Sandybridge": AVX; "Nehalem": SSE4.2; "Penryn", "Dunnington": SSE4.1; "Core2": SSSE3;
        /// "Prescott": SSE3 - "Barcelona": AMD's family 10h OpenBLAS belongs to the whole process: every other user of the same
        /// shared library gets these kernels, too. The function sets OPENBLAS_CORETYPE while OpenBLAS is loaded and restores it
        /// before it returns. The C library does not synchronize the environment. During the call no other thread may use it,
        /// neither directly (getenv, setenv) nor in a library: call this function before the process starts threads.
        /// <see cref="CkptStatus.InvalidArgument"/> for an unknown name and for kernels that the processor cannot run; the message
        /// lists those that it can. <see cref="CkptStatus.InvalidState"/> if a BLAS is in use, if <c>Blas.Set</c> was called, or if
        /// the process has loaded that OpenBLAS before. The path does not matter (a program that links it, another library,
        /// LD_PRELOAD); the message names the file and its kernels. <see cref="CkptStatus.NotFound"/> as from <c>Blas.Info</c>.
        /// <see cref="CkptStatus.Unsupported"/> on processors other than x86-64. These errors change nothing.
        /// <see cref="CkptStatus.Unsupported"/> also if the installed OpenBLAS lacks the named set, which is detected only after
        /// loading: OpenBLAS is then in use with the set that it chose instead, which the message and <c>Blas.Info</c> name; "best"
        /// succeeds in this case. <see cref="CkptStatus.Forked"/> as from <c>Blas.Info</c>.</summary>
        public static void SetKernels(string name)
        {
            native.ckpt_blas_set_kernels(name);
        }
    }

    public partial class Chain
    {
        /// <summary>Appends a layer; the chain keeps it alive. <see cref="CkptStatus.InvalidState"/> if it belongs to a chain
        /// already or an executor of the chain was created. <see cref="CkptStatus.AlreadyExists"/> if the name exists.</summary>
        public Chain Add(Layer layer)
        {
            native.ckpt_chain_add(Handle, HandleOf(layer));
            return this;
        }

        /// <summary>Returns the number of layers.</summary>
        public long LayerCount
        {
            get
            {
                long value;
                native.ckpt_chain_get_layer_count(Handle, out value);
                return value;
            }
        }

        /// <summary>Sets every parameter to its initial value from the seed: uniform in +-sqrt(6/inputs) for weights (He et al.,
        /// arXiv:1502.01852), in +-1 for tables, 0 for biases. Those of token_embedding, attention and mlp are uniform with a
        /// standard deviation of 0.02, divided by sqrt(layer's number + 1) for "out.weight" and "down.weight". Weights of norms are
        /// 1 (Radford et al., "Language models are unsupervised multitask learners", 2019). The values are the same on every
        /// machine. Sets gradients to 0.</summary>
        public void Initialize(ulong seed)
        {
            native.ckpt_chain_initialize(Handle, seed);
        }

        /// <summary>Sets the threads for clipping, zeroing of gradients and optimizers of this chain: results have the same bits
        /// for any number of threads. pool: kept alive; null (as in a new chain): only the calling thread.</summary>
        public void SetWorkerPool([AllowNull] WorkerPool pool = null)
        {
            native.ckpt_chain_set_worker_pool(Handle, HandleOf(pool));
        }

        /// <summary>Scales all gradients so that their common 2-norm is at most maxNorm (&gt; 0); returns the norm before scaling.
        /// <see cref="CkptStatus.OutOfRange"/> if that is not finite: no gradient is scaled.</summary>
        public double ClipGradients(double maxNorm)
        {
            double value;
            native.ckpt_chain_clip_gradients(Handle, maxNorm, out value);
            return value;
        }
    }

    public partial class Layer
    {
        /// <summary>Creates a head that shares its weight with an embedding: y = x W^T, for each row, with W the embedding's
        /// "tokens.weight" [VOCABULARY, WIDTH], x: [samples, ..., WIDTH], y: [samples, ..., VOCABULARY]. The weight is a parameter
        /// of the embedding: it is listed, clipped, updated and saved once, and its gradient is the sum of both uses, in any split
        /// of the chain. embedding: a layer of kind token_embedding, kept alive; it belongs to the same chain, before the head (or
        /// to the chain that a pipeline splits). Allocates memory for a separate gradient. <see cref="CkptStatus.InvalidArgument"/>
        /// for a layer of another kind.</summary>
        public static Layer TiedHead(string name, Layer embedding)
        {
            return new Layer(Created((out IntPtr created) =>
                native.ckpt_layer_create_tied_head(name, HandleOf(embedding), out created), native.ckpt_layer_release));
        }
    }

    public partial class Optimizer
    {
        internal Optimizer(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates a stochastic gradient descent optimizer: v = momentum v + g; w = w - learningRate v. learningRate &gt;
        /// 0, 0 &lt;= momentum &lt; 1. State: one tensor per parameter, "&lt;name&gt;.momentum". Keeps the chain alive.</summary>
        public static Optimizer Sgd(Chain chain, double learningRate, double momentum = 0)
        {
            return new Optimizer(Created((out IntPtr created) =>
                native.ckpt_optimizer_create_sgd(HandleOf(chain), learningRate, momentum, out created),
                    native.ckpt_optimizer_release));
        }

        /// <summary>Creates an AdamW optimizer. options: null for the defaults. Keeps the chain alive. Source: Loshchilov, Hutter,
        /// "Decoupled weight decay regularization", arXiv:1711.05101.</summary>
        public static Optimizer AdamW(Chain chain, [AllowNull] AdamWOptions options = null)
        {
            return new Optimizer(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_optimizer_create_adamw(HandleOf(chain), AdamWOptions.Native(options, memory), out created),
                    native.ckpt_optimizer_release));
        }

        /// <summary>Updates the parameters once with the current gradients.</summary>
        public void Step()
        {
            native.ckpt_optimizer_step(Handle);
        }

        /// <summary>Does <c>Chain.ClipGradients</c>(maxNorm) and <c>Optimizer.Step</c>, with the same bits, and sets all gradients
        /// to 0, so that the next step can run with accumulate 1. After the computation of the norm, one pass over the gradients
        /// scales, uses and clears each part while it is in the processor's caches. maxNorm: &gt; 0; INFINITY scales nothing.
        /// Returns the norm before scaling. <see cref="CkptStatus.OutOfRange"/> if that is not finite: gradients, parameters and
        /// state are unchanged.</summary>
        public double StepAndZero(double maxNorm = double.PositiveInfinity)
        {
            double value;
            native.ckpt_optimizer_step_and_zero(Handle, maxNorm, out value);
            return value;
        }

        /// <summary>Gets or sets the size of the next steps.</summary>
        public double LearningRate
        {
            get
            {
                double value;
                native.ckpt_optimizer_get_learning_rate(Handle, out value);
                return value;
            }
            set
            {
                native.ckpt_optimizer_set_learning_rate(Handle, value);
            }
        }

        /// <summary>Gets or sets the number of updates so far; part of AdamW's state.</summary>
        public long StepCount
        {
            get
            {
                long value;
                native.ckpt_optimizer_get_step_count(Handle, out value);
                return value;
            }
            set
            {
                native.ckpt_optimizer_set_step_count(Handle, value);
            }
        }
    }

    public partial class Profile
    {
        /// <summary>Creates a profile of the chain for planning, for inputs of this shape. Bytes are exact. measuredSteps &gt; 0
        /// also times every layer separately on zeros: the median of this number of runs; 0 leaves seconds 0. To measure layers
        /// within the chain, on given data, use <c>Profile.CreateMeasured</c>. pool null: a pool of
        /// <c>Library.AvailableThreads</c>(). Changes no parameter and no gradient, but runs custom layers' callbacks when it
        /// measures.</summary>
        public static Profile FromChain(Chain chain, TensorSpec input, int measuredSteps, [AllowNull] WorkerPool pool = null)
        {
            return new Profile(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_profile_create_from_chain(HandleOf(chain), memory.Of(Given(input, "input")), measuredSteps,
                    HandleOf(pool), out created), native.ckpt_profile_release));
        }

        /// <summary>Creates a profile of the chain with every layer timed within the chain: each option's seconds are the median
        /// over measuredSteps (1 .. 32) steps of the whole chain, forward and backward, on the step's input, targets and
        /// <c>OutputGradient</c>, after one warm-up step. Also reads step, seed and <c>FirstSample</c> of step; input determines
        /// the shape. Needs as much memory as storing everything: if that is too much, see <c>ScheduleExecutor.Refine</c>. pool
        /// null: a pool of <c>Library.AvailableThreads</c>(). Changes no parameter and no gradient, but runs custom layers'
        /// callbacks. It creates executors, so no layers can be added to the chain afterwards.</summary>
        public static Profile Measured(Chain chain, Step step, int measuredSteps, [AllowNull] WorkerPool pool = null)
        {
            return new Profile(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_profile_create_measured(HandleOf(chain), Step.Native(Given(step, "step"), memory), measuredSteps,
                    HandleOf(pool), out created), native.ckpt_profile_release));
        }
    }

    /// <summary>Runs one schedule over one chain for one input shape, step after step, without allocating memory. Owns threads
    /// unless its options have a pool. Not synchronized.</summary>
    public sealed partial class ScheduleExecutor : NativeObject
    {
        internal ScheduleExecutor(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates an executor: verifies the schedule against the chain for this input, places its buffers and reserves
        /// the arena. Keeps chain and schedule alive. options: null for the defaults. <see cref="CkptStatus.OutOfRange"/> for a
        /// schedule that runs layers more than 2^22 times in a step, because an executor stores it as a list. A tier that has a
        /// storage and that the schedule uses reserves space for the longest item of each of its slots. In the file system this is
        /// one file for each executor and tier, with mode 0600 and without a name, so that it disappears when the process ends in
        /// any way. Each slot begins at a multiple of 4096. The storage's options determine how the file is written and at which
        /// rate; <c>BytesPerSecond</c> separately limits reads of such files, too. In memory it is a block of this size. Two
        /// threads for each such tier, one for stores and one for loads, copy in the order of the schedule while layers run; an
        /// <see cref="ActionKind.Await"/> waits for its copy. <see cref="CkptStatus.Unsupported"/>, with a message that names the
        /// tier, for a storage of callbacks; errors of the system if such a file cannot be created.</summary>
        public ScheduleExecutor(Chain chain, Schedule schedule, TensorSpec input,
            [AllowNull] ScheduleExecutorOptions options = null)
            : this(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_schedule_executor_create(HandleOf(chain), HandleOf(schedule), memory.Of(Given(input, "input")),
                    ScheduleExecutorOptions.Native(options, memory), out created), native.ckpt_schedule_executor_release, true))
        {
        }

        /// <summary>Runs the schedule once: forward, backward, gradients added to the layers' parameters. Returns x_n if it has one
        /// element, else NaN. After an error the next step works; gradients are then undefined until a step with accumulate 0.
        /// <see cref="CkptStatus.OutOfRange"/> for a loss that is not finite, before any layer runs backward: <c>CheckFinite</c>
        /// finds the layer that caused it. A copy through a tier's storage that fails also fails the step, after other copies have
        /// ended, and the message names tier and slot: <see cref="CkptStatus.NoSpace"/> if the space for the tier's file is
        /// exhausted, <see cref="CkptStatus.Io"/> also if the file has become shorter than the stored bytes. A storage of
        /// <c>Storage.CreateRetrying</c> has retried it by then. <see cref="CkptStatus.Forked"/> in a forked child if a tier has a
        /// storage.</summary>
        public double Run(Step step)
        {
            using (var memory = new CallMemory())
            {
                double value;
                native.ckpt_schedule_executor_run(Handle, Step.Native(step, memory), out value);
                return value;
            }
        }

        /// <summary>Runs the first layerCount layers forward once, without backward: keeps no tape, disables dropout, and changes
        /// no gradient and no parameter. layerCount: 1 .. number of layers of the chain. Reads step, seed, <c>FirstSample</c>,
        /// input and output of step, and targets if one of the layers needs them; other fields are ignored. output receives the
        /// output of the last of these layers. Returns the same if it has one element, else NaN. The first call allocates memory
        /// outside of the arena: for the activations that exist at once (in a chain two of the largest, at most) and the largest
        /// workspace. Does not count as a step.</summary>
        public double Evaluate(Step step, long layerCount)
        {
            using (var memory = new CallMemory())
            {
                double value;
                native.ckpt_schedule_executor_evaluate(Handle, Step.Native(step, memory), layerCount, out value);
                return value;
            }
        }

        /// <summary>Returns the measurements of the executor since it was created.</summary>
        public ScheduleExecutorStats GetStats()
        {
            return ScheduleExecutorStats.Filled(filled => native.ckpt_schedule_executor_get_stats(Handle, filled));
        }

        /// <summary>Creates a profile with the seconds that the executor's layers take in its steps: a copy of profile (of the
        /// executor's chain and input). In it, the <c>ForwardSeconds</c>, <c>RecordSeconds</c> and <c>BackwardSeconds</c> of the
        /// options that the schedule runs are the medians over the last successful steps, up to 32. Other options are unchanged.
        /// <see cref="CkptStatus.InvalidState"/> before the first step, <see cref="CkptStatus.InvalidArgument"/> for the profile of
        /// another chain.</summary>
        public Profile Refine(Profile profile)
        {
            return new Profile(Created((out IntPtr created) =>
                native.ckpt_schedule_executor_refine(Handle, HandleOf(profile), out created), native.ckpt_profile_release));
        }
    }
}
