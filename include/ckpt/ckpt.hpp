// ckpt.hpp - libckpt from C++17. Umbrella header: includes one header per part, each a thin face over the C API.
//
// Objects are move-only and release what they hold; a call that fails throws ckpt::Error; rules about threads, forks and lifetimes
// are those of ckpt.h. An object that was moved from may only be assigned to or destroyed.
#ifndef CKPT_CKPT_HPP
#define CKPT_CKPT_HPP

#include <ckpt/base.hpp>
#if __has_include(<ckpt/engine.hpp>)
#include <ckpt/engine.hpp>
#endif
#if __has_include(<ckpt/memory.hpp>)
#include <ckpt/memory.hpp>
#endif
#if __has_include(<ckpt/plan.hpp>)
#include <ckpt/plan.hpp>
#endif
#if __has_include(<ckpt/state.hpp>)
#include <ckpt/state.hpp>
#endif
#if __has_include(<ckpt/storage.hpp>)
#include <ckpt/storage.hpp>
#endif
#if __has_include(<ckpt/strategy.hpp>)
#include <ckpt/strategy.hpp>
#endif
#if __has_include(<ckpt/tensor.hpp>)
#include <ckpt/tensor.hpp>
#endif

#endif  // CKPT_CKPT_HPP
