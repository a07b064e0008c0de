// ckpt.hpp - libckpt from C++17. Umbrella header: includes one header per part, each a thin layer over the C API.
//
// Objects are move-only and release their handles; a call that fails throws ckpt::Error; the rules of ckpt.h about threads, forks
// and lifetimes apply. An object that was moved from may only be assigned to or destroyed.
#ifndef CKPT_CKPT_HPP
#define CKPT_CKPT_HPP

#include <ckpt/adaptive.hpp>
#include <ckpt/async.hpp>
#include <ckpt/base.hpp>
#include <ckpt/drive.hpp>
#include <ckpt/engine.hpp>
#include <ckpt/memory.hpp>
#include <ckpt/pipeline.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/program.hpp>
#include <ckpt/state.hpp>
#include <ckpt/storage.hpp>
#include <ckpt/strategy.hpp>
#include <ckpt/tensor.hpp>
#include <ckpt/tree.hpp>

#endif  // CKPT_CKPT_HPP
