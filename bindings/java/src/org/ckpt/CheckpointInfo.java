package org.ckpt;

import java.util.OptionalDouble;

/**
 * One checkpoint of a storage.
 *
 * @param name the directory in the storage
 * @param step that was saved
 * @param commitSequence -1 unless status is OK
 * @param bytes of the files; 0 unless status is OK
 * @param status OK: manifest and file sizes are right; NOT_FOUND: no manifest, so being written or cut off; CORRUPT: damaged
 * @param metric what the save gave
 */
public record CheckpointInfo(
    String name, long step, long commitSequence, long bytes, Status status, OptionalDouble metric) {
  static CheckpointInfo of(ckpt_checkpoint_info struct) {
    OptionalDouble metric = struct.getHas_metric() != 0 ? OptionalDouble.of(struct.getMetric()) : OptionalDouble.empty();
    return new CheckpointInfo(
        struct.getName(), struct.getStep(), struct.getCommit_sequence(), struct.getBytes(), Status.of(struct.getStatus()), metric);
  }
}
