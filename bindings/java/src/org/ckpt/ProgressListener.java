package org.ckpt;

/** Learns how far a long call is. */
@FunctionalInterface
public interface ProgressListener {
  /**
   * Called first with what is to come, then about every 4 MiB, last with all.
   *
   * @param doneBytes never fewer than before
   * @param totalBytes of all
   */
  void progress(long doneBytes, long totalBytes);
}
