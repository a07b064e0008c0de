package org.ckpt;

/**
 * What a load found.
 *
 * @param name the checkpoint's directory in the storage
 * @param step that was loaded
 * @param commitSequence of the checkpoint
 * @param seed of the run's random numbers
 * @param bytes of the files
 * @param skipped newer checkpoints, torn or corrupt, that were passed over
 * @param missing tensors of the state that the checkpoint lacks; 0 unless partial
 * @param unexpected tensors of the checkpoint that the state lacks; 0 unless partial
 * @param environmentDiffers whether the environment given to the load is not the checkpoint's
 */
public record LoadResult(
    String name, long step, long commitSequence, long seed, long bytes, long skipped, long missing, long unexpected,
    boolean environmentDiffers) {
  static LoadResult of(ckpt_load_result struct) {
    return new LoadResult(
        struct.getName(), struct.getStep(), struct.getCommit_sequence(), struct.getSeed(), struct.getBytes(),
        struct.getSkipped(), struct.getMissing(), struct.getUnexpected(), struct.getEnvironment_differs() != 0);
  }
}
