# Sweeps over the table of the API: every function from every callback, in forked children, and invalid values from callbacks.
set(public_headers base memory tensor storage strategy plan engine pipeline state adaptive async tree drive program)
list(TRANSFORM public_headers PREPEND "${PROJECT_SOURCE_DIR}/include/ckpt/")
list(TRANSFORM public_headers APPEND ".h")
list(JOIN public_headers "|" joined)
set(cells "${CMAKE_CURRENT_BINARY_DIR}/api_cells.inc")
add_custom_command(OUTPUT "${cells}"
  COMMAND "${CMAKE_COMMAND}" "-DAPI=${PROJECT_SOURCE_DIR}/include/ckpt/api.h" "-DHEADERS=${joined}" "-DOUT=${cells}"
          -P "${CMAKE_CURRENT_SOURCE_DIR}/MakeCells.cmake"
  DEPENDS ckpt ${public_headers} MakeCells.cmake ../capi/ApiTable.cmake COMMENT "Making the cells of the sweeps" VERBATIM)

add_library(sweep_cells STATIC EXCLUDE_FROM_ALL cells.cpp objects.cpp "${cells}")
target_include_directories(sweep_cells PUBLIC "${CMAKE_CURRENT_BINARY_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(sweep_cells PUBLIC ckpt_compile ckpt::ckpt Threads::Threads)
ckpt_quick_compile(sweep_cells)

function(sweep_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE sweep_cells)
  ckpt_quick_compile(${name})
endfunction()

# The re-entry sweep tests locks, the invalid results test values: with CKPT_TEST_ONCE the first runs under ThreadSanitizer, the second under
# AddressSanitizer.
ckpt_runs_here(here sweeps_reentry THREADS)
if(here)
  sweep_program(test_sweeps_reentry reentry_test.cpp scenarios_base.cpp scenarios_state.cpp scenarios_engine.cpp)
  add_test(NAME sweeps_reentry_complete COMMAND test_sweeps_reentry --list)
  ckpt_label(sweeps_reentry_complete sweeps)
  set(scenarios
      thread_hooks pool_part clocks clocks_of_others memory_events strategies strategies_of_others strategy_factory storage_scheme
      destroyed_tensors destroyed_activations destroyed_objects storage_callbacks object_store fault_handler keep rename progress stateful
      coordinators async_tasks async_rename async_managers
      staging_memory async_storage log_of_state log_of_background layers pipeline_layers stage_forward driver graph_driver blas_serial blas_concurrent log_of_engine)
  foreach(scenario IN LISTS scenarios)
    add_test(NAME sweeps_reentry_${scenario} COMMAND test_sweeps_reentry ${scenario})
    ckpt_label(sweeps_reentry_${scenario} sweeps)
  endforeach()
endif()

# Sanitizers' allocators do not support a fork while another thread is inside them.
if(NOT CKPT_SANITIZE)
  sweep_program(test_sweeps_fork fork_test.cpp)
  foreach(type
      threshold controller simulation async_manager clock worker_pool layer chain schedule_executor optimizer memory_tracker activation_manager pipeline
      profile schedule cursor follower driver program state tree coordinator checkpoint_manager reader storage fault_handler strategy buffer_pool tensor)
    add_test(NAME sweeps_fork_${type} COMMAND test_sweeps_fork ckpt_${type})
    ckpt_label(sweeps_fork_${type} sweeps)
  endforeach()
  add_test(NAME sweeps_fork_none COMMAND test_sweeps_fork none)
  ckpt_label(sweeps_fork_none sweeps)
endif()

ckpt_runs_here(here sweeps_invalid_results OTHERS)
if(here)
  add_executable(test_sweeps_invalid_results invalid_results_test.cpp)
  target_include_directories(test_sweeps_invalid_results PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(test_sweeps_invalid_results PRIVATE ckpt_compile ckpt::ckpt Threads::Threads)
  ckpt_quick_compile(test_sweeps_invalid_results)
  foreach(results layer_outputs layer_options storage listings stateful coordinators strategies schemes stage_forward clocks sources faults keep rename numbers)
    add_test(NAME sweeps_invalid_results_${results} COMMAND test_sweeps_invalid_results ${results})
    ckpt_label(sweeps_invalid_results_${results} sweeps)
  endforeach()
endif()
