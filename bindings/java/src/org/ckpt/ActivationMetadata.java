package org.ckpt;

/**
 * What is known of one stored activation.
 *
 * @param microBatch whose it is
 * @param bytes of it
 * @param spec type and shape
 * @param storedNs when, on the manager's clock, in nanoseconds
 * @param hits times it was read since it was stored
 */
public record ActivationMetadata(long microBatch, long bytes, TensorSpec spec, long storedNs, long hits) {
  static ActivationMetadata of(ckpt_activation_metadata struct) {
    return new ActivationMetadata(
        struct.getMicro_batch(), struct.getBytes(),
        new TensorSpec(DType.of(struct.getDtype()), java.util.Arrays.copyOf(struct.getShape(), struct.getNdim())),
        struct.getStored_ns(), struct.getHits());
  }
}
