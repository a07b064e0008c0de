// program.hpp - the C++17 interface of program.h: a schedule as plain lists, for programs that run it in preallocated memory.
#ifndef CKPT_PROGRAM_HPP
#define CKPT_PROGRAM_HPP

#include <ckpt/methods/program.hpp>
#include <ckpt/plan.hpp>

#endif  // CKPT_PROGRAM_HPP
