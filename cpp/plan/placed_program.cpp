#include "plan/placed_program.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "plan/placement.h"
#include "plan/program.h"

namespace ckpt::plan {
namespace {

Item item_of(BufferRole role) {
  switch (role) {
    case BufferRole::input: return Item::input;
    case BufferRole::tape: return Item::tape;
    case BufferRole::grad: return Item::grad;
    default: return Item::none;
  }
}

Kind kind_of(const Operation& operation, Kind action) {
  switch (operation.kind) {
    case Operation::Kind::forward: return operation.tape == no_buffer ? Kind::forward : Kind::forward_tape;
    case Operation::Kind::record: return Kind::record;
    case Operation::Kind::backward: return Kind::backward;
    case Operation::Kind::turn: return Kind::turn;
    default: return action;
  }
}

// Records a walk. A buffer of the walk that is overwritten in place becomes several buffers here, one for each item that it holds
// in turn.
class PlacedSink final : public WalkSink {
 public:
  PlacedSink(const ChainProfile& profile, PlacedProgram& program, std::vector<BufferId>& walk_buffers)
      : profile_(profile), program_(program), walk_buffers_(walk_buffers) {}

  void begin(const Action& action, std::int64_t index) {
    action_ = action;
    index_ = index;
  }

  void allocate(BufferId id, const BufferInfo& info) override {
    now_[id] = add(id, info, index_ < 0 ? -1 : std::ssize(program_.operations));
  }
  void become(BufferId, const BufferInfo&, const BufferInfo&) override {}  // the operation in between carries the information

  void free(BufferId id, const BufferInfo&) override {
    const auto found = now_.find(id);
    // Buffers that are live at the end of the step are never freed.
    if (action_.kind == Kind::end) buffer(found->second).last = std::ssize(program_.operations);
    now_.erase(found);
  }

  void run(const Operation& operation) override {
    const bool forward_in_place = operation.input != no_buffer && operation.input == operation.output;
    const bool backward_in_place = operation.grad_input != no_buffer && operation.grad_input == operation.grad_output;
    PlacedOperation created;
    created.kind = kind_of(operation, action_.kind);
    created.flags =
        (operation.recomputation ? operation_again : 0) | (forward_in_place || backward_in_place ? operation_in_place : 0);
    created.layer = operation.kind == Operation::Kind::turn ? profile_.layers() : operation.layer;
    created.option = operation.option;
    created.micro_batch = operation.micro_batch;
    created.action = index_;
    created.input = use(operation.input);
    if (forward_in_place) overwrite(operation.output, operation.layer + 1);
    created.output = use(operation.output);
    if (created.kind == Kind::turn) std::swap(created.input, created.output);  // it reads the chain's output
    created.tape = use(operation.tape);
    created.workspace = use(operation.workspace);
    created.grad_output = use(operation.grad_output);
    if (backward_in_place) overwrite(operation.grad_input, operation.layer);
    created.grad_input = use(operation.grad_input);
    created.ambient = use(operation.ambient);
    created.present_ambient = use(operation.present_ambient);
    if (operation.kind == Operation::Kind::copy) {
      created.option = action_.item == Item::tape ? action_.option : 0;
      created.stream = 2 * action_.tier - (created.kind == Kind::store_begin ? 1 : 0);
      created.transfer = action_.transfer;
      copies_[action_.transfer] = std::ssize(program_.operations);
    }
    program_.operations.push_back(created);
  }

  // A copy may last until its AWAIT, which therefore counts as a use of its source and destination.
  void transfer_ends(std::int64_t id) override {
    const auto copy = copies_.find(id);
    PlacedOperation created = program_.operations[static_cast<std::size_t>(copy->second)];
    copies_.erase(copy);
    created.kind = Kind::await;
    created.stream = 0;
    created.action = index_;
    for (const std::int64_t number : {created.input, created.output}) buffer(number).last = std::ssize(program_.operations);
    program_.operations.push_back(created);
  }

 private:
  PlacedBuffer& buffer(std::int64_t number) { return program_.buffers[static_cast<std::size_t>(number)]; }

  std::int64_t add(BufferId id, const BufferInfo& info, std::int64_t first) {
    const bool is_tape = info.role == BufferRole::tape;
    program_.buffers.push_back({.bytes = info.bytes,
                                .first = first,
                                .last = first,
                                .index = info.index,
                                .item = item_of(info.role),
                                .tier = info.tier,
                                .option = is_tape ? action_.option : 0,
                                .micro_batch = action_.micro_batch,
                                .slot = info.slot});
    walk_buffers_.push_back(id);
    return std::ssize(program_.buffers) - 1;
  }

  std::int64_t use(BufferId id) {
    if (id == no_buffer) return -1;
    const std::int64_t number = now_.at(id);
    buffer(number).last = std::ssize(program_.operations);
    return number;
  }

  // From here on the walk's buffer holds x_index, or its gradient.
  void overwrite(BufferId id, std::int64_t index) {
    std::int64_t& number = now_.at(id);
    const BufferRole role = buffer(number).item == Item::grad ? BufferRole::grad : BufferRole::input;
    number = add(id, {role, 0, index, profile_.bytes_of(index)}, std::ssize(program_.operations));
  }

  const ChainProfile& profile_;
  PlacedProgram& program_;
  std::vector<BufferId>& walk_buffers_;                    // the walk's buffer of each buffer
  std::unordered_map<BufferId, std::int64_t> now_;         // current buffer of each walk buffer that holds something
  std::unordered_map<std::int64_t, std::int64_t> copies_;  // operations of the transfers in progress
  Action action_;
  std::int64_t index_ = -1;
};

// Lays out the slots of every tier above memory: consecutive, each as long as the longest item that it ever holds.
void place_slots(PlacedProgram& program) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> places;
  for (const PlacedBuffer& buffer : program.buffers) {
    if (buffer.tier == 0) continue;
    std::int64_t& longest = places[{buffer.tier, buffer.slot}];
    longest = std::max(longest, placed_bytes(buffer.bytes));
  }
  for (auto& [place, bytes] : places) {
    std::int64_t& end = program.arena_bytes[static_cast<std::size_t>(place.first)];
    const std::int64_t offset = end;
    if (__builtin_add_overflow(end, bytes, &end))
      base::fail(base::Status::out_of_range, "tier ", place.first, ": the slots' sizes exceed INT64_MAX bytes");
    bytes = offset;
  }
  for (PlacedBuffer& buffer : program.buffers) {
    if (buffer.tier > 0 && buffer.bytes > 0) buffer.offset = places.at({buffer.tier, buffer.slot});
  }
}

// Writes JSON numbers by name, in the order of the fields.
class Record {
 public:
  explicit Record(std::string& text) : text_(text) { text_ += '{'; }
  template <class Number>
  Record& number(const char* name, Number value) {
    text_ += base::cat(separator(), '"', name, "\":", static_cast<std::int64_t>(value));
    return *this;
  }
  Record& name(const char* name, const char* value) {
    text_ += base::cat(separator(), '"', name, "\":\"", value, '"');
    return *this;
  }
  void end() { text_ += '}'; }

 private:
  const char* separator() { return std::exchange(first_, false) ? "" : ","; }

  std::string& text_;
  bool first_ = true;
};

template <class Each, class Write>
void add_list(std::string& text, const char* name, const std::vector<Each>& list, const Write& write) {
  text += base::cat(",\"", name, "\":[");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ',';
    Record record(text);
    write(record, list[i]);
    record.end();
  }
  text += ']';
}

const char* item_name(Item item) {
  switch (item) {
    case Item::input: return "INPUT";
    case Item::tape: return "TAPE";
    case Item::grad: return "GRAD";
    default: return "NONE";
  }
}

}  // namespace

PlacedProgram make_placed_program(const Schedule& schedule, const ChainProfile& profile) {
  if (profile.is_graph()) base::fail(base::Status::unsupported, "profile is a graph: programs are of chains");
  const Placement placement = place(make_program(schedule, profile));
  PlacedProgram program;
  std::vector<BufferId> walk_buffers;
  PlacedSink sink(profile, program, walk_buffers);
  Cursor cursor = cursor_for(schedule, profile);
  Walk walk(profile, sink, schedule.role());
  while (!walk.ended()) {
    const Action action = cursor.next();
    sink.begin(action, walk.actions());
    walk.step(action);
  }
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    PlacedBuffer& buffer = program.buffers[i];
    if (buffer.tier == 0 && buffer.bytes > 0) buffer.offset = placement.offsets[static_cast<std::size_t>(walk_buffers[i])];
  }
  program.arena_bytes[0] = placement.arena_bytes;
  place_slots(program);
  return program;
}

std::string to_json(const PlacedProgram& program) {
  std::string text = "{\"format\":\"ckpt-program\",\"version\":1,\"arena_bytes\":[";
  for (std::size_t tier = 0; tier < program.arena_bytes.size(); ++tier)
    text += base::cat(tier > 0 ? "," : "", program.arena_bytes[tier]);
  text += ']';
  add_list(text, "buffers", program.buffers, [](Record& record, const PlacedBuffer& buffer) {
    record.number("bytes", buffer.bytes)
        .number("offset", buffer.offset)
        .number("first", buffer.first)
        .number("last", buffer.last)
        .number("index", buffer.index)
        .name("item", item_name(buffer.item))
        .number("tier", buffer.tier)
        .number("option", buffer.option)
        .number("micro_batch", buffer.micro_batch)
        .number("slot", buffer.slot);
  });
  add_list(text, "operations", program.operations, [](Record& record, const PlacedOperation& operation) {
    record.name("kind", kind_name(operation.kind))
        .number("flags", operation.flags)
        .number("layer", operation.layer)
        .number("option", operation.option)
        .number("micro_batch", operation.micro_batch)
        .number("stream", operation.stream)
        .number("transfer", operation.transfer)
        .number("input", operation.input)
        .number("output", operation.output)
        .number("tape", operation.tape)
        .number("workspace", operation.workspace)
        .number("grad_output", operation.grad_output)
        .number("grad_input", operation.grad_input)
        .number("ambient", operation.ambient)
        .number("present_ambient", operation.present_ambient)
        .number("action", operation.action);
  });
  return text + "}";
}

}  // namespace ckpt::plan
