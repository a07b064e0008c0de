// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Result of one load.
 *
 * @param environmentDiffers true when environmentJson was set and differs from the checkpoint's, or the library's version or the
 *     BLAS in use differs. The log names the difference; results may differ in their last bits. If no BLAS is in use yet, its
 *     first use logs a warning
 * @param step number of the step that was loaded
 * @param commitSequence sequence number of the save in its storage
 * @param seed seed of the run's random numbers, as saved (64 bits without a sign)
 * @param bytes bytes of the files, the manifest not counted
 * @param skipped number of newer checkpoints that could not be used, plus, on an object store, 1 for a damaged commit record of
 *     the checkpoint that was loaded; the load report lists them. A directory without a manifest is not a checkpoint and does not
 *     count
 * @param name name of the checkpoint: its directory in the storage; truncated if it is longer (possible only for a load by name)
 * @param missing number of tensors of the state that the checkpoint lacks; 0 unless the load was partial
 * @param unexpected number of tensors of the checkpoint that the state lacks; 0 unless the load was partial
 * @param partlyFilled true after a load that failed after it had begun to write the tensors, so that some of them hold parts of
 *     the checkpoint: a load in place, or a load with a file that changed between its check and its copy. 0 after a successful
 *     load
 * @param worldSize number of ranks that saved the checkpoint
 */
public record LoadResult(
    boolean environmentDiffers, long step, long commitSequence, long seed, long bytes, long skipped, String name, long missing,
    long unexpected, boolean partlyFilled, long worldSize) {
  static LoadResult of(ckpt_load_result struct) {
    return new LoadResult(
        struct.getEnvironment_differs() != 0, struct.getStep(), struct.getCommit_sequence(), struct.getSeed(), struct.getBytes(),
        struct.getSkipped(), struct.getName(), struct.getMissing(), struct.getUnexpected(), struct.getPartly_filled() != 0,
        struct.getWorld_size());
  }

  static LoadResult from(NativeObject.Into<ckpt_load_result> call) {
    try (ckpt_load_result struct = new ckpt_load_result()) {
      call.call(struct);
      return of(struct);
    }
  }
}
