// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Information about one checkpoint, without reading its files.
 *
 * @param status {@link Status#OK}: manifest and file sizes are valid (checksums of files are not checked); {@link
 *     Status#NOT_FOUND}: no manifest, so the save is in progress or was interrupted; {@link Status#CORRUPT}: damaged; others: the
 *     error that prevented reading it
 * @param step number of the step that was saved
 * @param commitSequence sequence number of the save in its storage; 0 unless status is {@link Status#OK}
 * @param bytes bytes of the files, the manifest not counted; 0 unless status is {@link Status#OK}
 * @param name name of the checkpoint: its directory in the storage
 * @param metric metric of the save; empty when there is none
 * @param savedUtc time of the save, in UTC; empty when an earlier version wrote it, or status is not {@link Status#OK}
 * @param pinned true when retention does not remove the checkpoint ({@code CheckpointManager.pin}), else false
 * @param worldSize number of ranks that saved it; 0 unless status is {@link Status#OK}
 * @param generation generation of its line, which increases with each roll-back; 0 in a storage without roll-backs
 * @param abandoned true when a later run went back to an earlier step: only loads by name or step select the checkpoint, and
 *     retention removes it first, else false
 * @param recordDamaged true when, on an object store, its commit record is damaged, and only the digest in the record shows that
 *     it belongs to this checkpoint, else false. Loads use the checkpoint and count the record in skipped
 */
public record CheckpointInfo(
    Status status, long step, long commitSequence, long bytes, String name, OptionalDouble metric, Optional<Instant> savedUtc,
    boolean pinned, long worldSize, long generation, boolean abandoned, boolean recordDamaged) {
  static CheckpointInfo of(ckpt_checkpoint_info struct) {
    return new CheckpointInfo(
        Status.of(struct.getStatus()), struct.getStep(), struct.getCommit_sequence(), struct.getBytes(), struct.getName(),
        struct.getHas_metric() == 0 ? OptionalDouble.empty() : OptionalDouble.of(struct.getMetric()),
        NativeObject.instantIfAny(struct.getSaved_utc_ns()), struct.getPinned() != 0, struct.getWorld_size(), struct.getGeneration(),
        struct.getAbandoned() != 0, struct.getRecord_damaged() != 0);
  }

  static CheckpointInfo from(NativeObject.Into<ckpt_checkpoint_info> call) {
    try (ckpt_checkpoint_info struct = new ckpt_checkpoint_info()) {
      call.call(struct);
      return of(struct);
    }
  }
}
