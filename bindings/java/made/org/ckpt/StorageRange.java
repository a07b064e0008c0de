// Made from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * A piece of a file, and where its bytes go.
 *
 * @param offset where the piece begins in the file, in bytes, &gt;= 0
 * @param bytes size of the piece in bytes, &gt;= 0
 */
public record StorageRange(
    long offset, long bytes) {
  static StorageRange of(NumberReader in) {
    return new StorageRange(
        in.next(), in.next());
  }

  long[] numbers() {
    return new long[] {offset, bytes};
  }
}
