#include <ckpt/program.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "plan.h"
#include "plan/placed_program.h"

using namespace ckpt::capi;
namespace plan = ckpt::plan;
using ckpt::base::require;

struct ckpt_program : Handle<Kind::program> {
  std::shared_ptr<const plan::PlacedProgram> object;
};

#define CKPT_SAME_PLACE(c, core, field) static_assert(offsetof(c, field) == offsetof(plan::core, field))
static_assert(sizeof(ckpt_program_buffer) == 64 && sizeof(plan::PlacedBuffer) == 64);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, bytes);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, offset);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, first);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, last);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, index);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, item);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, tier);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, option);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, micro_batch);
CKPT_SAME_PLACE(ckpt_program_buffer, PlacedBuffer, slot);
static_assert(sizeof(ckpt_program_operation) == 128 && sizeof(plan::PlacedOperation) == 128);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, kind);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, flags);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, layer);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, option);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, micro_batch);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, stream);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, transfer);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, input);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, output);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, tape);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, workspace);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, grad_output);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, grad_input);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, ambient);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, present_ambient);
CKPT_SAME_PLACE(ckpt_program_operation, PlacedOperation, action);
static_assert(CKPT_OPERATION_FLAG_AGAIN == plan::operation_again && CKPT_OPERATION_FLAG_IN_PLACE == plan::operation_in_place);

namespace {

// The records are the same to the byte; each is copied, so that neither type is read as the other.
template <class Record, class Created>
void copy_records(const std::vector<Created>& created, Record* records, int64_t capacity, const char* name, int64_t* count) {
  require(capacity >= 0, "capacity is ", capacity, "; expected at least 0");
  if (capacity > 0) not_null(records, name);
  not_null(count, "count");
  const auto copied = static_cast<std::size_t>(std::min(capacity, static_cast<int64_t>(created.size())));
  if (copied > 0) std::memcpy(records, created.data(), copied * sizeof(Record));
  *count = static_cast<int64_t>(created.size());
}

}  // namespace

ckpt_status ckpt_program_create(ckpt_schedule* schedule, const ckpt_profile* profile, ckpt_program** program) {
  return guard([&] {
    checked(schedule, "schedule");
    checked(profile, "profile");
    not_null(program, "program");
    hand_out(program, std::make_shared<const plan::PlacedProgram>(plan::make_placed_program(*schedule->object, *profile->object)));
  });
}

ckpt_status ckpt_program_get_arena_bytes(const ckpt_program* program, int32_t tier, int64_t* bytes) {
  return guard([&] {
    const auto& object = *checked(program, "program")->object;
    require(tier >= 0 && tier < plan::tiers, "tier is ", tier, "; expected 0 .. ", plan::tiers - 1);
    *not_null(bytes, "bytes") = object.arena_bytes[static_cast<std::size_t>(tier)];
  });
}

ckpt_status ckpt_program_get_buffers(const ckpt_program* program, ckpt_program_buffer* buffers, int64_t capacity, int64_t* count) {
  return guard([&] { copy_records(checked(program, "program")->object->buffers, buffers, capacity, "buffers", count); });
}

ckpt_status ckpt_program_get_operations(const ckpt_program* program, ckpt_program_operation* operations, int64_t capacity,
                                        int64_t* count) {
  return guard([&] { copy_records(checked(program, "program")->object->operations, operations, capacity, "operations", count); });
}

ckpt_status ckpt_program_get_json(const ckpt_program* program, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(plan::to_json(*checked(program, "program")->object), buffer, capacity, needed); });
}

void ckpt_program_release(ckpt_program* program) { release(program); }
