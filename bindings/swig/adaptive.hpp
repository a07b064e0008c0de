// adaptive.hpp - functions of adaptive.h with arrays or texts. Functions bear the names of the C functions that they stand for.
#ifndef CKPT_SWIG_ADAPTIVE_HPP
#define CKPT_SWIG_ADAPTIVE_HPP

#include <ckpt/ckpt.h>

#include <string>

#include "calls.hpp"

namespace ckpt_swig {

// failed: none (all gaps ended in a failure), or as many as gaps; another number is refused by the library.
inline ckpt_status weibull_fit(const double* gap_seconds, int64_t gap_count, const ckpt_bool* failed, int64_t failed_count,
                               double* weibull_shape, double* scale_seconds) {
  const bool fits = failed_count == 0 || failed_count == gap_count;
  return ckpt_weibull_fit(gap_seconds, failed_count == 0 ? nullptr : failed, fits ? gap_count : -1, weibull_shape, scale_seconds);
}

inline TaskObservationList threshold_list_tasks(const ckpt_threshold* threshold) {
  const ckpt_task_observation empty = CKPT_TASK_OBSERVATION_INIT;
  return TaskObservationList{list_of(empty, [&](ckpt_task_observation* tasks, int64_t capacity, int64_t* count) {
    return ckpt_threshold_list_tasks(threshold, tasks, capacity, count);
  })};
}
inline TaskObservationList controller_list_tasks(const ckpt_controller* controller) {
  const ckpt_task_observation empty = CKPT_TASK_OBSERVATION_INIT;
  return TaskObservationList{list_of(empty, [&](ckpt_task_observation* tasks, int64_t capacity, int64_t* count) {
    return ckpt_controller_list_tasks(controller, tasks, capacity, count);
  })};
}

inline std::string controller_get_json(const ckpt_controller* controller) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_controller_get_json(controller, buffer, capacity, needed);
  });
}
inline std::string simulation_get_json(const ckpt_simulation* simulation) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_simulation_get_json(simulation, buffer, capacity, needed);
  });
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_ADAPTIVE_HPP
