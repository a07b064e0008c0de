// program.hpp - the C++17 face of program.h: a schedule as plain lists, for those who run it on memory of their own.
#ifndef CKPT_PROGRAM_HPP
#define CKPT_PROGRAM_HPP

#include <ckpt/methods/program.hpp>
#include <ckpt/plan.hpp>

#include <cstdint>

namespace ckpt {

// A placed schedule: every buffer with its place in one arena, every operation in its order. Immutable.
class Program : public ProgramMethods<Program> {
 public:
  using ProgramMethods::ProgramMethods;
  // Size of a tier's arena, which must begin at a multiple of 64 bytes; 0: memory.
  std::int64_t arena_bytes(std::int32_t tier = 0) const { return ProgramMethods::arena_bytes(tier); }
};

}  // namespace ckpt

#endif  // CKPT_PROGRAM_HPP
