// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Forwards the library's calls to a {@link CustomStorage}. The library refers to files and locks by number. */
final class CustomStorageFunctions<F> extends NativeStorageFunctions {
  private final CustomStorage<F> functions;
  private final CustomObjects<F> objects; // null: none
  private final Items<F> files = new Items<>();
  private final Items<Object> locks = new Items<>();

  CustomStorageFunctions(CustomStorage<F> functions) {
    this.functions = functions;
    this.objects = functions instanceof CustomObjects<F> own ? own : null;
  }

  @Override
  public long create(String path) {
    return files.put(() -> functions.create(path));
  }

  @Override
  public long open(String path) {
    return files.put(() -> functions.open(path));
  }

  @Override
  public void close(long file) {
    Items.done(() -> functions.close(files.take(file)));
  }

  @Override
  public long file_size(long file) {
    return Items.asked(() -> functions.fileSize(files.get(file)));
  }

  @Override
  public long read(long file, long offset, ByteBuffer buffer) {
    return Items.asked(() -> functions.read(files.get(file), offset, NativeBuffers.orEmpty(buffer)));
  }

  @Override
  public void write(long file, long offset, ByteBuffer buffer) {
    Items.done(() -> functions.write(files.get(file), offset, NativeBuffers.orEmpty(buffer)));
  }

  @Override
  public void sync(long file) {
    Items.done(() -> functions.sync(files.get(file)));
  }

  @Override
  public void rename(String from, String to) {
    Items.done(() -> functions.rename(from, to));
  }

  @Override
  public void remove(String path) {
    Items.done(() -> functions.remove(path));
  }

  @Override
  public void remove_directory(String path) {
    Items.done(() -> functions.removeDirectory(path));
  }

  @Override
  public void make_directory(String path) {
    Items.done(() -> functions.makeDirectory(path));
  }

  @Override
  public void sync_directory(String path) {
    Items.done(() -> functions.syncDirectory(path));
  }

  @Override
  public void list(String path, Listing listing) {
    for (StorageEntry one : Items.asked(() -> functions.list(path))) listing.add(one.name(), one.isDirectory());
  }

  @Override
  public long size(String path) {
    return Items.asked(() -> functions.size(path));
  }

  @Override
  public long lock(String path) {
    return locks.put(() -> functions.lock(path));
  }

  @Override
  public void unlock(long file) {
    Items.done(() -> functions.unlock(locks.take(file)));
  }

  @Override
  public long create_stream(String path, long expectedBytes) {
    return files.put(() -> objects.createStream(path, expectedBytes));
  }

  @Override
  public void put_if_absent(String path, ByteBuffer buffer) {
    Items.done(() -> objects.putIfAbsent(path, NativeBuffers.orEmpty(buffer)));
  }

  @Override
  public void read_ranges(long file, RangeList ranges) {
    List<StorageRange> pieces = new ArrayList<>();
    for (long i = 0; i < ranges.count(); ++i) pieces.add(new StorageRange(ranges.offset(i), NativeBuffers.orEmpty(ranges.buffer(i))));
    Items.done(() -> objects.readRanges(files.get(file), pieces));
  }

  @Override
  public void list_from(String prefix, String after, long limit, ObjectListing listing) {
    for (StorageObject one : Items.asked(() -> objects.listFrom(prefix, after, limit))) listing.add(one.path(), one.bytes());
  }

  @Override
  public void remove_many(PathList paths) {
    List<String> pieces = new ArrayList<>();
    for (long i = 0; i < paths.count(); ++i) pieces.add(paths.path(i));
    Items.done(() -> objects.removeMany(pieces));
  }
}
