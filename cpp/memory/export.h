// Snapshots as JSON, and in the Prometheus text format for scraping.
#pragma once

#include <string>

#include "memory/stats.h"

namespace ckpt::memory {

// Returns one JSON object; docs/reference/memory.md documents its members. Valid UTF-8, no line breaks.
std::string to_json(const Snapshot& snapshot);

// Writes text exposition format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). Layers are labelled by name; the
// rest, and a layer named "other", are summed under layer="other".
std::string to_prometheus(const Snapshot& snapshot);

}  // namespace ckpt::memory
