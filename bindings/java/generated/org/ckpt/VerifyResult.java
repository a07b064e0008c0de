// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Result of a verification.
 *
 * @param files number of files that were checked completely, the manifest not counted
 * @param tensors number of tensors in the files that were checked
 * @param bytes bytes of the files that were checked
 * @param name name of the checkpoint: its directory in the storage, truncated if it is longer
 */
public record VerifyResult(
    long files, long tensors, long bytes, String name) {
  static VerifyResult of(ckpt_verify_result struct) {
    return new VerifyResult(
        struct.getFiles(), struct.getTensors(), struct.getBytes(), struct.getName());
  }

  static VerifyResult from(NativeObject.Into<ckpt_verify_result> call) {
    try (ckpt_verify_result struct = new ckpt_verify_result()) {
      call.call(struct);
      return of(struct);
    }
  }
}
