// Generated from include/ckpt by tools/api: do not edit.
// program.hpp - the methods of program.h's objects that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_PROGRAM_HPP
#define CKPT_METHODS_PROGRAM_HPP

#include <ckpt/program.h>
#include <ckpt/base.hpp>
#include <ckpt/values/program.hpp>

#include <cstdint>
#include <string>

namespace ckpt {

template <class Self>
class ProgramMethods {
 public:
  // Returns the program as JSON, as docs/guests.md describes it.
  std::string json() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_program_get_json(handle(), buffer, capacity, needed);
    });
  }

 private:
  ckpt_program* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

}  // namespace ckpt

#endif
