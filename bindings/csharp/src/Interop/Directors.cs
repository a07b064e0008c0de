using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;

namespace Ckpt.Interop
{
    // A director with a native object that the library deletes. The ones below are created with their targets.
    internal interface IHandedOver
    {
        void NoLongerOwned();
    }

    internal sealed class ClockFunction : ClockSource
    {
        internal Func<long> function;

        public override long now() => function();
    }

    internal sealed class HookFunctions : ThreadHooks
    {
        internal Action<string> onStart;
        internal Action<string> onStop;

        public override void start(string name)
        {
            if (onStart != null) onStart(name);
        }

        public override void stop(string name)
        {
            if (onStop != null) onStop(name);
        }
    }

    internal sealed class Log : LogListener
    {
        internal LogHandler handler;

        public override void message(int level, string component, string message)
            => handler((LogLevel)level, component, message);
    }

    internal sealed class Report : ProgressListener
    {
        internal IProgress<CheckpointProgress> progress;

        public override void report(long doneBytes, long totalBytes)
            => progress.Report(new CheckpointProgress(0, doneBytes, totalBytes));
    }

    internal sealed class PartFunction : PartWork
    {
        internal Action<long> function;

        public override void run(long part) => function(part);
    }

    internal sealed class SleepFunction : Sleeper
    {
        internal Action<TimeSpan> function;

        public override void sleep(long ns) => function(Times.OfNanoseconds(ns));
    }

    internal sealed class DecideFunction : Decider
    {
        internal Action<Fault> function;

        public override void decide(int status, string message, int attempt, bool retry, long delay, FaultAnswer answer)
        {
            var fault = new Fault((CkptStatus)status, message, attempt) { Retry = retry, Delay = Times.OfNanoseconds(delay) };
            function(fault);
            answer.set(fault.Retry, Times.Nanoseconds(fault.Delay));
        }
    }

    internal sealed class KeepFunction : Keeper
    {
        internal Func<CheckpointInfo, bool> function;

        public override bool keep(ckpt_checkpoint_info info) => function(new CheckpointInfo(info));
    }

    internal sealed class RenameFunction : Renamer
    {
        internal Func<string, string> function;

        public override void rename(string name, NewName answer) => answer.set(function(name));

        internal static RenameFunction Of(Func<string, string> rename)
        {
            return rename == null ? null : new RenameFunction { function = rename };
        }
    }

    // The managed object of a subscription. It does not reference the tracker strongly, so that the tracker can be collected.
    internal sealed unsafe class MemoryEvents : EventListener
    {
        internal Action<MemoryEvent> handler;

        public override void on_event(IntPtr memoryEvent) => handler(new MemoryEvent(*(NativeMemoryEvent*)memoryEvent));
    }

    internal sealed unsafe class StrategyCalls : StrategyAnswers
    {
        internal Func<StrategyQuestion, bool> onDecide;
        internal Action onReset;
        internal Action<string> onAccess;

        public override bool decide(IntPtr question)
            => onDecide(new StrategyQuestion(*(NativeStrategyQuestion*)question));

        public override void reset()
        {
            if (onReset != null) onReset();
        }

        public override void access(string layerName)
        {
            if (onAccess != null) onAccess(layerName);
        }
    }

    internal sealed class StrategyMaker : StrategyFactory
    {
        internal Func<string, ICheckpointStrategy> function;

        public override IntPtr make(string arguments)
        {
            var created = function(arguments);
            if (created == null) throw new InvalidOperationException("factory: expected a strategy, returned null");
            using (var memory = new CallMemory()) return NativeObject.Taken(memory.Of(created), native.ckpt_strategy_retain);
        }
    }

    internal sealed class StorageMaker : StorageFactory
    {
        internal Func<string, Storage> function;

        public override IntPtr make(string uri)
        {
            var created = function(uri);
            if (created == null) throw new InvalidOperationException("factory: expected a storage, returned null");
            return created.Handle.Detach();
        }
    }

    // The library's calls of a CustomLayer.
    internal sealed unsafe class LayerCalls : LayerFunctions
    {
        internal CustomLayer layer;

        public override IntPtr output(IntPtr input)
        {
            var created = layer.Output(new TensorSpec(*(NativeTensorSpec*)input));
            if (created == null) throw new InvalidOperationException("Output: expected a TensorSpec, returned null");
            var place = native.ckpt_csharp_result_place();
            *(NativeTensorSpec*)place = created.Native;
            return place;
        }

        public override IntPtr option(IntPtr input, int number)
        {
            var option = layer.Option(new TensorSpec(*(NativeTensorSpec*)input), number);
            var place = native.ckpt_csharp_result_place();
            *(LayerOption*)place = option;
            return place;
        }

        public override void forward(IntPtr context, IntPtr input, IntPtr output, IntPtr tape, IntPtr workspace)
        {
            using (var lent = new LentContext(context))
                layer.Forward(lent.Context, NativeBytes.Of(input), NativeBytes.Of(output), NativeBytes.Of(tape),
                    NativeBytes.Of(workspace));
        }

        public override void record(IntPtr context, IntPtr input, IntPtr tape, IntPtr workspace)
        {
            using (var lent = new LentContext(context))
                layer.Record(lent.Context, NativeBytes.Of(input), NativeBytes.Of(tape), NativeBytes.Of(workspace));
        }

        public override void backward(IntPtr context, IntPtr input, IntPtr output, IntPtr tape, IntPtr gradOutput, IntPtr gradInput,
                                      IntPtr workspace)
        {
            using (var lent = new LentContext(context))
                layer.Backward(lent.Context, NativeBytes.Of(input), NativeBytes.Of(output), NativeBytes.Of(tape),
                    NativeBytes.Of(gradOutput), NativeBytes.Of(gradInput), NativeBytes.Of(workspace));
        }

        public override void save_ambient(IntPtr state) => layer.SaveAmbient(NativeBytes.Of(state));

        public override void restore_ambient(IntPtr state) => layer.RestoreAmbient(NativeBytes.Of(state));

        // A context, which disposes of the objects passed with it. ckpt_swig::LayerContext holds a pointer.
        private struct LentContext : IDisposable
        {
            internal LentContext(IntPtr context) { Context = new LayerContext(**(NativeLayerContext**)context); }

            internal LayerContext Context { get; }

            public void Dispose()
            {
                if (Context.Targets != null) Context.Targets.Dispose();
                if (Context.Pool != null) Context.Pool.Dispose();
            }
        }
    }

    internal sealed class StageFunction : StageForward
    {
        internal Func<Tensor, int, Tensor> function;

        public override IntPtr forward(IntPtr input, int microBatch)
        {
            using (var lent = new Tensor(NativeHandle.Lent(input)))
            {
                var output = function(lent, microBatch);
                if (output == null) throw new InvalidOperationException("forward: expected a tensor, returned null");
                return NativeObject.Taken(output.Handle, native.ckpt_tensor_retain);
            }
        }
    }

    internal sealed class StatefulCalls : Stateful
    {
        internal IStateful stateful;

        public override void list(IntPtr into)
        {
            using (var lent = new State(NativeHandle.Lent(into))) stateful.List(lent);
        }

        public override void restore(IntPtr loaded)
        {
            using (var lent = new State(NativeHandle.Lent(loaded))) stateful.Restore(lent);
        }
    }

    internal sealed class SourceFunction : AsyncSource
    {
        internal CheckpointSource function;

        public override void read(string group, string name, long data, long offset, IntPtr buffer)
            => function(group, name, (IntPtr)data, offset, NativeBytes.Of(buffer));
    }

    // Receives the library's reports on one task, on its threads.
    internal sealed class TaskListener : AsyncListener
    {
        private readonly CheckpointTask task;
        private readonly IProgress<CheckpointProgress> onProgress;

        internal TaskListener(CheckpointTask task, IProgress<CheckpointProgress> onProgress)
        {
            this.task = task;
            this.onProgress = onProgress;
            wants(true, onProgress != null);
        }

        public override void staged(long id, long stall) => task.Stage();

        public override void progress(long id, long doneBytes, long totalBytes)
            => onProgress.Report(new CheckpointProgress(id, doneBytes, totalBytes));

        public override void ended(ckpt_checkpoint_task_result result) => task.End(new CheckpointTaskResult(result));
    }

    // Maps the library's numbers to the files and locks of a CustomStorage.
    internal sealed unsafe partial class StorageCalls
    {
        private readonly ConcurrentDictionary<long, object> files = new ConcurrentDictionary<long, object>();
        private long last;

        internal bool IsObjects => objects != null;

        // Whether the object store overrides these methods.
        internal bool ReadsRanges
            => IsObjects && IsOwn(new Action<object, IReadOnlyList<StorageRange>>(objects.ReadRanges));

        internal bool RemovesMany => IsObjects && IsOwn(new Action<IReadOnlyList<string>>(objects.RemoveMany));

        private static bool IsOwn(Delegate method) => method.Method.DeclaringType != typeof(CustomObjects);

        private long Number(object file)
        {
            var number = Interlocked.Increment(ref last);
            files[number] = file;
            return number;
        }

        private object Taken(long number)
        {
            object file;
            files.TryRemove(number, out file);
            return file;
        }
    }
}
