package org.ckpt;

/**
 * What a save made.
 *
 * @param name the checkpoint's directory in the storage
 * @param step that was saved
 * @param commitSequence grows with every save in the storage
 * @param files of the checkpoint, the manifest not counted
 * @param bytes of the files
 * @param linked files that were linked or copied because nothing in them had changed
 */
public record SaveResult(String name, long step, long commitSequence, int files, long bytes, long linked) {
  static SaveResult of(ckpt_save_result struct) {
    return new SaveResult(
        struct.getName(), struct.getStep(), struct.getCommit_sequence(), struct.getFiles(), struct.getBytes(), struct.getLinked());
  }
}
