package org.ckpt;

/**
 * What happened in a scope: of the whole tracker and all threads, since it was opened.
 *
 * @param depth open scopes around it
 * @param scope its id
 * @param startBytes live when it was opened
 * @param peakBytes highest live total since then
 * @param netBytes live now - startBytes; may be negative
 * @param totalAllocatedBytes allocated since then
 * @param pushedNs when it was opened, in nanoseconds
 */
public record ScopeStats(
    int depth, long scope, long startBytes, long peakBytes, long netBytes, long totalAllocatedBytes, long pushedNs) {
  static ScopeStats of(ckpt_memory_scope_stats struct) {
    return new ScopeStats(
        struct.getDepth(), struct.getScope(), struct.getStart_bytes(), struct.getPeak_bytes(), struct.getNet_bytes(),
        struct.getTotal_allocated_bytes(), struct.getPushed_ns());
  }
}
