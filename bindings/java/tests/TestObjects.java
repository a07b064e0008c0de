import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.ckpt.*;

/** Custom object stores: a map under a checkpoint manager. */
final class TestObjects {
  static final class Open {
    final String path;
    byte[] bytes;

    Open(String path, byte[] bytes) {
      this.path = path;
      this.bytes = bytes;
    }
  }

  /** Files in a map. Counts the calls of each method. */
  static class Objects implements CustomObjects<Open> {
    final TreeMap<String, byte[]> files = new TreeMap<>();
    final Map<String, Integer> calls = new HashMap<>();
    final List<String> pages = new ArrayList<>();
    String failing = "";
    Exception failure;
    boolean refuses = true;
    boolean supports = true;
    List<StorageObject> answer; // null: the correct result
    int openFiles;

    final synchronized void note(String name) throws IOException {
      calls.merge(name, 1, Integer::sum);
      if (!name.equals(failing)) return;
      failing = "";
      if (failure instanceof IOException error) throw error;
      throw (RuntimeException) failure;
    }

    final int called(String name) {
      return calls.getOrDefault(name, 0);
    }

    @Override
    public synchronized Open createStream(String path, long expectedBytes) throws IOException {
      note("createStream");
      ++openFiles;
      return new Open(path, new byte[0]);
    }

    @Override
    public synchronized Open open(String path) throws IOException {
      byte[] bytes = files.get(path);
      if (bytes == null) throw new NoSuchFileException(path);
      ++openFiles;
      return new Open(path, bytes);
    }

    @Override
    public synchronized void close(Open file) {
      --openFiles;
    }

    @Override
    public long fileSize(Open file) {
      return file.bytes.length;
    }

    @Override
    public int read(Open file, long offset, ByteBuffer buffer) throws IOException {
      note("read");
      int count = (int) Math.min(buffer.remaining(), Math.max(0, file.bytes.length - offset));
      if (count > 0) buffer.put(file.bytes, (int) offset, count);
      return count;
    }

    @Override
    public void write(Open file, long offset, ByteBuffer data) {
      Check.that(offset == file.bytes.length && data.isReadOnly() && data.isDirect(), "a stream has no gaps");
      int end = file.bytes.length + data.remaining();
      file.bytes = Arrays.copyOf(file.bytes, end);
      data.get(file.bytes, (int) offset, data.remaining());
    }

    @Override
    public synchronized void sync(Open file) throws IOException {
      note("sync");
      files.put(file.path, file.bytes);
    }

    @Override
    public synchronized void remove(String path) throws IOException {
      note("remove");
      if (files.remove(path) == null) throw new NoSuchFileException(path);
    }

    @Override
    public synchronized long size(String path) throws IOException {
      if (!files.containsKey(path)) throw new NoSuchFileException(path);
      return files.get(path).length;
    }

    @Override
    public synchronized void putIfAbsent(String path, ByteBuffer data) throws IOException {
      note("putIfAbsent");
      if (!supports) throw new CkptUnsupportedException("this map cannot do that");
      if (refuses && files.containsKey(path)) throw new FileAlreadyExistsException(path);
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      files.put(path, bytes);
    }

    @Override
    public synchronized List<StorageObject> listFrom(String prefix, String after, long limit) throws IOException {
      note("listFrom");
      pages.add(after);
      if (answer != null) return answer;
      List<StorageObject> found = new ArrayList<>();
      for (Map.Entry<String, byte[]> file : files.tailMap(after, false).entrySet()) {
        if (found.size() == limit) break;
        if (file.getKey().startsWith(prefix)) found.add(new StorageObject(file.getKey(), file.getValue().length));
      }
      return found;
    }
  }

  /** Also implements the optional methods. */
  static final class AllObjects extends Objects {
    @Override
    public void readRanges(Open file, List<StorageRange> ranges) throws IOException {
      note("readRanges");
      for (StorageRange range : ranges) {
        Check.that(range.buffer().isDirect() && !range.buffer().isReadOnly(), "a wrong buffer");
        range.buffer().put(file.bytes, (int) range.offset(), range.buffer().remaining());
      }
    }

    @Override
    public synchronized void removeMany(List<String> paths) throws IOException {
      note("removeMany");
      paths.forEach(files::remove);
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

  private static String record(long sequence) {
    return "commits/" + (Long.MAX_VALUE - sequence);
  }

  private static void saveAndLoad(Objects own) {
    CheckpointManagerOptions options = new CheckpointManagerOptions().keepLast(2);
    try (Storage storage = Storage.custom("a map", own); Model model = new Model();
        CheckpointManager first = new CheckpointManager(storage, options);
        CheckpointManager second = new CheckpointManager(storage, options)) {
      for (long step = 1; step <= 4; ++step) first.save(model.state, step);
      Check.equal(List.of(4L, 3L), first.list().stream().map(CheckpointInfo::step).toList());
      Check.equal(List.of(record(4), record(3)), own.files.keySet().stream().filter(path -> path.startsWith("commits/")).toList());
      Check.equal(6, own.files.size()); // two files, their manifests, and their records
      Check.raises(CkptBusyException.class, "another writer", () -> second.save(model.state, 9));
      model.weight.fill(0);
      Check.equal(4L, second.load(model.state).step());
      Check.equal(6.0, model.weight.sum());
      first.verify(null);
      Check.equal(0, own.openFiles);
      Check.that(own.called("createStream") >= 8, "streams: " + own.calls);
      Check.equal(own.called("createStream"), own.called("sync"));
      Check.that(own.called("putIfAbsent") >= 4, "records: " + own.calls);
    }
  }

  static void testWithRequiredMethodsOnly() {
    Objects own = new Objects();
    saveAndLoad(own);
    Check.that(own.called("read") > 0 && own.called("remove") > 4, "one by one: " + own.calls);
  }

  static void testWithAllMethods() {
    Objects own = new AllObjects();
    saveAndLoad(own);
    Check.that(own.called("readRanges") > 0 && own.called("removeMany") > 0, "asked: " + own.calls);
  }

  static void testDefaultMethodsWork() throws IOException {
    Objects own = new Objects();
    own.files.put("a", "0123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    own.files.put("b", new byte[0]);
    ByteBuffer two = ByteBuffer.allocateDirect(2);
    ByteBuffer three = ByteBuffer.allocateDirect(3);
    own.readRanges(own.open("a"), List.of(new StorageRange(1, two), new StorageRange(7, three)));
    Check.equal((byte) '2', two.get(1));
    Check.equal((byte) '9', three.get(2));
    Check.raises(CkptInvalidArgumentException.class, "range at 8",
        () -> own.readRanges(own.open("a"), List.of(new StorageRange(8, three))));
    own.removeMany(List.of("b", "not there"));
    Check.equal(List.of("a"), List.copyOf(own.files.keySet()));
    Check.raises(CkptUnsupportedException.class, "rename", () -> own.rename("a", "b"));
  }

  static void testListsComeInPages() {
    Objects own = new Objects();
    try (Storage storage = Storage.custom("a map", own); Model model = new Model();
        CheckpointManager checkpoint = new CheckpointManager(storage)) {
      checkpoint.save(model.state, 7);
      for (int i = 0; i < 2500; ++i) own.files.put(String.format("other/%04d", i), new byte[1]);
      own.pages.clear();
      Check.equal(7L, checkpoint.load(model.state).step());
      Check.equal(List.of("", "other/0998", "other/1998"), own.pages.subList(0, 3));
    }
  }

  static void testAStoreThatOverwritesIsDetected() {
    for (boolean supports : new boolean[] {false, true}) {
      Objects own = new Objects();
      own.supports = supports;
      own.refuses = false;
      try (Storage storage = Storage.custom("a map", own); Model model = new Model();
          CheckpointManager checkpoint = new CheckpointManager(storage)) {
        Check.equal(0, own.files.size()); // the probe was removed
        int asked = own.called("putIfAbsent");
        checkpoint.save(model.state, 1);
        Check.equal(asked, own.called("putIfAbsent"));
        Check.that(own.files.firstKey().startsWith(record(1) + "-step-"), own.files.firstKey());
        Check.equal(1L, checkpoint.load(model.state).step());
      }
    }
  }

  static void testExceptionsKeepTheirMeaning() {
    Objects own = new Objects();
    try (Storage storage = Storage.custom("a map", own); Model model = new Model();
        FaultHandler once = new FaultHandler(new FaultHandlerOptions().maxAttempts(1));
        CheckpointManager checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions().faultHandler(once))) {
      checkpoint.save(model.state, 1);
      for (String method : List.of("createStream", "putIfAbsent", "listFrom")) {
        own.failing = method;
        own.failure = new AccessDeniedException("locked door");
        Check.raises(CkptPermissionException.class, "locked door", () -> checkpoint.save(model.state, 2));
        own.failing = method;
        own.failure = new IllegalStateException("odd");
        Check.raises(CkptCallbackException.class, "odd", () -> checkpoint.save(model.state, 2));
      }
      checkpoint.save(model.state, 3);
      Check.equal(3L, checkpoint.load(model.state).step());
    }
  }

  static void testInvalidListsAreRejected() {
    Objects own = new Objects();
    try (Storage storage = Storage.custom("a map", own); Model model = new Model();
        CheckpointManager checkpoint = new CheckpointManager(storage)) {
      checkpoint.save(model.state, 1);
      Map<String, List<StorageObject>> answers = Map.of(
          "leaves its root", List.of(new StorageObject("../x", 1)),
          "at least 0", List.of(new StorageObject("a", -1)),
          "expected a path after", List.of(new StorageObject("b", 1), new StorageObject("a", 1)));
      answers.forEach((text, answer) -> {
            own.answer = answer;
            Check.raises(CkptCallbackException.class, text, () -> checkpoint.list());
          });
      own.answer = null;
      Check.equal(1, checkpoint.list().size());
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestObjects.class);
  }
}
