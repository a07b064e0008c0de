package org.ckpt;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;

/**
 * Memory with an element type and a shape: row-major, contiguous, in the machine's byte order. A tensor owns its memory, or uses
 * that of a direct buffer. Buffers over a tensor keep its memory alive, also after {@link #close}; a tensor over a buffer keeps the
 * buffer alive. Writing while another thread reads or writes the same tensor is a data race.
 */
public final class Tensor extends TensorMethods {
  /** The type of a tree's tensor in the program that wrote it. */
  record Form(int number, boolean isBigEndian, boolean isComplex128) {
    static final Form TENSOR = new Form(TreeForm.TENSOR.number(), false, false);
  }

  Form form = Form.TENSOR;
  private ByteBuffer whole;

  Tensor(long address) {
    super(address);
  }

  /** Wraps one reference, which the tensor releases. */
  static Tensor adopt(long address) {
    return new Tensor(address);
  }

  /** Returns a new reference to a tensor that a callback borrows; null for address 0. */
  static Tensor lent(long address) {
    if (address == 0) return null;
    Native.ckpt_tensor_retain(new LentObject(address));
    return new Tensor(address);
  }

  /**
   * Creates a tensor with undefined contents, in memory of the process's default pool.
   *
   * @param dtype of its elements
   * @param shape lengths of its dimensions, at most 8; none: a scalar
   */
  public Tensor(DType dtype, long... shape) {
    this(null, dtype, shape);
  }

  /**
   * Creates a tensor with undefined contents, in memory of a pool.
   *
   * @param pool provides the memory; null: the default pool
   * @param dtype of its elements
   * @param shape lengths of its dimensions, at most 8; none: a scalar
   */
  public Tensor(BufferPool pool, DType dtype, long... shape) {
    this(number(out -> Native.ckpt_tensor_create(dtype.number(), shape, pool, out)));
  }

  // ---- Tensors over memory of the program ----

  /**
   * Creates a tensor over a direct buffer's bytes between position and limit, without a copy.
   *
   * @param buffer direct, in native order unless the elements are bytes or smaller (a new ByteBuffer is big-endian, a slice or
   *     duplicate too: ByteBuffer.order first), aligned for the dtype, with exactly the bytes of the shape; kept alive
   * @param dtype of its elements
   * @param shape lengths of its dimensions
   * @return the tensor
   * @throws CkptInvalidArgumentException for a heap or read-only buffer, one of the other byte order, and when the number of bytes
   *     is wrong
   */
  public static Tensor borrow(ByteBuffer buffer, DType dtype, long... shape) {
    requireWritable(buffer);
    requireOrder(buffer, dtype);
    return over(buffer, buffer.slice(), buffer.remaining(), new TensorSpec(dtype, shape));
  }

  /**
   * Creates a tensor over floats in native byte order, without a copy.
   *
   * @param buffer direct; kept alive
   * @param shape lengths of its dimensions; none: one dimension
   * @return an F32 tensor
   */
  public static Tensor borrow(FloatBuffer buffer, long... shape) {
    return ordered(buffer, buffer.order(), buffer.slice(), Float.BYTES, DType.F32, shape);
  }

  /**
   * Creates a tensor over doubles in native byte order, without a copy.
   *
   * @param buffer direct; kept alive
   * @param shape lengths of its dimensions; none: one dimension
   * @return an F64 tensor
   */
  public static Tensor borrow(DoubleBuffer buffer, long... shape) {
    return ordered(buffer, buffer.order(), buffer.slice(), Double.BYTES, DType.F64, shape);
  }

  /**
   * Creates a tensor over ints in native byte order, without a copy.
   *
   * @param buffer direct; kept alive
   * @param shape lengths of its dimensions; none: one dimension
   * @return an I32 tensor
   */
  public static Tensor borrow(IntBuffer buffer, long... shape) {
    return ordered(buffer, buffer.order(), buffer.slice(), Integer.BYTES, DType.I32, shape);
  }

  /**
   * Creates a tensor over longs in native byte order, without a copy.
   *
   * @param buffer direct; kept alive
   * @param shape lengths of its dimensions; none: one dimension
   * @return an I64 tensor
   */
  public static Tensor borrow(LongBuffer buffer, long... shape) {
    return ordered(buffer, buffer.order(), buffer.slice(), Long.BYTES, DType.I64, shape);
  }

  /**
   * Creates a tensor over memory of another native library, which must stay valid as long as anything uses the tensor. For memory
   * that this process cannot read, saves take an {@link CheckpointTaskSource}.
   *
   * @param address of the first byte
   * @param dtype of the elements
   * @param shape lengths of the dimensions; less than 2 GiB
   * @return the tensor
   */
  public static Tensor foreign(long address, DType dtype, long... shape) {
    long bytes = new TensorSpec(dtype, shape).bytes();
    if (bytes > Integer.MAX_VALUE) {
      throw new CkptOutOfRangeException("foreign memory of " + bytes + " bytes: expected less than 2 GiB");
    }
    return borrow(Native.view(address, bytes).order(ByteOrder.nativeOrder()), dtype, shape);
  }

  private static Tensor ordered(Buffer buffer, ByteOrder order, Buffer slice, long size, DType dtype, long[] shape) {
    requireOrder(order);
    long[] lengths = shape.length == 0 ? new long[] {buffer.remaining()} : shape;
    return over(buffer, slice, buffer.remaining() * size, new TensorSpec(dtype, lengths));
  }

  private static void requireWritable(Buffer buffer) {
    NativeBuffers.direct(buffer, "buffer");
    if (buffer.isReadOnly()) throw new CkptInvalidArgumentException("buffer: expected a writable buffer, found a read-only one");
  }

  private static void requireOrder(ByteOrder order) {
    if (order != ByteOrder.nativeOrder()) {
      throw new CkptInvalidArgumentException("buffer: expected native byte order, found " + order + " (call ByteBuffer.order)");
    }
  }

  private static void requireOrder(ByteBuffer buffer, DType dtype) {
    if (dtype.bits() > Byte.SIZE) requireOrder(buffer.order());
  }

  private static Tensor over(Buffer buffer, Buffer slice, long bytes, TensorSpec spec) {
    requireWritable(buffer);
    if (spec.bytes() != bytes) {
      throw new CkptInvalidArgumentException("buffer: expected " + spec.bytes() + " bytes for " + spec + ", found " + bytes);
    }
    return new Tensor(number(out -> Native.ckpt_tensor_create_borrowed(slice, spec.dtype().number(), spec.shape(), out)));
  }

  /**
   * Creates an F32 tensor with a copy of an array.
   *
   * @param elements copied
   * @param shape lengths of its dimensions; none: one dimension
   * @return an F32 tensor
   */
  public static Tensor copyOf(float[] elements, long... shape) {
    Tensor created = sized(DType.F32, elements.length, shape);
    created.floatBuffer().put(elements);
    return created;
  }

  /**
   * Creates an F64 tensor with a copy of an array.
   *
   * @param elements copied
   * @param shape lengths of its dimensions; none: one dimension
   * @return an F64 tensor
   */
  public static Tensor copyOf(double[] elements, long... shape) {
    Tensor created = sized(DType.F64, elements.length, shape);
    created.doubleBuffer().put(elements);
    return created;
  }

  /**
   * Creates an I32 tensor with a copy of an array.
   *
   * @param elements copied
   * @param shape lengths of its dimensions; none: one dimension
   * @return an I32 tensor
   */
  public static Tensor copyOf(int[] elements, long... shape) {
    Tensor created = sized(DType.I32, elements.length, shape);
    created.intBuffer().put(elements);
    return created;
  }

  /**
   * Creates an I64 tensor with a copy of an array.
   *
   * @param elements copied
   * @param shape lengths of its dimensions; none: one dimension
   * @return an I64 tensor
   */
  public static Tensor copyOf(long[] elements, long... shape) {
    Tensor created = sized(DType.I64, elements.length, shape);
    created.longBuffer().put(elements);
    return created;
  }

  /**
   * Creates a tensor with a copy of a buffer's bytes between position and limit; a heap buffer is allowed.
   *
   * @param buffer copied; its position does not change; in native order unless the elements are bytes or smaller
   * @param dtype of the elements
   * @param shape lengths of its dimensions
   * @return the tensor
   */
  public static Tensor copyOf(ByteBuffer buffer, DType dtype, long... shape) {
    requireOrder(buffer, dtype);
    TensorSpec spec = new TensorSpec(dtype, shape);
    if (spec.bytes() != buffer.remaining()) {
      throw new CkptInvalidArgumentException(
          "buffer: expected " + spec.bytes() + " bytes for " + spec + ", found " + buffer.remaining());
    }
    Tensor created = new Tensor(dtype, shape);
    created.buffer().put(buffer.duplicate());
    return created;
  }

  private static Tensor sized(DType dtype, long elements, long[] shape) {
    TensorSpec spec = new TensorSpec(dtype, shape.length == 0 ? new long[] {elements} : shape);
    if (spec.elements() != elements) {
      throw new CkptInvalidArgumentException(
          "array: expected " + spec.elements() + " elements for " + spec + ", found " + elements);
    }
    return new Tensor(dtype, spec.shape());
  }

  // ---- Views ----

  /**
   * Returns the tensor's memory, without a copy: read-only when the tensor is. It stays valid as long as it is reachable.
   *
   * @return a direct buffer in native order
   * @throws CkptOutOfRangeException for 2 GiB or more: use {@link #buffer(long, int)}
   */
  public ByteBuffer buffer() {
    if (bytes() > Integer.MAX_VALUE) {
      throw new CkptOutOfRangeException("tensor of " + bytes() + " bytes: a ByteBuffer holds at most " + Integer.MAX_VALUE);
    }
    if (isClosed()) throw closed(this);
    if (whole == null) whole = buffer(0, (int) bytes());
    return whole.duplicate().order(ByteOrder.nativeOrder());
  }

  /**
   * Returns a range of the tensor's bytes, without a copy, like {@link #buffer()}.
   *
   * @param offset of the first byte
   * @param length number of bytes
   * @return a direct buffer in native order
   */
  public ByteBuffer buffer(long offset, int length) {
    if (offset < 0 || length < 0 || offset > bytes() - length) {
      throw new CkptOutOfRangeException("bytes [" + offset + ", " + (offset + length) + "): the tensor has " + bytes());
    }
    long data = Native.ckpt_tensor_get_const_data(this);
    if (length == 0 || data == 0) return ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder());
    ByteBuffer view = Native.view(data + offset, length);
    Native.ckpt_tensor_retain(this);
    releaseWithOwner(view, address(), Native::ckpt_tensor_release);
    return (isReadOnly() ? view.asReadOnlyBuffer() : view).order(ByteOrder.nativeOrder());
  }

  /**
   * Returns the elements as floats, without a copy, like {@link #buffer()}.
   *
   * @return a direct buffer in native order
   * @throws CkptUnsupportedException for other types than F32
   */
  public FloatBuffer floatBuffer() {
    return as(DType.F32).asFloatBuffer();
  }

  /**
   * Returns the elements as doubles, without a copy, like {@link #buffer()}.
   *
   * @return a direct buffer in native order
   * @throws CkptUnsupportedException for other types than F64
   */
  public DoubleBuffer doubleBuffer() {
    return as(DType.F64).asDoubleBuffer();
  }

  /**
   * Returns the elements as ints, without a copy, like {@link #buffer()}.
   *
   * @return a direct buffer in native order
   * @throws CkptUnsupportedException for other types than I32 and U32
   */
  public IntBuffer intBuffer() {
    return as(dtype() == DType.U32 ? DType.U32 : DType.I32).asIntBuffer();
  }

  /**
   * Returns the elements as longs, without a copy, like {@link #buffer()}.
   *
   * @return a direct buffer in native order
   * @throws CkptUnsupportedException for other types than I64 and U64
   */
  public LongBuffer longBuffer() {
    return as(dtype() == DType.U64 ? DType.U64 : DType.I64).asLongBuffer();
  }

  /**
   * {@return a copy of the elements: float[] of an F32 tensor, double[] of F64, short[] of I16 and U16, int[] of I32 and U32,
   * long[] of I64 and U64, boolean[] of BOOL, else byte[] with the bytes}
   */
  public Object toArray() {
    return switch (dtype()) {
      case F32 -> copied(floatBuffer(), float[]::new, FloatBuffer::get);
      case F64 -> copied(doubleBuffer(), double[]::new, DoubleBuffer::get);
      case I16, U16 -> copied(buffer().asShortBuffer(), short[]::new, ShortBuffer::get);
      case BOOL -> copied(buffer(), boolean[]::new, Tensor::truths);
      case I32, U32 -> copied(intBuffer(), int[]::new, IntBuffer::get);
      case I64, U64 -> copied(longBuffer(), long[]::new, LongBuffer::get);
      default -> copied(buffer(), byte[]::new, ByteBuffer::get);
    };
  }

  private static <B extends Buffer, A> A copied(B buffer, IntFunction<A> make, BiConsumer<B, A> get) {
    A array = make.apply(buffer.remaining());
    get.accept(buffer, array);
    return array;
  }

  private static void truths(ByteBuffer from, boolean[] into) {
    for (int i = 0; i < into.length; ++i) into[i] = from.get() != 0;
  }

  private ByteBuffer as(DType wanted) {
    if (dtype() != wanted) throw new CkptUnsupportedException("tensor: expected elements of " + wanted + ", found " + dtype());
    return buffer();
  }

  /** Releases the reference; buffers over the tensor stay valid. */
  @Override
  public void close() {
    whole = null;
    super.close();
  }

  /** Returns the address with one more reference, which the receiver owns. */
  long retained() {
    Native.ckpt_tensor_retain(this);
    return address();
  }

  // ---- Properties ----

  /** {@return a copy of the lengths of the dimensions} */
  public long[] shape() {
    return Native.ckpt_tensor_get_shape(this);
  }

  /** {@return the element type and shape} */
  public TensorSpec spec() {
    return new TensorSpec(dtype(), shape());
  }

  /** {@return the number of dimensions, 0 .. 8} */
  public long ndim() {
    return Native.ckpt_tensor_get_ndim(this);
  }

  /**
   * {@return the address of the first element, for other native libraries, valid as long as the tensor is open; 0 without elements,
   * and for a read-only tensor}
   */
  public long dataAddress() {
    return Native.ckpt_tensor_get_data(this);
  }

  @Override
  public String toString() {
    return isClosed() ? "Tensor(closed)" : "Tensor(" + spec() + (isReadOnly() ? ", read-only)" : ")");
  }
}
