// program.hpp - the C++17 face of program.h: a schedule as plain lists, for those who run it on memory of their own.
#ifndef CKPT_PROGRAM_HPP
#define CKPT_PROGRAM_HPP

#include <ckpt/methods/program.hpp>
#include <ckpt/plan.hpp>

#endif  // CKPT_PROGRAM_HPP
