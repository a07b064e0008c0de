// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Instant;

/**
 * Information about one stored activation.
 *
 * @param microBatch number of the micro-batch, from 0
 * @param spec element type and shape of the activation
 * @param bytes size of the activation in bytes
 * @param hits number of reads since it was stored
 * @param storedAtNs when it was stored, in nanoseconds on the manager's clock
 * @param storedUtc when it was stored, in UTC by the system's clock
 */
public record ActivationMetadata(
    int microBatch, TensorSpec spec, long bytes, long hits, long storedAtNs, Instant storedUtc) {
  static ActivationMetadata of(ckpt_activation_metadata struct) {
    return new ActivationMetadata(
        struct.getMicro_batch(), struct.getDtype() == 0 ? null : TensorSpec.of(struct.getDtype(), struct.getNdim(), struct.getShape()),
        struct.getBytes(), struct.getHits(), struct.getStored_at_ns(), NativeObject.instant(struct.getStored_utc_ns()));
  }

  static ActivationMetadata from(NativeObject.Into<ckpt_activation_metadata> call) {
    try (ckpt_activation_metadata struct = new ckpt_activation_metadata()) {
      call.call(struct);
      return of(struct);
    }
  }
}
