package org.ckpt;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tensors of one checkpoint ({@link CheckpointManager#reader}), or of any safetensors file or folder with an index. Use from
 * one thread at a time; returned tensors stay valid after it is closed.
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
   * Returns a value of any shape that {@link State#set}, or another language, has saved as this group: nested Long, Double,
   * Boolean, String, byte[], BigInteger, Path, List, Map (with keys and values in order), {@link TreeRecord} and {@link Tensor}.
   *
   * @param <T> the requested type
   * @param group null for files without groups
   * @param type of the whole value; arrays of numbers for a tensor, other kinds of numbers if they fit; Object: unconverted
   * @return the value; null for a null value
   * @throws CkptNotFoundException when the group is not such a value
   * @throws CkptInvalidArgumentException when the value has another type
   */
  public <T> T get(String group, Class<T> type) {
    return Trees.get(this, group, null, type);
  }

  /**
   * Returns the value of one key, when the value of the group is a map. Reads no other tensors.
   *
   * @param <T> the requested type
   * @param group null for files without groups
   * @param key the key
   * @param type as for the whole value
   * @return the value; null for a null value
   * @throws CkptNotFoundException when the group or the key does not exist
   */
  public <T> T get(String group, String key, Class<T> type) {
    return Trees.get(this, group, key, type);
  }

  /**
   * Reads a tensor into a new one.
   *
   * @param index 0 .. tensorCount-1
   * @return a tensor with memory of the default pool
   */
  public Tensor read(long index) {
    return read(index, (BufferPool) null);
  }

  /**
   * Reads a tensor by name into a new one.
   *
   * @param name of the tensor
   * @return a tensor with memory of the default pool
   */
  public Tensor read(String name) {
    return read(find(null, name));
  }
}
