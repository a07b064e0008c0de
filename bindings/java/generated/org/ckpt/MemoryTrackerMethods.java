// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The methods of {@link MemoryTracker} that are one call of the C API. */
abstract class MemoryTrackerMethods extends NativeObject {
  MemoryTrackerMethods(long address) {
    super(address, Native::ckpt_memory_tracker_release);
  }

  /** Returns another reference to the same memory tracker, to be closed separately. */
  public MemoryTracker share() {
    Native.ckpt_memory_tracker_retain(this);
    return new MemoryTracker(address());
  }

  /**
   * Returns the number of the layer of this name: 0, 1, 2, ... in the order of the first use of names. A new name creates a layer.
   */
  public int addLayer(String name) {
    return whole(out -> Native.ckpt_memory_tracker_add_layer(this, name, out));
  }

  /** Returns the number of the layer of this name. Empty for a name that was never used. */
  public OptionalInt findLayer(String name) {
    try {
      return OptionalInt.of(whole(out -> Native.ckpt_memory_tracker_find_layer(this, name, out)));
    } catch (CkptNotFoundException none) {
      return OptionalInt.empty();
    }
  }

  /** Returns the layer's name. {@link Status#NOT_FOUND} for a number without a layer. */
  public String layerName(int layerId) {
    return text(out -> Native.ckpt_memory_tracker_get_layer_name(this, layerId, out));
  }

  /**
   * Records an allocation of bytes (&gt; 0) by a layer. allocation identifies it and is never 0. Errors: {@link
   * Status#INVALID_ARGUMENT} (bytes), {@link Status#NOT_FOUND} (layer; counted), {@link Status#OUT_OF_RANGE} when the total of all
   * allocations would exceed 2^63 - 1. Allocates memory only when the number of live allocations reaches a new maximum. Event
   * handlers run before it returns.
   */
  public long recordAllocation(int layerId, long bytes) {
    return number(out -> Native.ckpt_memory_tracker_record_allocation(this, layerId, bytes, out));
  }

  /**
   * Records an allocation of bytes (&gt; 0) by a layer as {@code MemoryTracker.recordAllocation}, but empty when the live total
   * would rise above the limit. A refused reservation is never counted as live, not even briefly; {@code MemoryStats.refused}
   * counts refusals. Without a limit no reservation is refused.
   */
  public OptionalLong tryReserve(int layerId, long bytes) {
    try {
      return OptionalLong.of(number(out -> Native.ckpt_memory_tracker_try_reserve(this, layerId, bytes, out)));
    } catch (CkptOverBudgetException none) {
      return OptionalLong.empty();
    }
  }

  /**
   * Records the end of an allocation. {@link Status#NOT_FOUND} for an id that is not live (unknown, or freed already): then only
   * the count notFound changes.
   */
  public void recordDeallocation(long allocation) {
    Native.ckpt_memory_tracker_record_deallocation(this, allocation);
  }

  /**
   * Records the end of all live allocations of a layer in one step; returns their number. {@link Status#NOT_FOUND}, counted, for an
   * unknown layer and for a layer without live allocations.
   */
  public long freeLayer(int layerId) {
    return number(out -> Native.ckpt_memory_tracker_record_deallocation_layer(this, layerId, out));
  }

  /** Returns the tracker's totals. */
  public MemoryStats stats() {
    return MemoryStats.from(struct -> Native.ckpt_memory_tracker_get_stats(this, struct));
  }

  /** Returns a layer's numbers. {@link Status#NOT_FOUND} for an unknown layer. */
  public MemoryLayerStats layerStats(int layerId) {
    return MemoryLayerStats.from(struct -> Native.ckpt_memory_tracker_get_layer_stats(this, layerId, struct));
  }

  /**
   * Lists the live allocations in one consistent snapshot, oldest first: count receives how many there are, allocations the first
   * min(capacity, count). Blocks recording while it copies 40 bytes per allocation, for the highest number of allocations that were
   * ever live at the same time.
   */
  public List<MemoryAllocation> allocations() {
    return values(Native.ckpt_memory_tracker_list_allocations(this), MemoryAllocation::of, ckpt_memory_allocation::close);
  }

  /**
   * Resets the statistics as if the live allocations had just been recorded: total = peak = live bytes, allocations = live
   * allocations, frees = 0, the same per layer; notFound, refused and handlerFailures = 0. Open scopes, the limit and sequence
   * numbers are unchanged.
   */
  public void resetStats() {
    Native.ckpt_memory_tracker_reset_stats(this);
  }

  /**
   * Sets the limit of the live total: limitBytes &gt; 0, 0 &lt;= hysteresisBytes &lt; limitBytes. Allocations above the limit are
   * still recorded. An event is raised when the live total rises above the limit, and again only after it was below limitBytes -
   * hysteresisBytes. If more than limitBytes are live already, the event is raised at once. {@code MemoryTracker.tryReserve}
   * refuses allocations that would exceed the limit.
   */
  public void setLimit(long limitBytes, long hysteresisBytes) {
    Native.ckpt_memory_tracker_set_limit(this, limitBytes, hysteresisBytes);
  }

  /** Removes the limit of the live total; a new tracker has none. */
  public void clearLimit() {
    Native.ckpt_memory_tracker_clear_limit(this);
  }

  /**
   * Disables (false) or enables (true) all events. They are enabled in a new tracker. Accounting continues while events are
   * disabled; these events are not reported later.
   */
  public void enableEvents(boolean enabled) {
    Native.ckpt_memory_tracker_enable_events(this, enabled ? 1 : 0);
  }

  /**
   * Sets the minimum increase, in bytes (&gt; 0), of the peak over the last reported one for an event of a new peak; 1 reports
   * every new peak.
   */
  public void setPeakGranularity(long bytes) {
    Native.ckpt_memory_tracker_set_peak_granularity(this, bytes);
  }

  /**
   * Returns a snapshot as one JSON object (docs/reference/memory.md names its members): totals, limit, open scopes, the maxLayers
   * layers (0: all) that hold the most live bytes, and the sum of the others.
   */
  public String json(long maxLayers) {
    return Native.ckpt_memory_tracker_get_json(this, maxLayers);
  }

  /**
   * Returns a snapshot in the Prometheus text format 0.0.4: ckpt_memory_current_bytes, ckpt_memory_peak_bytes,
   * ckpt_memory_allocated_bytes_total and so on, and ckpt_memory_layer_... with the label layer for the first maxLayers layers by
   * number (0: all), so that the series of a layer never changes; the others are summed under layer="other". Source:
   * prometheus.io/docs/instrumenting/exposition_formats.
   */
  public String prometheus(long maxLayers) {
    return Native.ckpt_memory_tracker_get_prometheus(this, maxLayers);
  }
}
