// Generated from include/ckpt by tools/api: do not edit.
// state.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_STATE_HPP
#define CKPT_METHODS_STATE_HPP

#include <ckpt/state.h>
#include <ckpt/base.hpp>
#include <ckpt/storage.hpp>
#include <ckpt/tensor.hpp>
#include <ckpt/values/state.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ckpt {

class Coordinator;
class State;

template <class Self>
class StateMethods : public detail::Object<Self, ckpt_state, ckpt_state_release> {
  using Base = detail::Object<Self, ckpt_state, ckpt_state_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates an empty state.
  StateMethods() : Base(detail::Empty()) {
    check(ckpt_state_create(this->out()));
  }
  // Adds a tensor, which is shared and kept alive, not copied: a save reads and a load writes its memory. group: created if it
  // is new; each group becomes one file ("model" -> model.safetensors). Not blank, at most 64 bytes. name: not blank, not
  // "__metadata__"; Status::already_exists if the group has it. Status::out_of_range if the product of the lengths, computed
  // from left to right up to the first 0, exceeds 2^63 - 1.
  Self& add(const std::string& group, const std::string& name, const Tensor& tensor) {
    check(ckpt_state_add_tensor(handle(), group.c_str(), name.c_str(), tensor.handle()));
    return static_cast<Self&>(*this);
  }
  // Adds a tensor that is sharded over the ranks of a run: each rank adds the same name, dtype and global shape, and then adds
  // its blocks (zero or more) by State::add_block. Tensors of State::add are replicated: every rank has the whole tensor, and it
  // is saved once. group, name: as in State::add. shape: ndim (0 .. 8) lengths, >= 0; nullptr only when ndim is 0. The blocks of
  // all ranks must cover the tensor; several ranks may have the same block, otherwise blocks must not overlap. Else a save fails
  // with Status::invalid_argument that names the missing or overlapping part.
  Self& add_sharded(const std::string& group, const std::string& name, DType dtype, const std::vector<std::int64_t>& shape) {
    check(ckpt_state_add_sharded_tensor(handle(), group.c_str(), name.c_str(), static_cast<ckpt_dtype>(dtype), shape.data(),
                                        static_cast<std::int32_t>(shape.size())));
    return static_cast<Self&>(*this);
  }
  // Adds one block of this rank to a tensor of State::add_sharded. tensor is shared and kept alive, not copied; it has the dtype
  // of the sharded tensor, and the lengths of the block as its shape (a length may be 0). offsets: first index of the block in
  // each dimension, ndim of them. Status::not_found without such a tensor; Status::invalid_argument for another dtype or number
  // of dimensions; Status::out_of_range for a block that exceeds the global shape; Status::unsupported for elements of less than
  // a byte if the block does not begin and end on whole bytes in its last dimension.
  Self& add_block(const std::string& group, const std::string& name, const std::vector<std::int64_t>& offsets,
                  const Tensor& tensor) {
    check(ckpt_state_add_block(handle(), group.c_str(), name.c_str(), offsets.data(), static_cast<std::int32_t>(offsets.size()),
                               tensor.handle()));
    return static_cast<Self&>(*this);
  }
  // Returns the number of tensors in all groups.
  std::int64_t tensor_count() const {
    std::int64_t result = 0;
    check(ckpt_state_get_tensor_count(handle(), &result));
    return result;
  }
  // Sets the value of a key, replacing an earlier value. key: not blank. json: one JSON value, copied. Integers must fit in 64
  // bits, other numbers are IEEE doubles; no duplicate keys in an object; nesting depth at most 48.
  Self& set_json(const std::string& key, const std::string& json) {
    check(ckpt_state_set_json(handle(), key.c_str(), json.c_str()));
    return static_cast<Self&>(*this);
  }
  // Returns the value of a key as JSON without insignificant white space. Status::not_found when the key has none.
  std::string json(const std::string& key) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_get_json(handle(), key.c_str(), buffer, capacity, needed);
    });
  }
  // Returns the key at index (0 .. key_count-1, else Status::out_of_range) among the keys that have a value, in ascending order
  // of their bytes.
  std::string key(std::int64_t index) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_get_key(handle(), index, buffer, capacity, needed);
    });
  }
  // Declares that the tensors of a group rarely change (rarely is true) or revokes that (false, the initial state): a save with
  // SaveOptions.incremental does not write the group's file again if none of them has changed since the previous checkpoint. The
  // group need not exist yet.
  Self& set_rarely_changes(const std::string& group, bool rarely = true) {
    check(ckpt_state_set_rarely_changes(handle(), group.c_str(), static_cast<ckpt_bool>(rarely)));
    return static_cast<Self&>(*this);
  }
  // Returns a report of the last successful load into this state (missing, unexpected and skipped items), as JSON:
  // {"missing":[{"group":"model","name":"weight"}],"unexpected":[],
  // "skipped":[{"name":"step-000000001300-5e6f7081","status":"CORRUPT","problem":"step-...: the file has ..."}],
  // "by_rank":["data_position"]} missing and unexpected are empty unless that load was partial. skipped: the newer checkpoints
  // that the load skipped, newest first, each with its error. It includes a damaged commit record ("name" is its path) if only
  // the manifest's digest in it shows that the checkpoint was committed. LoadResult.skipped is their number. by_rank: keys with
  // values that differed between the ranks that saved, and were not loaded because the number of ranks is different now; absent
  // if there are none. CheckpointManager::rank_values reads these values.
  std::string load_report() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_get_load_report(handle(), buffer, capacity, needed);
    });
  }
};

template <class Self>
class CoordinatorMethods : public detail::Object<Self, ckpt_coordinator, ckpt_coordinator_release> {
  using Base = detail::Object<Self, ckpt_coordinator, ckpt_coordinator_release>;

 public:
  using Base::Base;
  using Base::handle;
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
  // Waits until every process has called it. timeout: >= 0; Status::timeout after that. A custom coordinator's error is returned
  // if it is a status, else as Status::callback. Invalid arguments of this function, Coordinator::broadcast,
  // Coordinator::all_gather and Coordinator::gather are detected only by their process: the others wait for it until
  // Status::timeout.
  void barrier(std::chrono::nanoseconds timeout) {
    check(ckpt_coordinator_barrier(handle(), timeout.count()));
  }
  // Sends the root's bytes to all processes: data is read on root and written on the others. bytes: >= 0, the same on every
  // process; data may be nullptr only when it is 0. root: 0 .. world_size - 1. Errors as Coordinator::barrier.
  void broadcast(Span<std::byte> data, std::int64_t root, std::chrono::nanoseconds timeout) {
    check(ckpt_coordinator_broadcast(handle(), data.data(), static_cast<std::int64_t>(data.size()), root, timeout.count()));
  }
};

template <class Self>
class CheckpointManagerMethods : public detail::Object<Self, ckpt_checkpoint_manager, ckpt_checkpoint_manager_release> {
  using Base = detail::Object<Self, ckpt_checkpoint_manager, ckpt_checkpoint_manager_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Returns a new reference to the storage of the manager.
  Storage storage() const {
    ckpt_storage* result = nullptr;
    check(ckpt_checkpoint_manager_get_storage(handle(), &result));
    return Storage::adopt(result);
  }
  // Returns a new reference to the coordinator of the manager, or to one of a single process if it has none.
  Coordinator coordinator() const;
  // Returns a new reference to the fault handler of the manager; its count of retries is the manager's if nothing else uses it.
  FaultHandler fault_handler() const {
    ckpt_fault_handler* result = nullptr;
    check(ckpt_checkpoint_manager_get_fault_handler(handle(), &result));
    return FaultHandler::adopt(result);
  }
  // Writes state as a new checkpoint and returns when it is durable: after a crash at any later moment, a load finds it or a
  // newer one. The tensors should not change during the call; if they do, the checkpoint holds a mixture of old and new values,
  // with checksums of the written bytes. With several ranks, all ranks must save the same names, dtypes, global shapes, step and
  // prefix (Status::invalid_argument names the difference and the ranks); other options and the JSON values are taken from rank
  // 0, and JSON values that differ on other ranks are saved by rank. options: {} for the defaults (step 0).
  // Status::invalid_state when read-only, Status::forked in a forked child, Status::no_space, Status::permission and Status::io
  // from the system: then the written files are removed if possible, and older checkpoints are unchanged. Status::no_space, with
  // both figures and before any file is created, if the file system has fewer free bytes than the files need; linked files need
  // none, and space that retention would free after the save is not counted.
  SaveResult save(const State& state, const SaveOptions& options = {});
  // Lists the checkpoints of the storage, valid or not (except those renamed to "torn-..."), in the order in which a load tries
  // them, abandoned ones last.
  std::vector<CheckpointInfo> list() const {
    const auto ask = [&](ckpt_checkpoint_info* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_checkpoint_manager_list(handle(), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_checkpoint_info>(CKPT_CHECKPOINT_INFO_INIT, ask, 64);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Returns the checkpoint that a load tries first: among those of the current line with status Status::ok, the one with the
  // highest step, then the last commit. std::nullopt when there is none; a warning in the log then names the newest abandoned
  // one.
  std::optional<CheckpointInfo> latest() const {
    ckpt_checkpoint_info result = CKPT_CHECKPOINT_INFO_INIT;
    const ckpt_status status = ckpt_checkpoint_manager_get_latest(handle(), &result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(result);
  }
  // Returns the checkpoint that has the best metric, as best_metric of the manager's options specifies; of equal ones, with the
  // newest. Only those of the current line with status Status::ok count. std::nullopt when none has a metric; a warning in the
  // log then names the newest abandoned one that has.
  std::optional<CheckpointInfo> best() const {
    ckpt_checkpoint_info result = CKPT_CHECKPOINT_INFO_INIT;
    const ckpt_status status = ckpt_checkpoint_manager_get_best(handle(), &result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(result);
  }
  // Returns the newest checkpoint of this step (>= 0) with status Status::ok; one of the current line takes precedence over
  // abandoned ones. std::nullopt when there is none.
  std::optional<CheckpointInfo> find_step(std::int64_t step) const {
    ckpt_checkpoint_info result = CKPT_CHECKPOINT_INFO_INIT;
    const ckpt_status status = ckpt_checkpoint_manager_find_step(handle(), step, &result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(result);
  }
  // Removes one checkpoint permanently, durably and atomically: after a crash it is either complete or invisible to every load.
  // name: as in CheckpointInfo, of a valid or damaged checkpoint. Status::not_found without a directory of that name;
  // Status::invalid_state when it is pinned or the manager is read-only, Status::forked in a forked child. If files remain, the
  // storage's first error, with its message; later saves try again. Waits for a save in progress.
  void remove(const std::string& name) {
    check(ckpt_checkpoint_manager_remove(handle(), name.c_str()));
  }
  // Pins the newest checkpoint of this step (>= 0) with status Status::ok, durably: retention of this and later processes does
  // not remove it. Earlier versions of the library ignore pins. Status::not_found when there is none; else as
  // CheckpointManager::remove.
  void pin(std::int64_t step) {
    check(ckpt_checkpoint_manager_pin(handle(), step));
  }
  // Removes the pins of all checkpoints of this step (>= 0), durably: the next save may remove them. Status::not_found when the
  // step has no checkpoint; else as CheckpointManager::remove.
  void unpin(std::int64_t step) {
    check(ckpt_checkpoint_manager_unpin(handle(), step));
  }
  // Removes the checkpoints that a save would now remove, durably. keep_rules: as in CheckpointManagerOptions, instead of all
  // retention rules of these options; empty: the rules of these options. When dry_run is true, nothing is changed. The last
  // committed one is always kept. Status::invalid_argument for rules that cannot be parsed; without a dry run errors as
  // CheckpointManager::remove.
  std::vector<CheckpointInfo> prune(const std::string& keep_rules = {}, bool dry_run = false) {
    const auto ask = [&](ckpt_checkpoint_info* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_checkpoint_manager_prune(handle(), detail::text_or_null(keep_rules), static_cast<ckpt_bool>(dry_run), list,
                                           capacity, count);
    };
    const auto listed = detail::list_of<ckpt_checkpoint_info>(CKPT_CHECKPOINT_INFO_INIT, ask, 64);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Removes the abandoned checkpoints that are not pinned, and no others, durably and regardless of the manager's rules. Those
  // with an unreadable manifest are kept. Reads and verifies the newest checkpoint of the line first, while saves wait; if none
  // of the line is valid, the newest valid abandoned one is kept, too. dry_run and errors as in CheckpointManager::prune.
  std::vector<CheckpointInfo> prune_abandoned(bool dry_run = false) {
    const auto ask = [&](ckpt_checkpoint_info* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_checkpoint_manager_prune_abandoned(handle(), static_cast<ckpt_bool>(dry_run), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_checkpoint_info>(CKPT_CHECKPOINT_INFO_INIT, ask, 64);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Returns the manifest of one checkpoint: a JSON object with its step, groups, files, tensors, values and metadata
  // (docs/reference/file-format.md). name: as in CheckpointInfo, or ".". Status::not_found without a manifest, Status::corrupt
  // when it is damaged.
  std::string manifest(const std::string& name) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_checkpoint_manager_get_manifest(handle(), name.c_str(), buffer, capacity, needed);
    }, 65536);
  }
  // Returns the JSON values that one rank saved, as an object. name: as in CheckpointInfo, or ".". rank: 0 .. world_size - 1 of
  // the checkpoint, else Status::out_of_range. For runs that resume with another number of ranks and redistribute the values of
  // each rank. Errors as CheckpointManager::manifest.
  std::string rank_values(const std::string& name, std::int64_t rank) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_checkpoint_manager_get_rank_values(handle(), name.c_str(), rank, buffer, capacity, needed);
    }, 65536);
  }
  // Reads a whole checkpoint and verifies every checksum, size and header. name: as in CheckpointInfo, or "."; nullptr: the
  // newest one with a manifest, or another one if a writer removes that during the call. Status::corrupt with a message that
  // names the first damaged file and, if known, the tensor. Status::not_found if the checkpoint does not exist (any more).
  VerifyResult verify(const std::string& name = {}) const {
    ckpt_verify_result result = CKPT_VERIFY_RESULT_INIT;
    check(ckpt_checkpoint_manager_verify(handle(), detail::text_or_null(name), &result));
    return detail::from_c(result);
  }
};

template <class Self>
class ReaderMethods : public detail::Object<Self, ckpt_reader, ckpt_reader_release> {
  using Base = detail::Object<Self, ckpt_reader, ckpt_reader_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Opens a safetensors file (version 0.8 of https://github.com/huggingface/safetensors), or a directory with
  // model.safetensors.index.json and the files it names (Hugging Face's layout), or one with model.safetensors. Links are
  // followed. Such files have no checksums: only headers are checked. Status::not_found, Status::corrupt (also if a file lacks a
  // tensor of the index), Status::permission, Status::io.
  explicit ReaderMethods(const std::string& path) : Base(detail::Empty()) {
    check(ckpt_reader_create(path.c_str(), this->out()));
  }
  // Returns the number of tensors.
  std::int64_t tensor_count() const {
    std::int64_t result = 0;
    check(ckpt_reader_get_tensor_count(handle(), &result));
    return result;
  }
  // Returns information about the tensor at index (0 .. count-1, else Status::out_of_range): group after group, file after file,
  // in the order of the data.
  TensorInfo tensor(std::int64_t index) const {
    ckpt_tensor_info result = CKPT_TENSOR_INFO_INIT;
    check(ckpt_reader_get_tensor(handle(), index, &result));
    return detail::from_c(result);
  }
  // Returns the index of a tensor. group: empty for any group; Status::invalid_argument then if several groups have the name.
  // Status::not_found if no tensor matches.
  std::int64_t find(const std::string& group, const std::string& name) const {
    std::int64_t result = 0;
    check(ckpt_reader_find(handle(), detail::text_or_null(group), name.c_str(), &result));
    return result;
  }
  // Reads a tensor's bytes as Reader::read, into a new tensor with memory of pool (nullptr: the process's default pool).
  Tensor read_new(std::int64_t index, detail::Borrowed<ckpt_buffer_pool> pool = {}) {
    ckpt_tensor* result = nullptr;
    check(ckpt_reader_read_new(handle(), index, pool, &result));
    return Tensor::adopt(result);
  }
  // Returns a new read-only tensor over the file itself (mmap): no byte is copied, and pages are read on access. It keeps the
  // mapping alive, also after the release of the reader and the manager. Status::unsupported if the storage does not support
  // mappings, or if the tensor's bytes are not aligned for its dtype (files of other programs) or are blocks in several files:
  // read the tensor instead. Status::corrupt if the file is now shorter than when it was opened. If another program truncates
  // the file later, access to the missing part kills the process (SIGBUS). So does access to pages that cannot be read from the
  // disk. Only Reader::read returns errors for these. libckpt never changes a committed file.
  Tensor map(std::int64_t index) {
    ckpt_tensor* result = nullptr;
    check(ckpt_reader_map(handle(), index, &result));
    return Tensor::adopt(result);
  }
};

}  // namespace ckpt

#endif
