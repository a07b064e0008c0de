using System;
using System.Collections.Generic;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Drives the steps of one schedule for a Framework, one at a time: calls it to keep, drop, recompute and run
    /// backward. Use from one thread at a time, except Cancel.</summary>
    /// <typeparam name="T">Type of the items.</typeparam>
    public sealed unsafe partial class Driver<T> : NativeObject where T : class
    {
        private readonly Functions functions;

        /// <summary>Creates a driver without a step.</summary>
        /// <param name="schedule">Kept alive.</param>
        /// <param name="framework">Kept alive.</param>
        public Driver(Schedule schedule, Framework<T> framework) : this(schedule, new Functions(framework)) { }

        private Driver(Schedule schedule, Functions functions)
            : base(Created((out IntPtr created) => native.ckpt_driver_create(HandleOf(schedule), functions, out created),
                native.ckpt_driver_release))
        {
            this.functions = functions;
        }

        /// <summary>Begins a step and runs it up to its turn.</summary>
        /// <param name="x0">The chain's input, taken over by the driver.</param>
        /// <returns>The chain's output, owned by the driver.</returns>
        public T Forward(T x0) => functions.Peek(Given(x0, native.ckpt_driver_forward));

        /// <summary>Runs the step that Forward paused to its end.</summary>
        /// <param name="gn">Gradient of the output, taken over by the driver; null for none.</param>
        /// <returns>Gradient of x0; null for none.</returns>
        public T Backward(T gn) => functions.Take(Given(gn, native.ckpt_driver_backward));

        /// <summary>Runs a whole step; Framework.Turn returns the gradient of the output.</summary>
        /// <param name="x0">The chain's input, taken over by the driver.</param>
        /// <returns>Gradient of x0; null for none.</returns>
        public T Run(T x0) => functions.Take(Given(x0, native.ckpt_driver_run));

        /// <summary>The call of the framework that made the last step fail; null when the last step did not fail in one.</summary>
        public DriveCall? Failure
        {
            get
            {
                var calls = NativeList.Created(native.ckpt_driver_get_failure(Handle), at => *(DriveCall*)at);
                return calls.Length == 0 ? (DriveCall?)null : calls[0];
            }
        }

        private delegate void Call(NativeHandle driver, long item, out long created);

        // Hands an item over to the library, unless the call is refused.
        private long Given(T item, Call step)
        {
            var number = functions.Put(item);
            try
            {
                long created;
                step(Handle, number, out created);
                return created;
            }
            catch (CkptException refused) when (refused is CkptInvalidArgumentException || refused is CkptInvalidStateException ||
                                                refused is CkptForkedException)
            {
                functions.Take(number);
                throw;
            }
        }

        // The live items by number, and the callbacks of the library.
        private sealed class Functions : DriveFunctions
        {
            private readonly Framework<T> framework;
            private readonly Dictionary<long, T> items = new Dictionary<long, T>();
            private long last;
            private long recordedOutput;

            internal Functions(Framework<T> framework)
            {
                if (framework == null) throw new ArgumentNullException("framework");
                this.framework = framework;
            }

            internal long Put(T item)
            {
                if (item == null) return 0;
                items.Add(++last, item);
                return last;
            }

            internal T Peek(long number) => number == 0 ? null : items[number];

            internal T Take(long number)
            {
                var item = Peek(number);
                items.Remove(number);
                return item;
            }

            private T Given(DriveCall call, DriveFlag flag, long number)
                => (call.Flags & flag) != 0 ? Take(number) : Peek(number);

            public override long drive(IntPtr which, long first, long output, long tape, long gradOutput)
            {
                var call = **(DriveCall**)which; // the argument holds the address
                switch (call.Kind)
                {
                    case ActionKind.Forward:
                        return Put(framework.Forward(call, Given(call, DriveFlag.TakeInput, first)));
                    case ActionKind.Record:
                        T created, recorded;
                        framework.Record(call, Given(call, DriveFlag.TakeInput, first), out created, out recorded);
                        recordedOutput = Put(created);
                        return Put(recorded);
                    case ActionKind.Backward:
                        return Put(framework.Backward(call, Given(call, DriveFlag.TakeInput, first),
                            Given(call, DriveFlag.TakeOutput, output), Take(tape), Take(gradOutput)));
                    case ActionKind.Turn:
                        return Put(framework.Turn(call, Peek(first)));
                    case ActionKind.StoreBegin:
                        framework.Store(call, Peek(first));
                        return 0;
                    case ActionKind.LoadBegin:
                        return Put(framework.Load(call));
                    case ActionKind.Await:
                        framework.Await(call);
                        return 0;
                    case ActionKind.Drop:
                        framework.Drop(call, Take(first));
                        return 0;
                    default:
                        throw new InvalidOperationException("no such call: " + call.Kind);
                }
            }

            public override long drive_n(IntPtr which, DriveInputs inputs, long output, long tape, long gradOutput)
            {
                var call = **(DriveCall**)which;
                var read = new FrameworkInput<T>[inputs.count()];
                for (var i = 0; i < read.Length; ++i)
                {
                    var isLast = inputs.is_last(i);
                    read[i] = new FrameworkInput<T>(isLast ? Take(inputs.item(i)) : Peek(inputs.item(i)), isLast);
                }
                switch (call.Kind)
                {
                    case ActionKind.Forward:
                        return Put(framework.ForwardN(call, read));
                    case ActionKind.Record:
                        T created, recorded;
                        framework.RecordN(call, read, out created, out recorded);
                        recordedOutput = Put(created);
                        return Put(recorded);
                    case ActionKind.Backward:
                        var sums = new T[read.Length];
                        for (var i = 0; i < sums.Length; ++i) sums[i] = Take(inputs.sum(i));
                        var gradients = framework.BackwardN(call, read, Given(call, DriveFlag.TakeOutput, output), Take(tape),
                            Take(gradOutput), sums);
                        if (gradients.Length != read.Length)
                        {
                            throw new InvalidOperationException("BackwardN returned " + gradients.Length + " gradients; expected " +
                                read.Length);
                        }
                        for (var i = 0; i < gradients.Length; ++i) inputs.set_sum(i, Put(gradients[i]));
                        return 0;
                    default:
                        throw new InvalidOperationException("no such call: " + call.Kind);
                }
            }

            public override long recorded_output() => recordedOutput;
        }
    }
}
