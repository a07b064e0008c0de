// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Tensor} that are one call of the C API. */
abstract class TensorMethods extends NativeObject {
  TensorMethods(long address) {
    super(address, Native::ckpt_tensor_release);
  }

  static Tensor created(Into<long[]> create) {
    return new Tensor(number(create));
  }

  /** Returns another reference to the same tensor, to be closed separately. */
  public Tensor share() {
    Native.ckpt_tensor_retain(this);
    return new Tensor(address());
  }

  /**
   * Creates a tensor over the memory of another library. On success the tensor owns managed, and calls its deleter (unless that is
   * null) exactly once, when its last reference is released, on the thread that released it. On failure the deleter has not run,
   * managed still belongs to the caller, and the caller calls the deleter. byte_offset is honoured, strides null means contiguous.
   * {@link Status#UNSUPPORTED} for lanes other than 1, devices other than the CPU, and strides that are not row-major and
   * contiguous. {@link Status#UNSUPPORTED} also for type codes without a dtype: complex of other sizes, opaque handles, float8
   * e3m4, e4m3 with infinities, e4m3b11fnuz. {@link Status#INVALID_ARGUMENT} and {@link Status#OUT_OF_RANGE} for invalid shapes,
   * and for data that is null or not aligned for the dtype.
   */
  public static Tensor fromDlpack(long managed) {
    return Tensor.created(out -> Native.ckpt_tensor_create_from_dlpack(managed, out));
  }

  /**
   * Creates a tensor over the memory of another library as {@code Tensor.createFromDlpack}, from the object of DLPack 1.x. Its
   * read-only flag makes a read-only tensor. {@link Status#UNSUPPORTED} also for a major version other than 1 (only the version is
   * read then; the deleter may be called), for padded elements of less than a byte, and for unknown flags.
   */
  public static Tensor fromDlpackVersioned(long managed) {
    return Tensor.created(out -> Native.ckpt_tensor_create_from_dlpack_versioned(managed, out));
  }

  /** Returns the size of all elements in bytes. */
  public long bytes() {
    return Native.ckpt_tensor_get_bytes(this);
  }

  /** Returns the number of elements. */
  public long elements() {
    return Native.ckpt_tensor_get_element_count(this);
  }

  /** Returns the tensor's element type, one of {@link DType}. */
  public DType dtype() {
    return DType.of(Native.ckpt_tensor_get_dtype(this));
  }

  /**
   * Returns true for a tensor that must not be written (its memory was exported read-only through DLPack, or is a mapped file),
   * else false. Functions that write to a tensor refuse a read-only one with {@link Status#UNSUPPORTED}.
   */
  public boolean isReadOnly() {
    return Native.ckpt_tensor_is_read_only(this) != 0;
  }

  /**
   * Sets every element to value, rounded to the dtype. NaN and infinities are allowed; a finite value outside the range of F32 is
   * {@link Status#OUT_OF_RANGE}. F32 and F64 only, else {@link Status#UNSUPPORTED}.
   */
  public void fill(double value) {
    Native.ckpt_tensor_fill(this, value);
  }

  /**
   * Computes target = factor * target, in the dtype's precision. factor: finite (else {@link Status#INVALID_ARGUMENT}) and, for
   * F32, within its range. F32 and F64 only, else {@link Status#UNSUPPORTED}.
   */
  public void scale(double factor) {
    Native.ckpt_tensor_scale(this, factor);
  }

  /**
   * Computes target = target + factor * source, in the dtype's precision with two roundings per element (axpy of BLAS, never
   * fused). factor: as for {@code Tensor.scale}. dtype and shape must be the same, and the memory either the same or disjoint. F32
   * and F64 only, else {@link Status#UNSUPPORTED}.
   */
  public void addScaled(double factor, Tensor source) {
    Native.ckpt_tensor_add_scaled(this, factor, source);
  }

  /**
   * Returns the sum of all elements, computed in F64 by pairwise summation (Higham, "The accuracy of floating point summation",
   * SIAM J. Sci. Comput. 14, 1993); 0 when there are none. F32 and F64 only, else {@link Status#UNSUPPORTED}.
   */
  public double sum() {
    return real(out -> Native.ckpt_tensor_sum(this, out));
  }

  /**
   * Returns the sum of a[i] * b[i], computed as by {@code Tensor.sum}. If b is a, this is the squared 2-norm. dtype and shape must
   * be the same. F32 and F64 only, else {@link Status#UNSUPPORTED}.
   */
  public double dot(Tensor b) {
    return real(out -> Native.ckpt_tensor_dot(this, b, out));
  }

  /** Copies the elements of source, which must have the dtype and shape of target. Their memory may overlap. */
  public void copyFrom(Tensor source) {
    Native.ckpt_tensor_copy(this, source);
  }

  /**
   * Returns true when dtype, shape and all bytes are the same, else false. A NaN equals a NaN with the same bits, and 0 does not
   * equal -0.
   */
  public boolean isBitEqual(Tensor b) {
    return truth(out -> Native.ckpt_tensor_is_bit_equal(this, b, out));
  }

  /**
   * Returns a view of the tensor for another library, which calls its deleter exactly once, on any thread; the tensor's memory
   * stays alive until then, whether or not the tensor was released. {@link Status#UNSUPPORTED} for a read-only tensor, because this
   * object has no read-only flag.
   */
  public long toDlpack() {
    return number(out -> Native.ckpt_tensor_export_dlpack(this, out));
  }

  /**
   * Returns a view of the tensor as {@code Tensor.toDlpack} does, in the object of DLPack 1.x (version 1.1). Sets the read-only
   * flag if the tensor is read-only.
   */
  public long toDlpackVersioned() {
    return number(out -> Native.ckpt_tensor_export_dlpack_versioned(this, out));
  }
}
