using System;
using System.Collections.Generic;
using Ckpt.Interop;

namespace Ckpt
{
    // The end of a manager when the process ends. .NET does this on a thread of its own, for which a handler that called Environment.Exit
    // waits; closing would wait for that handler in turn. So the tasks are waited for first, a second at a time, and a manager whose
    // handlers do not return is left as it is.
    internal static class AsyncEnd
    {
        private static readonly TimeSpan slice = TimeSpan.FromSeconds(1);

        // False: the manager must not be touched any more.
        internal static bool Close(NativeHandle manager, bool cancel, TimeSpan timeout)
        {
            var begin = DateTime.UtcNow;
            var mayWait = timeout < TimeSpan.Zero ? TimeSpan.MaxValue : timeout;
            if (cancel) CancelAll(manager);
            while (!AllEnd(manager, cancel || mayWait > slice ? slice : mayWait))
            {
                if (Live(manager).Count == 0 && !AllEnd(manager, slice)) return false;
                if (DateTime.UtcNow - begin < mayWait) continue;
                Console.Error.WriteLine("ckpt: at exit: not all tasks ended within " + timeout + "; the others are cancelled");
                CancelAll(manager);
                if (!AllEnd(manager, slice)) return false;
            }
            native.ckpt_async_manager_close(manager, native.CKPT_CLOSE_MODE_CANCEL, -1); // throws what nobody was told of
            return true;
        }

        // Handlers included.
        private static bool AllEnd(NativeHandle manager, TimeSpan time)
        {
            try
            {
                native.ckpt_async_manager_wait(manager, native.CKPT_CHECKPOINT_TASK_ALL, Times.Nanoseconds(time), null);
                return true;
            }
            catch (CheckpointTimeoutException)
            {
                return false;
            }
        }

        private static void CancelAll(NativeHandle manager)
        {
            foreach (var id in Live(manager))
            {
                try
                {
                    int won;
                    native.ckpt_async_manager_cancel(manager, id, out won);
                }
                catch (CheckpointNotFoundException)
                {
                    // It has left the history meanwhile.
                }
            }
        }

        private static IReadOnlyCollection<long> Live(NativeHandle manager)
        {
            using (var list = new NativeList(native.ckpt_async_manager_list(manager, native.CKPT_CHECKPOINT_TASK_LIST_LIVE)))
                return new List<long>(list.Integers());
        }
    }
}
