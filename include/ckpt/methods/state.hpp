// Generated from include/ckpt by tools/api: do not edit.
// state.hpp - the methods of state.h's objects that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_STATE_HPP
#define CKPT_METHODS_STATE_HPP

#include <ckpt/state.h>
#include <ckpt/base.hpp>
#include <ckpt/values/state.hpp>

#include <cstdint>
#include <string>

namespace ckpt {

template <class Self>
class CheckpointManagerMethods {
 public:
  // Removes one checkpoint for ever, durably: after a crash it is there whole, or gone for every load. name: as in
  // CheckpointInfo, good or damaged. Status::not_found without a directory of that name; Status::invalid_state when it is pinned
  // or the manager read-only, Status::forked in a forked child. Waits for a save that is under way.
  void remove(const std::string& name) {
    check(ckpt_checkpoint_manager_remove(handle(), name.c_str()));
  }
  // Pins the newest checkpoint of this step (>= 0) whose status is Status::ok, durably: retention of this and later processes
  // does not remove it. Earlier versions of the library do not know pins. Status::not_found when there is none; else as
  // CheckpointManager::remove.
  void pin(std::int64_t step) {
    check(ckpt_checkpoint_manager_pin(handle(), step));
  }
  // Takes the pins of all checkpoints of this step (>= 0) back, durably: the next save may remove them. Status::not_found when
  // the step has no checkpoint; else as CheckpointManager::remove.
  void unpin(std::int64_t step) {
    check(ckpt_checkpoint_manager_unpin(handle(), step));
  }

 private:
  ckpt_checkpoint_manager* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

template <class Self>
class CoordinatorMethods {
 public:
  // Returns this process's rank, 0 .. world_size - 1.
  std::int64_t rank() const {
    std::int64_t result = 0;
    check(ckpt_coordinator_get_rank(handle(), &result));
    return result;
  }
  // Returns the number of processes.
  std::int64_t world_size() const {
    std::int64_t result = 0;
    check(ckpt_coordinator_get_world_size(handle(), &result));
    return result;
  }

 private:
  ckpt_coordinator* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

template <class Self>
class ReaderMethods {
 public:
  // Returns the number of tensors.
  std::int64_t tensor_count() const {
    std::int64_t result = 0;
    check(ckpt_reader_get_tensor_count(handle(), &result));
    return result;
  }
  // Returns the info for the tensor at index, 0 .. count-1: group after group, file after file, in the order of the data; else
  // Status::out_of_range.
  TensorInfo tensor(std::int64_t index) const {
    ckpt_tensor_info result = CKPT_TENSOR_INFO_INIT;
    check(ckpt_reader_get_tensor(handle(), index, &result));
    return detail::from_c(result);
  }

 private:
  ckpt_reader* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

template <class Self>
class StateMethods {
 public:
  // Returns the number of tensors in all groups.
  std::int64_t tensor_count() const {
    std::int64_t result = 0;
    check(ckpt_state_get_tensor_count(handle(), &result));
    return result;
  }
  // Returns what the last successful load into this state found missing, unexpected and unusable, as JSON:
  // {"missing":[{"group":"model","name":"weight"}],"unexpected":[],
  // "skipped":[{"name":"step-000000001300-5e6f7081","status":"CORRUPT","problem":"step-...: the file has ..."}],
  // "by_rank":["data_position"]} missing and unexpected are empty unless that load was partial. skipped: the newer checkpoints
  // that it passed over, newest first, with what was wrong, and a damaged commit record ("name" is its path) where only the
  // manifest's digest in it shows that the checkpoint was committed; LoadResult.skipped is their number. by_rank: keys whose
  // values differed between the ranks that saved, and were not loaded because there are more or fewer ranks now
  // (CheckpointManager::rank_values reads them); not there when there are none.
  std::string load_report() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_get_load_report(handle(), buffer, capacity, needed);
    });
  }

 private:
  ckpt_state* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

}  // namespace ckpt

#endif
