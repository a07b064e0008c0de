// state.hpp - stateful objects, coordinators and callbacks of checkpoint managers of other languages. See callbacks.hpp for
// ownership.
#ifndef CKPT_SWIG_STATE_HPP
#define CKPT_SWIG_STATE_HPP

#include <ckpt/ckpt.h>

#include <cstring>
#include <memory>
#include <string>

#include "callbacks.hpp"

namespace ckpt_swig {

// Passed to Renamer::rename.
class NewName {
 public:
#ifndef SWIG
  std::string text;
  bool is_set = false;
#endif
  // Sets the name; NULL: unchanged.
  void set(const char* name) {
    is_set = name != nullptr;
    text = is_set ? name : "";
  }
};

// Returns the name under which a load searches for a tensor; see ckpt_rename_fn.
class Renamer {
 public:
  virtual ~Renamer() = default;
  virtual void rename(const char* name, NewName* answer) = 0;
};

class CoordinatorFunctions {
 public:
  virtual ~CoordinatorFunctions() = default;
  virtual void barrier(int64_t timeout_ns) = 0;
  virtual void broadcast(Bytes data, int64_t root, int64_t timeout_ns) = 0;
  virtual void all_gather(Bytes sent, Bytes received, int64_t timeout_ns) = 0;
  // received is empty unless this process is the root.
  virtual void gather(Bytes sent, Bytes received, int64_t root, int64_t timeout_ns) = 0;
#ifndef SWIG
  int64_t rank = 0;
  int64_t world_size = 1;
#endif
};

#ifndef SWIG
namespace detail {

inline CoordinatorFunctions& coordinator(void* user) { return *static_cast<CoordinatorFunctions*>(user); }

inline int32_t rename_tensor(const char*, const char* name, char* buffer, int64_t capacity, int64_t* needed, void* user) {
  return guarded([&] {
    NewName answer;
    static_cast<Renamer*>(user)->rename(name, &answer);
    if (!answer.is_set) return;
    *needed = static_cast<int64_t>(answer.text.size());
    std::memcpy(buffer, answer.text.data(), static_cast<std::size_t>(*needed < capacity ? *needed : capacity));
  });
}

// Starts a load by call(options with the callback); on success the library owns the object.
template <class Call>
ckpt_status load_renamed(const ckpt_load_options* options, Renamer* renamer, const Call& call) {
  std::unique_ptr<Renamer> owned(renamer);
  ckpt_load_options given = CKPT_LOAD_OPTIONS_INIT;
  if (options) given = *options;
  given.rename = renamer ? rename_tensor : nullptr;
  given.rename_user_data = renamer;
  given.rename_destroy = renamer ? destroy<Renamer> : nullptr;
  return handed_over(owned, call(&given));
}

}  // namespace detail
#endif

// keeper NULL: only the options' rules apply.
inline ckpt_status checkpoint_manager_create(ckpt_storage* storage, const ckpt_checkpoint_manager_options* options, Keeper* keeper,
                                             ckpt_checkpoint_manager** manager) {
  std::unique_ptr<Keeper> owned(keeper);
  ckpt_checkpoint_manager_options given = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  if (options) given = *options;
  if (keeper) {
    given.keep = detail::Calls<&Keeper::keep>::give;
    given.keep_user_data = keeper;
    given.keep_destroy = destroy<Keeper>;
  }
  return handed_over(owned, ckpt_checkpoint_manager_create(storage, &given, manager));
}

// renamer NULL: only the options' prefixes apply.
inline ckpt_status checkpoint_manager_load(ckpt_checkpoint_manager* manager, ckpt_state* state, const ckpt_load_options* options,
                                           Renamer* renamer, ckpt_load_result* result) {
  return detail::load_renamed(
      options, renamer, [&](const ckpt_load_options* how) { return ckpt_checkpoint_manager_load(manager, state, how, result); });
}

// gathers 0: the object does not implement gather, and the library uses all_gather.
inline ckpt_status coordinator_create_custom(int64_t rank, int64_t world_size, CoordinatorFunctions* functions, ckpt_bool gathers,
                                             ckpt_coordinator** coordinator) {
  std::unique_ptr<CoordinatorFunctions> owned(functions);
  if (functions) functions->rank = rank;
  if (functions) functions->world_size = world_size;
  ckpt_coordinator_callbacks table = CKPT_COORDINATOR_CALLBACKS_INIT;
  table.rank = rank;
  table.world_size = world_size;
  table.barrier = detail::Calls<&CoordinatorFunctions::barrier>::run;
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
  const ckpt_coordinator_gather_fn gather = [](const void* sent, int64_t bytes, int64_t root, int64_t timeout_ns, void* received,
                                               void* user) {
    return guarded([&] {
      CoordinatorFunctions& functions_of = detail::coordinator(user);
      const int64_t all = functions_of.rank == root ? bytes * functions_of.world_size : 0;
      functions_of.gather(detail::readable(sent, bytes), detail::writable(received, all), root, timeout_ns);
    });
  };
  if (gathers) table.gather = gather;
  return handed_over(owned, ckpt_coordinator_create_custom(&table, functions, destroy<CoordinatorFunctions>, coordinator));
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_STATE_HPP
