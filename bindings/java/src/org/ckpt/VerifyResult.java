package org.ckpt;

/**
 * What a verification read.
 *
 * @param name the checkpoint's directory in the storage
 * @param files whose every byte was checked
 * @param tensors in them
 * @param bytes of them
 */
public record VerifyResult(String name, int files, long tensors, long bytes) {
  static VerifyResult of(ckpt_verify_result struct) {
    return new VerifyResult(
        struct.getName(), struct.getFiles(), struct.getTensors(), struct.getBytes());
  }
}
