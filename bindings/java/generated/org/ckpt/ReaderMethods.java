// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Reader} that are one call of the C API. */
abstract class ReaderMethods extends NativeObject {
  ReaderMethods(long address) {
    super(address, Native::ckpt_reader_release);
  }

  static Reader created(Into<long[]> create) {
    return new Reader(number(create));
  }

  /** Returns the number of tensors. */
  public long tensorCount() {
    return number(out -> Native.ckpt_reader_get_tensor_count(this, out));
  }

  /**
   * Returns information about the tensor at index (0 .. count-1, else {@link Status#OUT_OF_RANGE}): group after group, file after
   * file, in the order of the data.
   */
  public TensorInfo tensor(long index) {
    return TensorInfo.from(struct -> Native.ckpt_reader_get_tensor(this, index, struct));
  }

  /**
   * Returns the index of a tensor. group: null for any group; {@link Status#INVALID_ARGUMENT} then if several groups have the name.
   * {@link Status#NOT_FOUND} if no tensor matches.
   */
  public long find(String group, String name) {
    return number(out -> Native.ckpt_reader_find(this, group, name, out));
  }

  /**
   * Reads a tensor's bytes into tensor, which must have its dtype and shape ({@link Status#INVALID_ARGUMENT}). After {@link
   * Status#CORRUPT} (a checksum does not match, or the file has shrunk) or {@link Status#IO} the tensor's contents are undefined.
   */
  public void read(long index, Tensor tensor) {
    Native.ckpt_reader_read(this, index, tensor);
  }

  /** Reads a tensor's bytes as {@code Reader.read}, into a new tensor with memory of pool (null: the process's default pool). */
  public Tensor read(long index, BufferPool pool) {
    return Tensor.created(out -> Native.ckpt_reader_read_new(this, index, pool, out));
  }

  /**
   * Reads rows begin .. begin+length-1 along the first dimension into a new tensor with length as its first dimension and memory of
   * pool (null: the process's default pool). {@link Status#OUT_OF_RANGE} for rows that do not exist; {@link
   * Status#INVALID_ARGUMENT} for a scalar; {@link Status#UNSUPPORTED} if elements have less than a byte and the rows do not begin
   * and end at whole bytes.
   */
  public Tensor readSlice(long index, long begin, long length, BufferPool pool) {
    return Tensor.created(out -> Native.ckpt_reader_read_slice(this, index, begin, length, pool, out));
  }

  /**
   * Returns a new read-only tensor over the file itself (mmap): no byte is copied, and pages are read on access. It keeps the
   * mapping alive, also after the release of the reader and the manager. {@link Status#UNSUPPORTED} if the storage does not support
   * mappings, or if the tensor's bytes are not aligned for its dtype (files of other programs) or are blocks in several files: read
   * the tensor instead. {@link Status#CORRUPT} if the file is now shorter than when it was opened. If another program truncates the
   * file later, access to the missing part kills the process (SIGBUS). So does access to pages that cannot be read from the disk.
   * Only {@code Reader.read} returns errors for these. libckpt never changes a committed file.
   */
  public Tensor map(long index) {
    return Tensor.created(out -> Native.ckpt_reader_map(this, index, out));
  }
}
