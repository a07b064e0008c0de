// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Instant;

/**
 * The counts of a scope of a memory tracker since it was pushed, for all layers and threads.
 *
 * @param depth number of open scopes around it
 * @param scope id of the scope (64 bits without a sign)
 * @param startBytes bytes that were live when the scope was pushed
 * @param peakBytes highest live total in bytes since the scope was pushed; the increase within the scope is peakBytes -
 *     startBytes
 * @param netBytes bytes live now - startBytes; may be negative
 * @param totalAllocatedBytes bytes allocated since the scope was pushed, unaffected by resets of the statistics; at most 2^63 - 1
 * @param pushedAtNs when the scope was pushed, in nanoseconds on the tracker's clock
 * @param pushedUtc when the scope was pushed, in UTC
 */
public record MemoryScopeStats(
    int depth, long scope, long startBytes, long peakBytes, long netBytes, long totalAllocatedBytes, long pushedAtNs,
    Instant pushedUtc) {
  static MemoryScopeStats of(ckpt_memory_scope_stats struct) {
    return new MemoryScopeStats(
        struct.getDepth(), struct.getScope(), struct.getStart_bytes(), struct.getPeak_bytes(), struct.getNet_bytes(),
        struct.getTotal_allocated_bytes(), struct.getPushed_at_ns(), NativeObject.instant(struct.getPushed_utc_ns()));
  }

  static MemoryScopeStats from(NativeObject.Into<ckpt_memory_scope_stats> call) {
    try (ckpt_memory_scope_stats struct = new ckpt_memory_scope_stats()) {
      call.call(struct);
      return of(struct);
    }
  }
}
