import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.ReadOnlyBufferException;
import org.ckpt.*;

/** Tensors and direct buffers share memory and keep each other alive. */
final class TestTensor {
  private static ByteBuffer direct(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  static void testToArray() {
    for (Object array : new Object[] {new float[] {1, -0f}, new double[] {2, Double.NaN}, new int[] {-3, 4}, new long[] {5, -6}}) {
      try (Tensor tensor = array instanceof float[] f ? Tensor.copyOf(f) : array instanceof double[] d ? Tensor.copyOf(d)
          : array instanceof int[] i ? Tensor.copyOf(i) : Tensor.copyOf((long[]) array)) {
        Check.that(java.util.Objects.deepEquals(array, tensor.toArray()), "an array of " + tensor.dtype());
      }
    }
    try (Tensor bytes = new Tensor(DType.U8, 2, 3); Tensor none = new Tensor(DType.F64, 0, 4)) {
      bytes.buffer().put(5, (byte) 7);
      byte[] copy = (byte[]) bytes.toArray();
      Check.equal(6, copy.length);
      Check.equal((byte) 7, copy[5]);
      copy[5] = 0;
      Check.equal((byte) 7, bytes.buffer().get(5));
      Check.equal(0, ((double[]) none.toArray()).length);
    }
    try (Tensor shorts = new Tensor(DType.U16, 2); Tensor truths = new Tensor(DType.BOOL, 3)) {
      shorts.buffer().asShortBuffer().put(new short[] {3, -2});
      truths.buffer().put(new byte[] {0, 0, 1});
      Check.equal(new short[] {3, -2}, shorts.toArray());
      Check.equal(new boolean[] {false, false, true}, truths.toArray());
    }
  }

  static void testProperties() {
    try (Tensor tensor = new Tensor(DType.F32, 2, 3); Tensor scalar = new Tensor(DType.F64)) {
      Check.equal(DType.F32, tensor.dtype());
      Check.equal(new long[] {2, 3}, tensor.shape());
      Check.equal(2L, tensor.ndim());
      Check.equal(24L, tensor.bytes());
      Check.equal(6L, tensor.elements());
      Check.equal(new TensorSpec(DType.F32, 2, 3), tensor.spec());
      Check.that(!tensor.isReadOnly(), "writable");
      Check.that(tensor.dataAddress() % 64 == 0, "aligned");
      Check.equal("Tensor(F32[2, 3])", tensor.toString());
      Check.equal(new long[0], scalar.shape());
      Check.equal(8L, scalar.bytes());
    }
    Check.equal(32L, DType.F32.bits());
    Check.equal("F8_E4M3", DType.F8_E4M3.safetensorsName());
    Check.equal(DType.BF16, DType.find("BF16"));
    Check.raises(CkptNotFoundException.class, "nope", () -> DType.find("nope"));
    Check.raises(CkptInvalidArgumentException.class, "-1", () -> new Tensor(DType.F32, -1));
  }

  static void testArithmetic() {
    try (Tensor a = Tensor.copyOf(new float[] {1, 2, 3}); Tensor b = Tensor.copyOf(new float[] {4, 5, 6})) {
      Check.equal(32.0, a.dot(b));
      a.addScaled(2, b);
      a.scale(0.5);
      Check.equal(4.5f, a.floatBuffer().get(0));
      Check.equal(18.0, a.sum());
      b.copyFrom(a);
      Check.that(a.isBitEqual(b), "equal");
      b.fill(Double.NaN);
      Check.that(!a.isBitEqual(b), "differ");
      try (Tensor other = new Tensor(DType.I32, 3)) {
        Check.raises(CkptUnsupportedException.class, "I32", other::sum);
        Check.raises(CkptUnsupportedException.class, "I32", other::floatBuffer);
        Check.raises(CkptInvalidArgumentException.class, "", () -> a.copyFrom(other));
      }
    }
  }

  static void testViewsShareTheMemory() {
    try (Tensor tensor = Tensor.copyOf(new double[] {1, 2, 3, 4}, 2, 2)) {
      tensor.doubleBuffer().put(3, 40);
      Check.equal(46.0, tensor.sum());
      Check.that(tensor.buffer().isDirect(), "direct");
      Check.equal(ByteOrder.nativeOrder(), tensor.buffer().order());
      Check.equal(2.0, tensor.buffer(8, 8).getDouble(0));
      Check.raises(CkptOutOfRangeException.class, "33", () -> tensor.buffer(1, 32));
    }
    try (Tensor tensor = Tensor.copyOf(new long[] {-1, 7}); Tensor ints = Tensor.copyOf(new int[] {5}, 1)) {
      Check.equal(7L, tensor.longBuffer().get(1));
      Check.equal(5, ints.intBuffer().get(0));
    }
    try (Tensor empty = new Tensor(DType.F32, 0, 5)) {
      Check.equal(0, empty.floatBuffer().remaining());
    }
  }

  static void testViewsOutliveTheTensor() throws Exception {
    FloatBuffer view = view();
    try (BufferPool pool = new BufferPool()) {
      for (int i = 0; i < 20; ++i) {
        System.gc();
        try (Tensor other = new Tensor(pool, DType.F32, 1000)) {
          other.fill(-1);
        }
        for (int k = 0; k < 1000; ++k) Check.equal((float) 42, view.get(k));
      }
    }
  }

  private static FloatBuffer view() {
    try (Tensor tensor = new Tensor(DType.F32, 1000)) {
      tensor.fill(42);
      return tensor.floatBuffer().slice();
    }
  }

  /** The pool reports when memory is released: only after the last view is unreachable. */
  static void testMemoryIsReleasedAfterTheLastView() throws Exception {
    try (BufferPool pool = new BufferPool()) {
      WeakReference<ByteBuffer> view = lostView(pool);
      Check.collected("the memory of a lost view is not released", () -> pool.stats().liveBuffers() == 0);
      Check.that(view.get() == null, "the view lives");
    }
  }

  private static WeakReference<ByteBuffer> lostView(BufferPool pool) {
    try (Tensor tensor = new Tensor(pool, DType.F32, 10)) {
      ByteBuffer view = tensor.buffer();
      tensor.close();
      Check.equal(1L, pool.stats().liveBuffers());
      view.putInt(0, 1);
      return new WeakReference<>(view);
    }
  }

  static void testBorrowedBuffersLiveAsLongAsTheTensor() throws Exception {
    Tensor tensor = Tensor.borrow(direct(4000).asFloatBuffer());
    for (int i = 0; i < 10; ++i) {
      System.gc();
      direct(4000).putInt(0, -1);
      tensor.fill(3);
      Check.equal(3000.0, tensor.sum());
    }
    WeakReference<ByteBuffer> weak = new WeakReference<>(direct(8).putLong(0, 7));
    tensor.close();
    Check.collected("a buffer that no tensor borrows", () -> weak.get() == null);
    WeakReference<FloatBuffer> lent = lend();
    Check.collected("the borrowed buffer stays", () -> lent.get() == null);
  }

  private static WeakReference<FloatBuffer> lend() {
    FloatBuffer buffer = direct(16).asFloatBuffer();
    try (Tensor tensor = Tensor.borrow(buffer, 2, 2)) {
      tensor.fill(1);
    }
    Check.equal(1f, buffer.get(3));
    return new WeakReference<>(buffer);
  }

  static void testPositionAndLimitAreRespected() {
    FloatBuffer buffer = direct(40).asFloatBuffer();
    buffer.position(2).limit(6);
    try (Tensor tensor = Tensor.borrow(buffer)) {
      Check.equal(new long[] {4}, tensor.shape());
      tensor.fill(9);
    }
    buffer.clear();
    Check.equal(0f, buffer.get(1));
    Check.equal(9f, buffer.get(2));
    Check.equal(9f, buffer.get(5));
    Check.equal(0f, buffer.get(6));
  }

  private static ByteBuffer foreignOrder(int bytes) {
    boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    return ByteBuffer.allocateDirect(bytes).order(little ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
  }

  static void testInvalidBuffersAreRejected() {
    Check.raises(CkptInvalidArgumentException.class, "heap", () -> Tensor.borrow(FloatBuffer.allocate(4)));
    Check.raises(CkptInvalidArgumentException.class, "heap", () -> Tensor.borrow(ByteBuffer.allocate(4), DType.F32, 1));
    Check.raises(CkptInvalidArgumentException.class, "read-only", () -> Tensor.borrow(direct(4).asReadOnlyBuffer(), DType.F32, 1));
    Check.raises(CkptInvalidArgumentException.class, "native byte order",
        () -> Tensor.borrow(ByteBuffer.allocateDirect(8).order(ByteOrder.BIG_ENDIAN).asLongBuffer()));
    for (DType dtype : new DType[] {DType.F32, DType.F64, DType.BF16, DType.I64, DType.C64}) { // as allocateDirect makes them
      long elements = 64 / (dtype.bits() / 8);
      Check.raises(CkptInvalidArgumentException.class, "native byte order", () -> Tensor.borrow(foreignOrder(64), dtype, elements));
      Check.raises(CkptInvalidArgumentException.class, "native byte order", () -> Tensor.copyOf(foreignOrder(64), dtype, elements));
    }
    for (DType dtype : new DType[] {DType.U8, DType.BOOL, DType.F8_E4M3}) { // bytes have no order
      Tensor.borrow(foreignOrder(64), dtype, 64).close();
    }
    Check.raises(CkptInvalidArgumentException.class, "found 8", () -> Tensor.borrow(direct(8), DType.F32, 3));
    Check.raises(CkptInvalidArgumentException.class, "needs that alignment", () -> {
          ByteBuffer odd = direct(16);
          odd.position(1).limit(9);
          Tensor.borrow(odd, DType.F64, 1);
        });
    Check.raises(CkptInvalidArgumentException.class, "found 3", () -> Tensor.copyOf(new float[3], 2, 2));
    try (Tensor copy = Tensor.copyOf(ByteBuffer.wrap(new byte[] {1, 2, 3}), DType.U8, 3)) { // heap: copied on request
      Check.equal((byte) 2, copy.buffer().get(1));
    }
  }

  static void testReadOnlyTensorsGiveReadOnlyViews() {
    try (Storage storage = Storage.memory(); ActivationManager manager = new ActivationManager(new ActivationPolicy());
        Tensor given = Tensor.copyOf(new float[] {1, 2})) {
      manager.store(0, given);
      try (Tensor stored = manager.activation(0).get()) {
        Check.that(stored.isReadOnly(), "read-only");
        Check.equal(2f, stored.floatBuffer().get(1));
        Check.raises(ReadOnlyBufferException.class, "", () -> stored.floatBuffer().put(0, 1));
        Check.raises(CkptUnsupportedException.class, "read-only", () -> stored.fill(1));
        Check.equal(0L, stored.dataAddress());
      }
    }
  }

  static void testPools() {
    try (MemoryTracker tracker = new MemoryTracker(); BufferPool pool = new BufferPool(tracker,
        new BufferPoolOptions().noRetainLimit().layerName("mine"))) {
      new Tensor(pool, DType.F32, 100).close();
      Tensor second = new Tensor(pool, DType.F32, 100);
      Check.equal(1L, pool.stats().reused());
      Check.equal(400L, tracker.layerStats("mine").currentBytes());
      Tensor same = second.share();
      second.close();
      Check.equal(1L, pool.stats().liveBuffers());
      same.close();
      pool.trim(0);
      Check.equal(0L, pool.stats().reservedBytes());
    }
    BufferPool.trimDefaultPool(0);
    Check.equal(0L, BufferPool.defaultPoolStats().retainedBytes());
  }

  static void testDlpack() {
    try (Tensor tensor = Tensor.copyOf(new float[] {1, 2, 3}); Tensor old = Tensor.fromDlpack(tensor.toDlpack());
        Tensor versioned = Tensor.fromDlpackVersioned(tensor.toDlpackVersioned())) {
      tensor.fill(5);
      Check.equal(15.0, old.sum());
      Check.equal(15.0, versioned.sum());
    }
    try (Tensor mine = Tensor.copyOf(new float[] {1, 2}); Tensor foreign = Tensor.foreign(mine.dataAddress(), DType.F32, 2)) {
      foreign.fill(8);
      Check.equal(16.0, mine.sum());
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestTensor.class);
  }
}
