// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.time.Instant;
import java.util.OptionalInt;

/**
 * One event of a memory tracker, with the values right after it.
 *
 * @param kind kind of the event
 * @param sequence position in the order of all allocations and frees; events of the same allocation or free share it and are
 *     delivered in the order of their kinds (64 bits without a sign)
 * @param allocation id of the allocation; 0 when a limit was set below the live total (64 bits without a sign)
 * @param bytes size of the allocation in bytes
 * @param currentBytes bytes live right after the event
 * @param peakBytes highest live total in bytes right after the event
 * @param limitBytes limit of the live total in bytes; 0: no limit
 * @param occurredAtNs when it happened, in nanoseconds on the tracker's clock
 * @param layerName name of the layer; empty when a limit was set below the live total
 * @param layerId id of the layer; empty when a limit was set below the live total
 * @param occurredUtc when it was delivered to the subscriptions, in UTC
 */
public record MemoryEvent(
    MemoryEventKind kind, long sequence, long allocation, long bytes, long currentBytes, long peakBytes, long limitBytes,
    long occurredAtNs, String layerName, OptionalInt layerId, Instant occurredUtc) {
  static MemoryEvent of(ckpt_memory_event struct) {
    return new MemoryEvent(
        MemoryEventKind.of(struct.getKind()), struct.getSequence(), struct.getAllocation(), struct.getBytes(),
        struct.getCurrent_bytes(), struct.getPeak_bytes(), struct.getLimit_bytes(), struct.getOccurred_at_ns(), struct.getLayer_name(),
        struct.getHas_layer() == 0 ? OptionalInt.empty() : OptionalInt.of(struct.getLayer_id()),
        NativeObject.instant(struct.getOccurred_utc_ns()));
  }

  static MemoryEvent from(NativeObject.Into<ckpt_memory_event> call) {
    try (ckpt_memory_event struct = new ckpt_memory_event()) {
      call.call(struct);
      return of(struct);
    }
  }
}
