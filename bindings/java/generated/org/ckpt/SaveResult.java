// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Result of one save.
 *
 * @param files number of files of the checkpoint, the manifest not counted
 * @param step number of the step that was saved
 * @param commitSequence sequence number of the save, which increases with every save in this storage
 * @param bytes bytes of the files, the manifest not counted
 * @param name name of the checkpoint: its directory in the storage
 * @param linked number of files that were linked or copied because they had not changed
 * @param rankBytes bytes of the files that this rank wrote; equal to bytes for a single process
 * @param generation generation of the checkpoint's line, which increases with each roll-back; 0 in a storage without roll-backs
 * @param rolledBack true when the generation begins with this save: the run went back to an earlier step, or a new run began in
 *     an existing storage, and the checkpoints that are not on its line are abandoned, else false
 * @param metricIgnored true when the metric was not finite, so that the checkpoint has none, else false
 * @param unreportedFailures number of background tasks of this storage that failed in this process with a failure that no caller
 *     received before the release of their manager. Set by the first save of the storage that completes afterwards; else 0
 * @param unreportedStatus status of the oldest of the unreported failures; {@link Status#OK} when there are none
 * @param unreportedError the oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are
 *     none
 */
public record SaveResult(
    long files, long step, long commitSequence, long bytes, String name, long linked, long rankBytes, long generation,
    boolean rolledBack, boolean metricIgnored, long unreportedFailures, Status unreportedStatus, String unreportedError) {
  static SaveResult of(ckpt_save_result struct) {
    return new SaveResult(
        struct.getFiles(), struct.getStep(), struct.getCommit_sequence(), struct.getBytes(), struct.getName(), struct.getLinked(),
        struct.getRank_bytes(), struct.getGeneration(), struct.getRolled_back() != 0, struct.getMetric_ignored() != 0,
        struct.getUnreported_failures(), Status.of(struct.getUnreported_status()), struct.getUnreported_error());
  }

  static SaveResult from(NativeObject.Into<ckpt_save_result> call) {
    try (ckpt_save_result struct = new ckpt_save_result()) {
      call.call(struct);
      return of(struct);
    }
  }
}
