package org.ckpt;

import java.util.List;

/**
 * Totals and layers of the same moment.
 *
 * @param stats the totals
 * @param layers all layers, in the requested order
 */
public record MemorySnapshot(MemoryStats stats, List<MemoryLayerStats> layers) {}
