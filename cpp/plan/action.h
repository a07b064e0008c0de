// One action of a schedule: a 64-byte record with a fixed layout. include/ckpt/plan.h defines the meanings; capi/plan.cpp asserts
// the layout.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::plan {

enum class Item : std::int32_t { none = 0, input = 1, tape = 2, grad = 3 };

enum class Kind : std::int32_t {
  forward = 1,
  forward_tape = 2,
  backward = 3,
  store_begin = 4,
  load_begin = 5,
  await = 6,
  drop = 7,
  send = 8,
  receive = 9,
  turn = 10,
  end = 11,
  record = 12,
  advance = 13,
};

constexpr std::int32_t tiers = 4;

struct Action {
  Kind kind = Kind::end;
  std::int32_t micro_batch = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int32_t option = 0;
  Item item = Item::none;
  std::int32_t tier = 0;
  std::int32_t slot = 0;
  std::int64_t transfer = 0;
  std::int64_t reserved[2] = {0, 0};

  friend bool operator==(const Action&, const Action&) = default;
};
static_assert(sizeof(Action) == 64);

// Returns true if first and last are layers, whatever else the action does.
inline bool runs_layers(Kind kind) noexcept {
  return kind == Kind::forward || kind == Kind::forward_tape || kind == Kind::backward || kind == Kind::record ||
         kind == Kind::advance;
}

const char* kind_name(Kind kind) noexcept;
bool is_kind(std::int32_t number) noexcept;

// Returns "INPUT(3)", "TAPE(3, option 1)".
std::string item_text(Item item, std::int64_t index, std::int32_t option);

inline Action forward(std::int64_t first, std::int64_t last) { return {.kind = Kind::forward, .first = first, .last = last}; }
inline Action forward_tape(std::int64_t layer) { return {.kind = Kind::forward_tape, .first = layer, .last = layer + 1}; }
inline Action record(std::int64_t layer) { return {.kind = Kind::record, .first = layer, .last = layer + 1}; }
inline Action advance(std::int64_t first, std::int64_t last) { return {.kind = Kind::advance, .first = first, .last = last}; }
inline Action backward(std::int64_t layer) { return {.kind = Kind::backward, .first = layer, .last = layer + 1}; }
inline Action drop_input(std::int64_t index) { return {.kind = Kind::drop, .first = index, .item = Item::input}; }
inline Action turn() { return {.kind = Kind::turn}; }
inline Action end() { return {.kind = Kind::end}; }

}  // namespace ckpt::plan
