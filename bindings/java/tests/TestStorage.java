import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.ckpt.*;

/** Storages of the library and of the program, fault handlers, the log. */
final class TestStorage {
  /** Files in a map; directories are the prefixes that were created. */
  static final class Maps implements CustomStorage<byte[][]> {
    final Map<String, byte[][]> files = new TreeMap<>();
    final Map<String, Boolean> directories = new TreeMap<>(Map.of("", true));
    final Map<String, Object> locks = new TreeMap<>();
    int failWrites;
    volatile java.util.concurrent.CountDownLatch hold = new java.util.concurrent.CountDownLatch(0);
    IOException failure = new IOException("the cable is out");

    @Override
    public synchronized byte[][] create(String path) throws IOException {
      if (files.containsKey(path)) throw new FileAlreadyExistsException(path);
      byte[][] file = {new byte[0]};
      files.put(path, file);
      return file;
    }

    @Override
    public synchronized byte[][] open(String path) throws IOException {
      byte[][] file = files.get(path);
      if (file == null) throw new NoSuchFileException(path);
      return file;
    }

    @Override
    public void close(byte[][] file) {}

    @Override
    public long fileSize(byte[][] file) {
      return file[0].length;
    }

    @Override
    public int read(byte[][] file, long offset, ByteBuffer buffer) {
      int count = (int) Math.min(buffer.remaining(), Math.max(0, file[0].length - offset));
      if (count > 0) buffer.put(file[0], (int) offset, count);
      return count;
    }

    @Override
    public void write(byte[][] file, long offset, ByteBuffer data) throws IOException {
      try {
        hold.await();
      } catch (InterruptedException stop) {
        throw new IOException(stop);
      }
      if (failWrites > 0 && failWrites-- > 0) throw failure;
      Check.that(data.isReadOnly() && data.isDirect(), "a wrong buffer");
      int end = (int) offset + data.remaining();
      if (file[0].length < end) file[0] = java.util.Arrays.copyOf(file[0], end);
      data.get(file[0], (int) offset, data.remaining());
    }

    @Override
    public void sync(byte[][] file) {}

    @Override
    public synchronized void rename(String from, String to) throws IOException {
      if (files.containsKey(from)) {
        files.put(to, files.remove(from));
        return;
      }
      if (!directories.containsKey(from)) throw new NoSuchFileException(from);
      for (Map<String, ?> map : List.of(files, directories)) {
        @SuppressWarnings("unchecked")
        Map<String, Object> names = (Map<String, Object>) map;
        for (String name : new ArrayList<>(names.keySet())) {
          if (name.equals(from) || name.startsWith(from + "/")) names.put(to + name.substring(from.length()), names.remove(name));
        }
      }
    }

    @Override
    public synchronized void remove(String path) throws IOException {
      if (files.remove(path) == null) throw new NoSuchFileException(path);
    }

    @Override
    public synchronized void removeDirectory(String path) throws IOException {
      if (!list(path).isEmpty()) throw new java.nio.file.DirectoryNotEmptyException(path);
      directories.remove(path);
    }

    @Override
    public synchronized void makeDirectory(String path) throws IOException {
      if (directories.putIfAbsent(path, true) != null) throw new FileAlreadyExistsException(path);
    }

    @Override
    public void syncDirectory(String path) {}

    @Override
    public synchronized List<StorageEntry> list(String path) throws IOException {
      if (!directories.containsKey(path)) throw new NoSuchFileException(path);
      List<StorageEntry> found = new ArrayList<>();
      String prefix = path.isEmpty() ? "" : path + "/";
      directories.keySet().forEach(name -> entry(name, prefix, true, found));
      files.keySet().forEach(name -> entry(name, prefix, false, found));
      return found;
    }

    private static void entry(String name, String prefix, boolean directory, List<StorageEntry> found) {
      if (name.isEmpty() || !name.startsWith(prefix) || name.indexOf('/', prefix.length()) >= 0) return;
      found.add(new StorageEntry(name.substring(prefix.length()), directory));
    }

    @Override
    public synchronized long size(String path) throws IOException {
      return open(path)[0].length;
    }

    @Override
    public synchronized Object lock(String path) {
      if (locks.containsKey(path)) throw new CkptBusyException("locked: " + path);
      locks.put(path, path);
      return path;
    }

    @Override
    public synchronized void unlock(Object lock) {
      locks.remove(lock);
    }
  }

  private static final class Model implements AutoCloseable {
    final Tensor weight = Tensor.copyOf(new float[] {1, 2, 3});
    final State state = new State().add("model", "weight", weight);

    @Override
    public void close() {
      state.close();
      weight.close();
    }
  }

  static void testCustomStorages() {
    Maps maps = new Maps();
    try (Storage storage = Storage.custom("a map", maps); Model model = new Model()) {
      try (CheckpointManager checkpoint = new CheckpointManager(storage)) {
        Check.raises(CkptBusyException.class, "locked", () -> new CheckpointManager(storage));
        checkpoint.save(model.state, 1);
        model.weight.fill(0);
        Check.equal(1L, checkpoint.load(model.state).step());
        Check.equal(6.0, model.weight.sum());
        Check.equal(1, checkpoint.list().size());
        checkpoint.verify(null);
      }
      Check.that(maps.locks.isEmpty(), "unlocked");
      maps.files.forEach((name, file) -> {
            if (name.endsWith("safetensors")) file[0][file[0].length - 1] ^= 1;
          });
      try (CheckpointManager checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions().readOnly(true))) {
        Check.raises(CkptCorruptException.class, "weight", () -> checkpoint.verify(null));
      }
    }
  }

  static void testFailuresOfCustomStoragesKeepTheirMeaning() {
    Maps maps = new Maps();
    List<Duration> pauses = new ArrayList<>();
    try (FaultHandler handler = new FaultHandler(new FaultHandlerOptions().maxAttempts(3).jitter(0), pauses::add);
        Storage storage = Storage.custom("a map", maps); Model model = new Model();
        CheckpointManager checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions().faultHandler(handler))) {
      maps.failWrites = 2; // retried
      checkpoint.save(model.state, 1);
      Check.equal(2L, handler.retryCount());
      Check.equal(List.of(Duration.ofMillis(10), Duration.ofMillis(20)), pauses);
      maps.failWrites = 100;
      Check.raises(CkptIoException.class, "the cable is out", () -> checkpoint.save(model.state, 2));
      for (Map.Entry<IOException, Class<? extends CkptException>> kind : Map.<IOException, Class<? extends CkptException>>of(
          new AccessDeniedException("locked door"), CkptPermissionException.class,
          new IOException("No space left on device"), CkptNoSpaceException.class).entrySet()) {
        maps.failure = kind.getKey();
        maps.failWrites = 1;
        Check.raises(kind.getValue(), kind.getKey().getMessage(), () -> checkpoint.save(model.state, 3));
      }
      maps.failWrites = 0;
      checkpoint.save(model.state, 4);
      try (FaultHandler same = checkpoint.faultHandler(); Storage where = checkpoint.storage();
          Coordinator who = checkpoint.coordinator()) {
        Check.equal(handler.retryCount(), same.retryCount());
        Check.equal(1L, who.worldSize());
        Check.that(!where.isClosed(), "storage");
      }
    }
  }

  static void testADecideFunctionControlsRetries() {
    Maps maps = new Maps();
    List<Duration> pauses = new ArrayList<>();
    List<String> asked = new ArrayList<>();
    FaultHandlerOptions options = new FaultHandlerOptions().maxAttempts(9);
    try (FaultHandler handler = new FaultHandler(options, pauses::add, fault -> {
              asked.add(fault.status() + " " + fault.attempt() + " " + fault.retry() + " " + fault.message().contains("locked door"));
              fault.retry(fault.attempt() < 3);
              fault.delay(Duration.ofMillis(fault.attempt()));
            });
        Storage storage = Storage.custom("a map", maps); Model model = new Model();
        CheckpointManager checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions().faultHandler(handler))) {
      maps.failure = new AccessDeniedException("locked door"); // the rule would not retry it
      maps.failWrites = 2;
      checkpoint.save(model.state, 1);
      Check.equal(List.of(Duration.ofMillis(1), Duration.ofMillis(2)), pauses);
      Check.equal(List.of("PERMISSION 1 false true", "PERMISSION 2 false true"), asked);
      maps.failWrites = 3;
      Check.raises(CkptPermissionException.class, "locked door", () -> checkpoint.save(model.state, 2));
    }
    try (FaultHandler broken = new FaultHandler(options, pauses::add, fault -> {
              throw new IllegalStateException("no idea");
            });
        Storage storage = Storage.custom("a map", maps); Model model = new Model();
        CheckpointManager checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions().faultHandler(broken))) {
      maps.failWrites = 1;
      Check.raises(CkptCallbackException.class, "no idea", () -> checkpoint.save(model.state, 3));
    }
  }

  static void testRetryingStoragesWriteToTheLog() {
    Maps maps = new Maps();
    List<String> lines = new ArrayList<>();
    AtomicInteger throwing = new AtomicInteger();
    Ckpt.setLog(LogLevel.WARNING, (level, component, message) -> {
          lines.add(level + " " + component + " " + message);
          if (throwing.getAndIncrement() == 0) throw new IllegalStateException("a log listener throws");
        });
    try (FaultHandler handler = new FaultHandler(new FaultHandlerOptions(), pause -> {}); Storage inner = Storage.custom("a map",
        maps);
        Storage storage = inner.retrying(handler); Model model = new Model();
        FaultHandler once = new FaultHandler(new FaultHandlerOptions().maxAttempts(1));
        CheckpointManager checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions().faultHandler(once))) {
      maps.failWrites = 3;
      checkpoint.save(model.state, 1);
      Check.equal(3L, handler.retryCount());
      Check.equal(3, lines.size());
      Check.that(lines.get(1).startsWith("WARNING st") && lines.get(1).contains("the cable is out"), lines.get(1));
    } finally {
      Ckpt.setLog(LogLevel.ERROR, null);
    }
  }

  static void testFileSystem() throws Exception {
    Path root = Files.createTempDirectory("ckpt-test");
    Path inside = root.resolve("deep/er \uD83D\uDE00");
    Check.raises(CkptNotFoundException.class, "", () -> Storage.fileSystem(inside, new FileSystemOptions().mustExist(true)));
    try (Storage storage = Storage.fileSystem(inside, new FileSystemOptions().writePath(WritePath.BUFFERED));
        Model model = new Model();
        CheckpointManager checkpoint = new CheckpointManager(storage)) {
      SaveResult saved = checkpoint.save(model.state, 3);
      Check.that(Files.exists(inside.resolve(saved.name()).resolve("model.safetensors")), "the file exists");
    }
    TestStorage.delete(root);
  }

  static void testUris() throws Exception {
    Path root = Files.createTempDirectory("ckpt-test-uri");
    try (Model model = new Model()) {
      try (Storage storage = Storage.fromUri("file://" + root + "/a%20b");
          CheckpointManager checkpoint = new CheckpointManager(storage)) {
        SaveResult saved = checkpoint.save(model.state, 3);
        Check.that(Files.exists(root.resolve("a b").resolve(saved.name())), "the file exists");
      }
      try (Storage path = Storage.fromUri(root + "/a b"); CheckpointManager checkpoint = new CheckpointManager(path)) {
        Check.equal(3L, checkpoint.load(model.state).step());
      }
      try (Storage one = Storage.fromUri("memory:java"); Storage same = Storage.fromUri("Memory:java");
          CheckpointManager checkpoint = new CheckpointManager(one)) {
        Check.raises(CkptBusyException.class, "", () -> new CheckpointManager(same));
      }
    }
    delete(root);
    if ("1".equals(System.getenv("CKPT_HAS_S3"))) { // the environment specifies a store without a listener
      CkptException failure = Check.raises(CkptException.class, "s3://bucket/run", () -> CheckpointManager.open("s3://bucket/run"));
      Check.equal(Status.IO, failure.status());
    } else {
      Check.raises(CkptUnsupportedException.class, "libckpt-s3", () -> Storage.fromUri("s3://bucket/run"));
    }
    Check.raises(CkptInvalidArgumentException.class, "'..'", () -> Storage.fromUri("memory:a/../b"));
  }

  static void testSchemes() {
    List<String> asked = new ArrayList<>();
    List<Storage> given = new ArrayList<>();
    Storage.registerScheme(
        "shelf",
        uri -> {
          asked.add(uri);
          if (uri.equals("shelf:none")) throw new NoSuchFileException("no such shelf");
          if (uri.equals("shelf:odd")) throw new IllegalStateException("odd");
          if (uri.equals("shelf:nothing")) return null;
          if (!uri.equals("shelf:again")) given.add(Storage.fromUri("memory:shelf"));
          return given.get(0);
        });
    try (Storage kept = Storage.fromUri("memory:shelf"); Model model = new Model()) {
      Check.raises(CkptAlreadyExistsException.class, "Shelf", () -> Storage.registerScheme("Shelf", uri -> null));
      try (Storage storage = Storage.fromUri("shelf://a%20b?x"); CheckpointManager checkpoint = new CheckpointManager(storage)) {
        checkpoint.save(model.state, 5);
      }
      System.gc(); // a storage that was handed over is not released again
      Check.equal(List.of("shelf://a%20b?x"), asked);
      Check.that(given.get(0).isClosed(), "handed over");
      try (CheckpointManager checkpoint = new CheckpointManager(kept)) {
        Check.equal(5L, checkpoint.load(model.state).step());
      }
      Check.raises(CkptNotFoundException.class, "no such shelf", () -> Storage.fromUri("shelf:none"));
      Check.raises(CkptCallbackException.class, "odd", () -> Storage.fromUri("shelf:odd"));
      Check.raises(CkptException.class, "returned null", () -> Storage.fromUri("shelf:nothing"));
      Check.raises(CkptException.class, "closed", () -> Storage.fromUri("shelf:again"));
    } finally {
      Storage.unregisterScheme("SHELF");
    }
    Check.raises(CkptUnsupportedException.class, "shelf", () -> Storage.fromUri("shelf:x"));
    Check.raises(CkptNotFoundException.class, "shelf", () -> Storage.unregisterScheme("shelf"));
  }

  static void delete(Path root) throws IOException {
    try (var paths = Files.walk(root)) {
      for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestStorage.class);
  }
}
