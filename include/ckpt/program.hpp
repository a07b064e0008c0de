// program.hpp - the C++17 face of program.h: a schedule as plain lists, for those who run it on memory of their own.
#ifndef CKPT_PROGRAM_HPP
#define CKPT_PROGRAM_HPP

#include <ckpt/program.h>
#include <ckpt/base.hpp>
#include <ckpt/methods/program.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/values/program.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ckpt {

// A placed schedule: every buffer with its place in one arena, every operation in its order. Immutable.
class Program : public ProgramMethods<Program> {
 public:
  Program(const Schedule& schedule, const Profile& profile) {
    check(ckpt_program_create(schedule.handle(), profile.handle(), handle_.out()));
  }
  // Size of a tier's arena, which must begin at a multiple of 64 bytes; 0: memory.
  std::int64_t arena_bytes(std::int32_t tier = 0) const {
    std::int64_t bytes = 0;
    check(ckpt_program_get_arena_bytes(handle(), tier, &bytes));
    return bytes;
  }
  std::vector<ProgramBuffer> buffers() const {
    const auto list =
        detail::list_of(ckpt_program_buffer(), [&](ckpt_program_buffer* some, std::int64_t capacity, std::int64_t* count) {
          return ckpt_program_get_buffers(handle(), some, capacity, count);
        });
    return detail::values_of(list, [](const auto& each) { return detail::from_c(each); });
  }
  std::vector<ProgramOperation> operations() const {
    const auto list =
        detail::list_of(ckpt_program_operation(), [&](ckpt_program_operation* some, std::int64_t capacity, std::int64_t* count) {
          return ckpt_program_get_operations(handle(), some, capacity, count);
        });
    return detail::values_of(list, [](const auto& each) { return detail::from_c(each); });
  }
  ckpt_program* handle() const noexcept { return handle_.get(); }

 private:
  detail::Handle<ckpt_program, ckpt_program_release> handle_;
};

}  // namespace ckpt

#endif  // CKPT_PROGRAM_HPP
