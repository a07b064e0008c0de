// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Information about one tensor in a file.
 *
 * @param spec element type and shape
 * @param name name of the tensor: UTF-8; may be empty
 * @param bytes size of the tensor in bytes
 * @param offset offset of its first byte in the file, in bytes; 0 if it consists of blocks in several files
 * @param group group of the checkpoint that the tensor is in; empty for files without groups
 */
public record TensorInfo(
    TensorSpec spec, String name, long bytes, long offset, String group) {
  static TensorInfo of(ckpt_tensor_info struct) {
    return new TensorInfo(
        struct.getDtype() == 0 ? null : TensorSpec.of(struct.getDtype(), struct.getNdim(), struct.getShape()), struct.getName(),
        struct.getBytes(), struct.getOffset(), struct.getGroup());
  }

  static TensorInfo from(NativeObject.Into<ckpt_tensor_info> call) {
    try (ckpt_tensor_info struct = new ckpt_tensor_info()) {
      call.call(struct);
      return of(struct);
    }
  }
}
