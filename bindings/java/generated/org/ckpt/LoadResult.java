// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * What one load found.
 *
 * @param environmentDiffers true when environmentJson was set and is not the checkpoint's, or the library's version or the BLAS
 *     in use is another one. The log says which; results may differ in their last bits. Where no BLAS is in use yet, its first
 *     use warns in the log
 * @param step number of the step that was loaded
 * @param commitSequence number of the save among those in its storage
 * @param seed seed of the run's random numbers, as saved (64 bits without a sign)
 * @param bytes bytes of the files, the manifest not counted
 * @param skipped number of newer checkpoints that could not be used, and, on an object store, 1 for a damaged commit record of
 *     the checkpoint that was loaded; the load report names them. A directory without a manifest is not a checkpoint and does not
 *     count
 * @param name name of the checkpoint: its directory in the storage; cut off when it is longer (only if the load was asked for it
 *     by name)
 * @param missing number of tensors of the state that the checkpoint lacks; 0 unless the load was partial
 * @param unexpected number of tensors of the checkpoint that the state lacks; 0 unless the load was partial
 * @param partlyFilled true after a load that failed when it had begun to write the tensors, some of which hold parts of the
 *     checkpoint by then: a load in place, or one whose file changed between its check and its copy. 0 after one that succeeded
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
