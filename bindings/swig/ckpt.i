// ckpt.i - the interface that SWIG reads for every language: the C headers themselves. The functions of the .hpp files here replace
// those that take callbacks or fill arrays or buffers. The conversion of values is defined once per language (python.i).
//
// A new header: one line under "Headers". Functions that fill a buffer or an array, and those that take callbacks of a class in
// generated/callbacks.hpp, have a generated replacement; one with other callbacks or arrays needs a function with its name in a
// .hpp file here, which tools/api finds.
%module(directors="1") native

%{
#include <ckpt/ckpt.h>
#include "async.hpp"
#include "callbacks.hpp"
#include "calls.hpp"
#include "drive.hpp"
#include "engine.hpp"
#include "pipeline.hpp"
#include "state.hpp"
#include "storage.hpp"
#include "strategy.hpp"
#include "tree.hpp"
%}

%include <stdint.i>

#define CKPT_API

%define CKPT_EACH_NEXT(macro, first, ...)macro(first)
#if #__VA_ARGS__ != "CKPT_END"
CKPT_EACH_NEXT(macro, __VA_ARGS__)
#endif
%enddef
%define CKPT_EACH(macro, ...)CKPT_EACH_NEXT(macro, __VA_ARGS__, CKPT_END)%enddef

// ---- Structs: created with their defaults, as CKPT_HOLDER(name) of the language ----
%define CKPT_STRUCT(name, defaults)
%extend name {
  name() {
    static const name initial = defaults;
    auto* created = new CKPT_HOLDER(name)();
    static_cast<name&>(*created) = initial;
    return created;
  }
  ~name() { delete static_cast<CKPT_HOLDER(name)*>($self); }
}
%enddef

// ---- Functions with a replacement, which has the C function's name ----
%define CKPT_REPLACED(name)
%ignore ckpt_##name;
%rename(ckpt_##name) ckpt_swig::name;
%enddef

// Declares a function that throws; each language defines CKPT_FAIL(status, message), which leaves its wrapper.
%define CKPT_THROWS(name)
%exception ckpt_swig::name {
  try {
    $action
  } catch (const ckpt_swig::StatusError& error) {
    CKPT_FAIL(error.status, ckpt_last_error())
  } catch (const ckpt_swig::CallbackFailure& failure) {
    CKPT_FAIL(failure.status(), failure.what())
  } catch (const std::exception&) {
    CKPT_FAIL(CKPT_E_OUT_OF_MEMORY, "no memory for the result")
  }
}
%enddef
%define CKPT_FETCHED(name)
CKPT_REPLACED(name)
CKPT_THROWS(name)
%enddef

#if defined(SWIGPYTHON)
%include "python.i"
#elif defined(SWIGCSHARP)
%include "csharp.i"
#elif defined(SWIGJAVA)
%include "java.i"
#endif

%include "generated/structs.i"
%include "generated/calls.i"
#if defined(SWIGCSHARP) // names of the classes that read structs by address, and of the functions that take them
%rename(EventListener) ckpt_swig::MemoryListener;
%rename(StrategyAnswers) ckpt_swig::StrategyFunctions;
%rename(csharp_subscribe) ckpt_swig::memory_tracker_subscribe;
%rename(csharp_strategy) ckpt_swig::strategy_create_custom;
#endif

%ignore ckpt_get_api; // for programs in C that load the library themselves
%ignore ckpt_start_thread; // every language has its own threads
%ignore ckpt_tree_add; // replaced by functions of tree.hpp
%ignore ckpt_tree_get;

// ---- Callbacks: classes that other languages derive from ----
%define CKPT_CALLBACKS(name)
%feature("director") ckpt_swig::name;
CKPT_HANDED_OVER(name)
%enddef
CKPT_EACH(CKPT_CALLBACKS, LogListener, ProgressListener, ThreadHooks, ClockSource, MemoryListener, StrategyFunctions,
          StrategyFactory, StorageFunctions, StorageFactory, Sleeper, Decider, Keeper, Renamer, Stateful, CoordinatorFunctions,
          DriveFunctions, LayerFunctions, AsyncListener, AsyncSource, StageForward)
%feature("director") ckpt_swig::PartWork; // implemented by callers
CKPT_EACH(CKPT_THROWS, Listing::add, ObjectListing::add)
%define CKPT_PASSED(name)
%nodefaultctor ckpt_swig::name;
%enddef
CKPT_EACH(CKPT_PASSED, Listing, ObjectListing, RangeList, PathList, NewName, FaultAnswer, DriveInputs)
%define CKPT_INTERNAL(name)
%ignore ckpt_swig::name;
%enddef
CKPT_EACH(CKPT_INTERNAL, CallbackFailure, Bytes, Spec, Shape, DriveCall, DriveCalls, LayerContext, LayerBytes, ByteString, Actions,
          Integers, Numbers, machine_closed)

// ---- Headers ----
%include <ckpt/base.h>
%include <ckpt/memory.h>
%include <ckpt/tensor.h>
%include <ckpt/storage.h>
%include <ckpt/strategy.h>
%include <ckpt/plan.h>
%include <ckpt/drive.h>
%include <ckpt/program.h>
%include <ckpt/engine.h>
%include <ckpt/state.h>
%include <ckpt/tree.h>
%include <ckpt/async.h>
%include <ckpt/adaptive.h>
%include <ckpt/pipeline.h>
%include "callbacks.hpp"
%include "generated/callbacks.hpp"
%include "fetch.hpp"
%include "generated/calls.hpp"
%include "calls.hpp"
#if !defined(SWIGPYTHON) // python_drive.hpp
%include "drive.hpp"
#endif
%include "tree.hpp"
%include "strategy.hpp"
%include "storage.hpp"
%include "engine.hpp"
%include "state.hpp"
%include "async.hpp"
%include "pipeline.hpp"
