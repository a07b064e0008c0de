using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Functions that run on every thread that the library creates, when it starts and before it ends, until this is
    /// disposed of. The binding itself needs none: the runtime attaches a thread once.</summary>
    public sealed class NativeThreadHooks : IDisposable
    {
        private long id;

        /// <summary>Registers the functions, of which one may be null. They take the thread's name; their exceptions are
        /// dropped.</summary>
        /// <param name="start">Runs first on a new thread.</param>
        /// <param name="stop">Runs last.</param>
        public NativeThreadHooks([AllowNull] Action<string> start, [AllowNull] Action<string> stop)
        {
            native.ckpt_add_thread_hooks(new HookFunctions { onStart = start, onStop = stop }, out id);
        }

        /// <summary>Removes them. Waits for every thread that ran start, so dispose of the owners of such threads first.</summary>
        public void Dispose()
        {
            var mine = Interlocked.Exchange(ref id, 0);
            if (mine != 0) native.ckpt_remove_thread_hooks(mine);
        }
    }
}
