// Snapshots as text: JSON for people and tools, the Prometheus text format for scraping.
#pragma once

#include <string>

#include "memory/stats.h"

namespace ckpt::memory {

// One JSON object; docs/reference/memory.md names its members. Valid UTF-8, no line breaks.
std::string to_json(const Snapshot& snapshot);

// Text exposition format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). Layers are labelled as the snapshot has them;
// the rest, and a layer that is called so, are summed under layer="other".
std::string to_prometheus(const Snapshot& snapshot);

}  // namespace ckpt::memory
