// ckpt.i - the interface that SWIG reads for every language: the C headers themselves, with the functions of the .hpp files here in
// the place of those that take callbacks, arrays or buffers. How values cross is said once per language (python.i).
//
// A new header: one line under "Headers"; for functions with callbacks or arrays, a function in a .hpp file here and a CKPT_REPLACED or CKPT_FETCHED line for it.
%module(directors="1") native

%{
#include <ckpt/ckpt.h>
#include "adaptive.hpp"
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

// ---- Structs: made with their defaults; struct_size is the library's business ----
%define CKPT_STRUCT(name, defaults)
%ignore name::struct_size;
%ignore name::reserved;
%ignore name::reserved2;
%extend name {
  name() {
    static const name initial = defaults;
    return new name(initial);
  }
  ~name() { delete $self; }
}
%enddef

// ---- Functions with a stand-in: the C function's name belongs to that ----
%define CKPT_REPLACED(name)
%ignore ckpt_##name;
%rename(ckpt_##name) ckpt_swig::name;
%enddef

// One that gives what it fetched and throws StatusError: the language's CKPT_FETCHES says what becomes of that.
%define CKPT_FETCHED(name)
CKPT_REPLACED(name)
CKPT_FETCHES(name)
%enddef

#if defined(SWIGPYTHON)
%include "python.i"
#elif defined(SWIGCSHARP)
%include "csharp.i"
#elif defined(SWIGJAVA)
%include "java.i"
#endif

// Every struct that begins with struct_size, made or ignored: tools/api makes the list.
%include "generated.i"

%ignore ckpt_fault_handler_options::decide; // functions and arrays are arguments of the stand-ins
%ignore ckpt_fault_handler_options::decide_user_data;
%ignore ckpt_fault_handler_options::decide_destroy;
%ignore ckpt_async_manager_options::staging_allocate;
%ignore ckpt_async_manager_options::staging_free;
%ignore ckpt_async_manager_options::staging_user_data;
%ignore ckpt_async_manager_options::staging_destroy;
%ignore ckpt_checkpoint_manager_options::keep;
%ignore ckpt_checkpoint_manager_options::keep_user_data;
%ignore ckpt_checkpoint_manager_options::keep_destroy;
%ignore ckpt_load_options::rename;
%ignore ckpt_load_options::rename_user_data;
%ignore ckpt_load_options::rename_destroy;
%ignore ckpt_async_manager_options::callbacks;
%ignore ckpt_async_manager_options::user_data;
%ignore ckpt_async_manager_options::destroy;
%ignore ckpt_checkpoint_task_options::callbacks;
%ignore ckpt_checkpoint_task_options::user_data;
%ignore ckpt_checkpoint_task_options::destroy;
%ignore ckpt_checkpoint_task_options::source;
%ignore ckpt_checkpoint_task_options::source_user_data;
%ignore ckpt_checkpoint_task_options::source_destroy;
%ignore ckpt_strategy_options::children;
%ignore ckpt_strategy_options::children_count;
%ignore ckpt_pipeline_options::begins;
%ignore ckpt_pipeline_options::begins_count;
%ignore ckpt_pipeline_options::schedules;
%ignore ckpt_pipeline_options::schedules_count;
%ignore ckpt_pipeline_options::policy;
%ignore ckpt_layer_context; // what the stand-ins read and make
%ignore ckpt_layer_option;
%ignore ckpt_schedule_action;
%ignore ckpt_drive_call;
%ignore ckpt_tensor_spec;
#if !defined(SWIGCSHARP)
%ignore ckpt_program_buffer;
%ignore ckpt_program_operation;
#endif
%ignore ckpt_get_api; // for programs in C that load the library themselves

CKPT_REPLACED(set_log)
CKPT_REPLACED(set_fallback_log)
CKPT_REPLACED(set_progress)
CKPT_REPLACED(add_thread_hooks)
%ignore ckpt_start_thread; // every language has threads of its own
CKPT_REPLACED(clock_create_custom)
CKPT_REPLACED(worker_pool_run)
CKPT_REPLACED(memory_tracker_subscribe)
CKPT_FETCHED(memory_tracker_get_json)
CKPT_FETCHED(memory_tracker_get_prometheus)
CKPT_FETCHED(memory_tracker_get_snapshot)
CKPT_FETCHED(memory_tracker_list_allocations)
CKPT_REPLACED(strategy_create_with_options)
CKPT_REPLACED(strategy_create_custom)
CKPT_REPLACED(strategy_register)
CKPT_FETCHED(strategy_get_known_kinds)
CKPT_FETCHED(strategy_get_name)
CKPT_FETCHED(strategy_get_text)
CKPT_REPLACED(storage_create_custom)
CKPT_REPLACED(storage_create_from_uri)
CKPT_REPLACED(storage_register_scheme)
CKPT_REPLACED(fault_handler_create)
CKPT_FETCHED(profile_get_json)
CKPT_FETCHED(profile_get_frontier)
CKPT_FETCHED(schedule_get_known_planners)
CKPT_FETCHED(program_get_json)
CKPT_FETCHED(program_get_buffers)
CKPT_FETCHED(program_get_operations)
CKPT_FETCHED(cursor_save)
CKPT_FETCHED(cursor_next)
CKPT_FETCHED(cursor_next_many)
#if defined(SWIGPYTHON)
%ignore ckpt_driver_create; // Python drives by itself, over a list
%ignore ckpt_driver_forward;
%ignore ckpt_driver_backward;
%ignore ckpt_driver_run;
%ignore ckpt_driver_finalize;
%ignore ckpt_driver_cancel;
%ignore ckpt_driver_get_failure;
%ignore ckpt_driver_release;
#else
CKPT_REPLACED(driver_create)
CKPT_REPLACED(driver_forward)
CKPT_REPLACED(driver_backward)
CKPT_REPLACED(driver_run)
CKPT_FETCHED(driver_get_failure)
#endif
CKPT_FETCHED(blas_get_info)
CKPT_REPLACED(blas_set)
CKPT_FETCHED(layer_get_known_kinds)
CKPT_REPLACED(layer_create_custom)
CKPT_REPLACED(profile_create_from_chain)
CKPT_REPLACED(schedule_executor_create)
CKPT_FETCHED(state_get_json)
CKPT_FETCHED(state_get_key)
CKPT_FETCHED(state_get_load_report)
CKPT_REPLACED(state_add_stateful)
CKPT_REPLACED(coordinator_create_custom)
CKPT_REPLACED(coordinator_all_gather)
CKPT_REPLACED(coordinator_gather)
%ignore ckpt_tree_add; // the functions of tree.hpp
%ignore ckpt_tree_get;
CKPT_REPLACED(tree_add_null)
CKPT_REPLACED(tree_add_boolean)
CKPT_REPLACED(tree_add_integer)
CKPT_REPLACED(tree_add_number)
CKPT_REPLACED(tree_add_complex)
CKPT_REPLACED(tree_add_bytes)
CKPT_REPLACED(tree_add_container)
CKPT_REPLACED(tree_add_tensor)
CKPT_REPLACED(tree_get_node)
CKPT_REPLACED(tree_get_integer)
CKPT_REPLACED(tree_get_number)
CKPT_REPLACED(tree_get_form)
CKPT_FETCHED(tree_get_bytes)
CKPT_FETCHED(tree_get_text)
CKPT_REPLACED(checkpoint_manager_create)
CKPT_REPLACED(checkpoint_manager_load)
CKPT_FETCHED(checkpoint_manager_list)
CKPT_FETCHED(checkpoint_manager_prune)
CKPT_FETCHED(checkpoint_manager_prune_abandoned)
CKPT_FETCHED(checkpoint_manager_get_manifest)
CKPT_FETCHED(checkpoint_manager_get_rank_values)
CKPT_REPLACED(async_manager_create)
CKPT_REPLACED(async_manager_save)
CKPT_REPLACED(async_manager_load)
CKPT_FETCHED(async_manager_list)
CKPT_REPLACED(weibull_fit)
CKPT_REPLACED(controller_save_async)
CKPT_FETCHED(threshold_list_tasks)
CKPT_FETCHED(controller_list_tasks)
CKPT_FETCHED(controller_get_json)
CKPT_FETCHED(simulation_get_json)
CKPT_REPLACED(activation_manager_create)
CKPT_FETCHED(activation_manager_list)
CKPT_FETCHED(pipeline_split)
CKPT_REPLACED(pipeline_create)
CKPT_FETCHED(pipeline_run)
CKPT_FETCHED(pipeline_get_begins)
CKPT_FETCHED(pipeline_get_timeline)
CKPT_FETCHED(pipeline_get_trace_json)

%feature("director") ckpt_swig::LogListener;
%feature("director") ckpt_swig::ProgressListener;
%feature("director") ckpt_swig::ThreadHooks;
%feature("director") ckpt_swig::ClockSource;
%feature("director") ckpt_swig::PartWork;
%feature("director") ckpt_swig::MemoryListener;
%feature("director") ckpt_swig::StrategyFunctions;
%feature("director") ckpt_swig::StrategyFactory;
%feature("director") ckpt_swig::StorageFunctions;
%feature("director") ckpt_swig::StorageFactory;
%feature("director") ckpt_swig::Sleeper;
%feature("director") ckpt_swig::Decider;
%feature("director") ckpt_swig::Keeper;
%feature("director") ckpt_swig::Renamer;
%feature("director") ckpt_swig::Stateful;
%feature("director") ckpt_swig::CoordinatorFunctions;
%feature("director") ckpt_swig::DriveFunctions;
%feature("director") ckpt_swig::LayerFunctions;
%feature("director") ckpt_swig::AsyncListener;
%feature("director") ckpt_swig::AsyncSource;
%feature("director") ckpt_swig::StageForward;
%nodefaultctor ckpt_swig::Listing;
%nodefaultctor ckpt_swig::ObjectListing;
%nodefaultctor ckpt_swig::RangeList;
%nodefaultctor ckpt_swig::PathList;
%nodefaultctor ckpt_swig::NewName;
%nodefaultctor ckpt_swig::FaultAnswer;
%ignore ckpt_swig::CallbackFailure;
%ignore ckpt_swig::StatusError;
%ignore ckpt_swig::Bytes;
%ignore ckpt_swig::Spec;
%ignore ckpt_swig::Shape;
%ignore ckpt_swig::DriveCall;
%ignore ckpt_swig::DriveCalls;
%ignore ckpt_swig::LayerContext;
%ignore ckpt_swig::LayerBytes;
%ignore ckpt_swig::ByteString;
%ignore ckpt_swig::Actions;
%ignore ckpt_swig::Integers;
%ignore ckpt_swig::Numbers;
%ignore ckpt_swig::Intervals;
%ignore ckpt_swig::LayerStatsList;
%ignore ckpt_swig::AllocationList;
%ignore ckpt_swig::FrontierPointList;
%ignore ckpt_swig::ProgramBuffers;
%ignore ckpt_swig::ProgramOperations;
%ignore ckpt_swig::CheckpointInfoList;
%ignore ckpt_swig::TaskObservationList;
%ignore ckpt_swig::machine_closed;

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
%include "calls.hpp"
#if !defined(SWIGPYTHON)
%include "drive.hpp"
#endif
%include "tree.hpp"
%include "strategy.hpp"
%include "storage.hpp"
%include "engine.hpp"
%include "state.hpp"
%include "async.hpp"
%include "adaptive.hpp"
%include "pipeline.hpp"
