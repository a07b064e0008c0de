package org.ckpt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What stands between the library and a custom storage: files and locks are numbers there. */
final class CustomStorageFunctions<F> extends NativeStorageFunctions {
  private final CustomStorage<F> storage;
  private final CustomObjects<F> objects; // null: none
  private final Map<Long, F> files = new ConcurrentHashMap<>();
  private final Map<Long, Object> locks = new ConcurrentHashMap<>();
  private final AtomicLong last = new AtomicLong();

  CustomStorageFunctions(CustomStorage<F> storage) {
    this.storage = storage;
    this.objects = storage instanceof CustomObjects<F> store ? store : null;
  }

  boolean isObjects() {
    return objects != null;
  }

  /** Whether the object store has that method of its own. */
  boolean has(String method, Class<?>... parameters) {
    try {
      return isObjects() && objects.getClass().getMethod(method, parameters).getDeclaringClass() != CustomObjects.class;
    } catch (NoSuchMethodException error) {
      throw new AssertionError(error);
    }
  }

  private interface Call<T> {
    T run() throws IOException;
  }

  private interface ScheduleAction {
    void run() throws IOException;
  }

  private static <T> T asked(Call<T> call) {
    try {
      return call.run();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static void done(ScheduleAction action) {
    asked(() -> {
          action.run();
          return null;
        });
  }

  private <T> long number(Map<Long, T> map, Call<T> call) {
    T made = asked(call);
    long number = last.incrementAndGet();
    map.put(number, made);
    return number;
  }

  @Override
  public long create(String path) {
    return number(files, () -> storage.create(path));
  }

  @Override
  public long open(String path) {
    return number(files, () -> storage.open(path));
  }

  @Override
  public void close(long file) {
    done(() -> storage.close(files.remove(file)));
  }

  @Override
  public long file_size(long file) {
    return asked(() -> storage.fileSize(files.get(file)));
  }

  @Override
  public long read(long file, long offset, ByteBuffer buffer) {
    return asked(() -> storage.read(files.get(file), offset, NativeBuffers.orEmpty(buffer)));
  }

  @Override
  public void write(long file, long offset, ByteBuffer data) {
    done(() -> storage.write(files.get(file), offset, NativeBuffers.orEmpty(data)));
  }

  @Override
  public void sync(long file) {
    done(() -> storage.sync(files.get(file)));
  }

  @Override
  public void rename(String from_path, String to_path) {
    done(() -> storage.rename(from_path, to_path));
  }

  @Override
  public void remove(String path) {
    done(() -> storage.remove(path));
  }

  @Override
  public void remove_directory(String path) {
    done(() -> storage.removeDirectory(path));
  }

  @Override
  public void make_directory(String path) {
    done(() -> storage.makeDirectory(path));
  }

  @Override
  public void sync_directory(String path) {
    done(() -> storage.syncDirectory(path));
  }

  @Override
  public void list(String path, Listing listing) {
    for (StorageEntry entry : asked(() -> storage.list(path))) listing.add(entry.name(), entry.isDirectory());
  }

  @Override
  public long size(String path) {
    return asked(() -> storage.size(path));
  }

  @Override
  public long lock(String path) {
    return number(locks, () -> storage.lock(path));
  }

  @Override
  public void unlock(long lock) {
    done(() -> storage.unlock(locks.remove(lock)));
  }

  @Override
  public long create_stream(String path, long expected_bytes) {
    return number(files, () -> objects.createStream(path, expected_bytes));
  }

  @Override
  public void put_if_absent(String path, ByteBuffer data) {
    done(() -> objects.putIfAbsent(path, NativeBuffers.orEmpty(data)));
  }

  @Override
  public void read_ranges(long file, RangeList ranges) {
    List<StorageRange> pieces = new ArrayList<>();
    for (long i = 0; i < ranges.count(); ++i) {
      pieces.add(new StorageRange(ranges.offset(i), NativeBuffers.orEmpty(ranges.buffer(i))));
    }
    done(() -> objects.readRanges(files.get(file), pieces));
  }

  @Override
  public void list_from(String prefix, String after, long limit, ObjectListing listing) {
    for (StorageObject object : asked(() -> objects.listFrom(prefix, after, limit))) listing.add(object.path(), object.bytes());
  }

  @Override
  public void remove_many(PathList paths) {
    List<String> all = new ArrayList<>();
    for (long i = 0; i < paths.count(); ++i) all.add(paths.path(i));
    done(() -> objects.removeMany(all));
  }
}
