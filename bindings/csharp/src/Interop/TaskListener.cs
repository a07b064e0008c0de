using System;

namespace Ckpt.Interop
{
    // What the library tells of one task, on its threads.
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

        public override void staged(long id, double stallSeconds)
        {
            task.Stage();
        }

        public override void progress(long id, long doneBytes, long totalBytes)
        {
            onProgress.Report(new CheckpointProgress(id, doneBytes, totalBytes));
        }

        public override void ended(ckpt_checkpoint_task_result result)
        {
            task.End(new CheckpointTaskResult(result));
        }
    }
}
