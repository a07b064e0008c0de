// Generated from include/ckpt by tools/api: do not edit.
// program.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_PROGRAM_HPP
#define CKPT_METHODS_PROGRAM_HPP

#include <ckpt/program.h>
#include <ckpt/base.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/values/program.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ckpt {

// A schedule with placed buffers. Immutable: may be read from several threads at once.
class Program : public detail::Object<Program, ckpt_program, ckpt_program_release> {
 public:
  using Object::Object;
  // Creates the program of a schedule on a chain's profile; neither is needed afterwards. Offsets are the same as in a
  // ScheduleExecutor: arenas are as large as Schedule::reserved_bytes reports. Status::invalid_schedule as Schedule::verify,
  // Status::out_of_range above 2^22 operations.
  Program(const Schedule& schedule, const Profile& profile) : Object(detail::Empty()) {
    check(ckpt_program_create(schedule.handle(), profile.handle(), this->out()));
  }
  // Returns the size of a tier's arena (0 .. 3); it must begin at a multiple of 64 bytes.
  std::int64_t arena_bytes(std::int32_t tier = 0) const {
    std::int64_t result = 0;
    check(ckpt_program_get_arena_bytes(handle(), tier, &result));
    return result;
  }
  // Lists the buffers.
  std::vector<ProgramBuffer> buffers() const {
    const auto ask = [&](ckpt_program_buffer* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_program_get_buffers(handle(), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_program_buffer>(ckpt_program_buffer{}, ask);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Lists the operations.
  std::vector<ProgramOperation> operations() const {
    const auto ask = [&](ckpt_program_operation* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_program_get_operations(handle(), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_program_operation>(ckpt_program_operation{}, ask);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Returns the program as JSON, as docs/how-to/bring-your-own-framework.md describes it.
  std::string json() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_program_get_json(handle(), buffer, capacity, needed);
    });
  }
};

}  // namespace ckpt

#endif
