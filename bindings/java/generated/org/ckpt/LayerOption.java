// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/**
 * Memory that a custom layer needs for one of its options.
 *
 * @param tapeBytes bytes that the layer records for its backward, &gt;= 0
 * @param forwardWorkspaceBytes bytes that the layer needs while forward runs, &gt;= 0
 * @param backwardWorkspaceBytes bytes that the layer needs while backward runs, &gt;= 0
 */
public record LayerOption(
    long tapeBytes, long forwardWorkspaceBytes, long backwardWorkspaceBytes) {
  static LayerOption of(NumberReader in) {
    return new LayerOption(
        in.next(), in.next(), in.next());
  }

  long[] numbers() {
    return new long[] {tapeBytes, forwardWorkspaceBytes, backwardWorkspaceBytes};
  }
}
