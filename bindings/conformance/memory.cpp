// Commands on memory trackers and tensors.
#include "commands.hpp"

namespace conformance {

std::uint8_t byte_at(ckpt::DType dtype, std::int64_t seed, std::int64_t i) {
  const std::int64_t value = (17 * seed + 31 * i + 5) % 256;
  return static_cast<std::uint8_t>(dtype == ckpt::DType::bool_ ? value % 2 : value);
}

ckpt::Tensor make_tensor(const std::string& dtype, const std::vector<std::int64_t>& shape, std::int64_t seed) {
  ckpt::Tensor tensor(ckpt::find_dtype(dtype), shape);
  auto* bytes = static_cast<std::uint8_t*>(tensor.data());
  for (std::int64_t i = 0; i < tensor.bytes(); ++i) bytes[i] = byte_at(tensor.dtype(), seed, i);
  return tensor;
}

namespace {

const Words memory_order_words = {"id", "current", "peak"};
const std::vector<std::pair<std::string, ckpt::MemoryEventKind>> event_kinds = {{"allocated", ckpt::MemoryEventKind::allocated},
                                                                                {"freed", ckpt::MemoryEventKind::freed},
                                                                                {"peak", ckpt::MemoryEventKind::new_peak},
                                                                                {"limit", ckpt::MemoryEventKind::limit_exceeded}};

}  // namespace

// ---- Memory tracker ----

std::string Commands::scope_line(const ckpt::MemoryScopeStats& n) const {
  return joined({"depth", number(n.depth), "start", number(n.start_bytes), "peak", number(n.peak_bytes), "net", number(n.net_bytes),
                 "allocated", number(n.total_allocated_bytes)});
}

void Commands::tracker() {
  on("tracker", [this](const Command& c) {
    ckpt::MemoryTrackerOptions options;
    if (c.has("clock")) options.clock = clocks_[c.text("clock")];
    trackers_.make(c.text(1), options);
    return Words();
  });
  on("allocate", [this](const Command& c) {
    allocations_.make(c.text(4), trackers_[c.text(1)].record_allocation(c.text(2), c.integer(3)));
    return Words();
  });
  on("reserve", [this](const Command& c) {
    const auto id = trackers_[c.text(1)].try_reserve(c.text(2), c.integer(3));
    if (id) allocations_.make(c.text(4), *id);
    return Words{yes_no(id.has_value())};
  });
  on("free", [this](const Command& c) {
    trackers_[c.text(1)].record_deallocation(allocations_[c.text(2)]);
    return Words();
  });
  on("free-layer", [this](const Command& c) { return Words{number(trackers_[c.text(1)].free_layer(c.text(2)))}; });
  on("by-layer", [this](const Command& c) {
    Words lines;
    for (const auto& n : trackers_[c.text(1)].snapshot(value_of<ckpt::MemoryOrder>(memory_order_words, c.text(2))).layers) {
      lines.push_back(joined({n.name, "current", number(n.current_bytes), "peak", number(n.peak_bytes), "allocated",
                              number(n.total_allocated_bytes), "freed", number(n.total_freed_bytes), "live",
                              number(n.live_allocations), "largest", number(n.largest_bytes)}));
    }
    return lines;
  });
  on("savings", [this](const Command& c) {
    const auto savings = trackers_[c.text(1)].savings(c.integer(2));
    return line({number(savings.bytes), exact(savings.fraction)});
  });
  on("scope", [this](const Command& c) {
    scopes_.make(c.text(3), std::make_unique<ckpt::MemoryScope>(trackers_[c.text(1)].push_scope(c.text(2))));
    return Words();
  });
  on("pop", [this](const Command& c) { return Words{scope_line(scopes_[c.text(1)]->pop())}; });
  on("limit", [this](const Command& c) {
    auto& tracker = trackers_[c.text(1)];
    if (c.text(2) == "none") {
      tracker.clear_limit();
    } else {
      tracker.set_limit(c.integer(2), c.size() > 2 ? c.integer(3) : 0);
    }
    return Words();
  });
  on("listen", [this](const Command& c) {
    ckpt::MemoryEventKind kinds{};
    for (const auto& word : split(c.text(3), ',')) {
      for (const auto& [name, kind] : event_kinds) kinds = word == name ? kinds | kind : kinds;
    }
    auto events = std::make_shared<EventLog>();
    const bool throws = c.size() > 3 && c.text(4) == "throws";
    listeners_.make(c.text(1), events, trackers_[c.text(2)].subscribe(kinds, [events, throws](const ckpt::MemoryEvent& event) {
      if (throws) throw std::runtime_error("a listener that throws");
      std::string kind_name;
      for (const auto& [name, kind] : event_kinds) kind_name = event.kind == kind ? name : kind_name;
      events->add(
          joined({kind_name, event.layer_name.empty() ? "-" : std::string(event.layer_name), "bytes", number(event.bytes),
                  "current", number(event.current_bytes), "peak", number(event.peak_bytes), "limit", number(event.limit_bytes)}));
    }));
    return Words();
  });
  on("events", [this](const Command& c) {
    if (auto* listener = listeners_.find(c.text(1))) return listener->events->take();
    return managers_[c.text(1)].events->take();
  });
  on("prometheus", [this](const Command& c) {
    Words lines;
    for (const auto& text : split(trackers_[c.text(1)].prometheus(), '\n')) {
      if (text.compare(0, c.text(2).size(), c.text(2)) == 0) lines.push_back(text);
    }
    return lines;
  });
}

// ---- Tensors ----

void Commands::tensors() {
  on("tensor", [this](const Command& c) {
    tensors_.make(c.text(1), make_tensor(c.text(2), to_shape(c.text(3)), c.size() > 3 ? c.integer(4) : 0));
    return Words();
  });
  on("fill", [this](const Command& c) {
    tensors_[c.text(1)].fill(c.number(2));
    return Words();
  });
  on("add-scaled", [this](const Command& c) {
    tensors_[c.text(1)].add_scaled(c.number(2), tensors_[c.text(3)]);
    return Words();
  });
  on("sum", [this](const Command& c) { return Words{exact(tensors_[c.text(1)].sum())}; });
}

}  // namespace conformance
