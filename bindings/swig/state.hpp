// state.hpp - stateful objects and coordinators of other languages. See callbacks.hpp for who owns the objects.
#ifndef CKPT_SWIG_STATE_HPP
#define CKPT_SWIG_STATE_HPP

#include <ckpt/ckpt.h>

#include <memory>

#include "callbacks.hpp"

namespace ckpt_swig {

class Stateful {
 public:
  virtual ~Stateful() = default;
  virtual void list(ckpt_state* into) = 0;
  virtual void restore(const ckpt_state* loaded) = 0;
};

class CoordinatorFunctions {
 public:
  virtual ~CoordinatorFunctions() = default;
  virtual void barrier(int64_t timeout_ns) = 0;
  virtual void broadcast(Bytes data, int64_t root, int64_t timeout_ns) = 0;
  virtual void all_gather(Bytes sent, Bytes received, int64_t timeout_ns) = 0;
#ifndef SWIG
  int64_t world_size = 1;
#endif
};

#ifndef SWIG
namespace detail {

inline CoordinatorFunctions& coordinator(void* user) { return *static_cast<CoordinatorFunctions*>(user); }

}  // namespace detail
#endif

inline ckpt_status state_add_stateful(ckpt_state* state, const char* name, Stateful* object) {
  std::unique_ptr<Stateful> owned(object);
  ckpt_stateful_callbacks table = CKPT_STATEFUL_CALLBACKS_INIT;
  table.list = [](ckpt_state* into, void* user) { return guarded([&] { static_cast<Stateful*>(user)->list(into); }); };
  table.restore = [](const ckpt_state* loaded, void* user) {
    return guarded([&] { static_cast<Stateful*>(user)->restore(loaded); });
  };
  return handed_over(owned, ckpt_state_add_stateful(state, name, &table, object, destroy<Stateful>));
}

inline ckpt_status coordinator_create_custom(int64_t rank, int64_t world_size, CoordinatorFunctions* functions,
                                             ckpt_coordinator** coordinator) {
  std::unique_ptr<CoordinatorFunctions> owned(functions);
  if (functions) functions->world_size = world_size;
  ckpt_coordinator_callbacks table = CKPT_COORDINATOR_CALLBACKS_INIT;
  table.rank = rank;
  table.world_size = world_size;
  table.barrier = [](int64_t timeout_ns, void* user) { return guarded([&] { detail::coordinator(user).barrier(timeout_ns); }); };
  table.broadcast = [](void* data, int64_t bytes, int64_t root, int64_t timeout_ns, void* user) {
    return guarded([&] { detail::coordinator(user).broadcast(detail::writable(data, bytes), root, timeout_ns); });
  };
  table.all_gather = [](const void* sent, int64_t bytes, int64_t timeout_ns, void* received, void* user) {
    return guarded([&] {
      CoordinatorFunctions& functions_of = detail::coordinator(user);
      functions_of.all_gather(detail::readable(sent, bytes), detail::writable(received, bytes * functions_of.world_size),
                              timeout_ns);
    });
  };
  return handed_over(owned, ckpt_coordinator_create_custom(&table, functions, destroy<CoordinatorFunctions>, coordinator));
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_STATE_HPP
