package org.ckpt;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tensors of one checkpoint ({@link CheckpointManager#reader}), or of any safetensors file or folder with an index. One thread
 * at a time; the tensors it gives are independent of it.
 */
public final class Reader extends ReaderMethods {
  Reader(long address) {
    super(address);
  }

  /**
   * Opens a safetensors file, or a directory with an index or a model.safetensors.
   *
   * @param path links are followed
   */
  public Reader(Path path) {
    this(number(out -> Native.ckpt_reader_create(path.toString(), out)));
  }

  /** {@return all tensors, group after group, file after file, in the order of the data} */
  public List<TensorInfo> tensors() {
    List<TensorInfo> all = new ArrayList<>();
    long count = tensorCount();
    for (long i = 0; i < count; ++i) all.add(tensor(i));
    return List.copyOf(all);
  }

  /** {@return the metadata of files of other programs: strings by key} */
  public Map<String, String> metadata() {
    Map<String, String> all = new LinkedHashMap<>();
    long count = number(out -> Native.ckpt_reader_get_metadata_count(this, out));
    for (long i = 0; i < count; ++i) {
      String[] key = new String[1];
      String[] value = new String[1];
      Native.ckpt_reader_get_metadata(this, i, key, value);
      all.put(key[0], value[0]);
    }
    return all;
  }

  /**
   * A value of any shape that {@link State#set}, or another language, has saved as this group: Long, Double, Boolean, String, byte[],
   * BigInteger, Path, List, Map (of keys and values in their order), {@link TreeRecord} and {@link Tensor}, one in the other.
   *
   * @param <T> what it is wanted as
   * @param group null for files without groups
   * @param type of the whole value; arrays of numbers for a tensor, other kinds of numbers where they fit; Object: as it comes
   * @return null for nothing
   * @throws CkptNotFoundException when the group is no such value
   * @throws CkptInvalidArgumentException when it is of another type
   */
  public <T> T get(String group, Class<T> type) {
    return Trees.get(this, group, null, type);
  }

  /**
   * The value that such a group, a map, has for one key. No other tensors are read.
   *
   * @param <T> what it is wanted as
   * @param group null for files without groups
   * @param key a text
   * @param type as for the whole value
   * @return null for nothing
   * @throws CkptNotFoundException when there is none
   */
  public <T> T get(String group, String key, Class<T> type) {
    return Trees.get(this, group, key, type);
  }

  /**
   * Reads a tensor into a new one.
   *
   * @param index 0 .. tensorCount-1
   * @return with memory of the default pool
   */
  public Tensor read(long index) {
    return read(index, (BufferPool) null);
  }

  /**
   * Reads a tensor by name into a new one.
   *
   * @param name of the tensor
   * @return with memory of the default pool
   */
  public Tensor read(String name) {
    return read(find(null, name));
  }
}
