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
  // Adds a tensor, which is shared and kept alive, not copied: a save reads and a load writes its memory. group: each group
  // becomes a file of its own ("model" -> model.safetensors); made when it is new. Not blank, at most 64 bytes. name: not blank,
  // not "__metadata__"; Status::already_exists when the group has it. Status::out_of_range for a shape whose lengths, multiplied
  // from left to right, pass 2^63 - 1 before a 0 comes.
  Self& add(const std::string& group, const std::string& name, const Tensor& tensor) {
    check(ckpt_state_add_tensor(handle(), group.c_str(), name.c_str(), tensor.handle()));
    return static_cast<Self&>(*this);
  }
  // Adds a tensor that is spread over the ranks of a run: each rank adds the same name, dtype and global shape, and then, by
  // State::add_block, the blocks that it has: none, one or several. What State::add adds is replicated: every rank has it whole,
  // and it is saved once. group, name: as in State::add. shape: ndim (0 .. 8) lengths, >= 0; nullptr only when ndim is 0.
  // Together the blocks of all ranks cover the tensor; ranks may have the same block, else blocks do not overlap: a save fails
  // with Status::invalid_argument that names what is missing or covered twice.
  Self& add_sharded(const std::string& group, const std::string& name, DType dtype, const std::vector<std::int64_t>& shape) {
    check(ckpt_state_add_sharded_tensor(handle(), group.c_str(), name.c_str(), static_cast<ckpt_dtype>(dtype), shape.data(),
                                        static_cast<std::int32_t>(shape.size())));
    return static_cast<Self&>(*this);
  }
  // Adds one block of this rank to a tensor of State::add_sharded: tensor, which is shared and kept alive, not copied; its dtype
  // is that tensor's, its shape the lengths of the block (a length may be 0). offsets: where it begins in each dimension, ndim
  // of them. Status::not_found without such a tensor; Status::invalid_argument for another dtype or number of dimensions;
  // Status::out_of_range for a block that passes the global shape; Status::unsupported for elements of less than a byte whose
  // block does not begin and end on whole bytes in its last dimension.
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
  // Sets the value of a key, replacing the one it had. key: not blank. json: one JSON value, copied. Integers must fit 64 bits,
  // other numbers are IEEE doubles; no key twice in an object; nested at most 48 deep.
  Self& set_json(const std::string& key, const std::string& json) {
    check(ckpt_state_set_json(handle(), key.c_str(), json.c_str()));
    return static_cast<Self&>(*this);
  }
  // Returns the value of a key as JSON without superfluous white space. Status::not_found when the key has none.
  std::string json(const std::string& key) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_get_json(handle(), key.c_str(), buffer, capacity, needed);
    });
  }
  // Returns a key that has a value, number index (0 .. key_count-1) in the order of their bytes. Status::out_of_range for
  // another index.
  std::string key(std::int64_t index) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_get_key(handle(), index, buffer, capacity, needed);
    });
  }
  // Declares that the tensors of a group seldom change (rarely other than 0) or takes that back (0, as without this call): a
  // save with SaveOptions.incremental does not write its file again while none of them has changed since the checkpoint before.
  // The group need not be there yet.
  Self& set_rarely_changes(const std::string& group, bool rarely = true) {
    check(ckpt_state_set_rarely_changes(handle(), group.c_str(), static_cast<ckpt_bool>(rarely)));
    return static_cast<Self&>(*this);
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
  // Returns when every process has called it. timeout: >= 0; Status::timeout after that. A custom one's: its status, else
  // Status::callback. Wrong arguments of this function and of the next three are detected only by their process: the others wait
  // for it until Status::timeout.
  void barrier(std::chrono::nanoseconds timeout) {
    check(ckpt_coordinator_barrier(handle(), timeout.count()));
  }
  // Sends the root's bytes to all processes: data is read there and written elsewhere. bytes: >= 0, the same everywhere; data
  // may be nullptr only when it is 0. root: 0 .. world_size - 1. Errors as Coordinator::barrier.
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
  // Returns a new reference to the storage that the checkpoint was made with.
  Storage storage() const {
    ckpt_storage* result = nullptr;
    check(ckpt_checkpoint_manager_get_storage(handle(), &result));
    return Storage::adopt(result);
  }
  // Returns a new reference to the coordinator that the checkpoint was made with, or to one of a single process when there was
  // none.
  Coordinator coordinator() const;
  // Returns a new reference to the fault handler that the checkpoint uses; its count of retries is the checkpoint's when nothing
  // else uses it.
  FaultHandler fault_handler() const {
    ckpt_fault_handler* result = nullptr;
    check(ckpt_checkpoint_manager_get_fault_handler(handle(), &result));
    return FaultHandler::adopt(result);
  }
  // Writes state as a new checkpoint and returns when it is durable: a load finds it, or a newer one, after a crash at any later
  // moment. The tensors should not change meanwhile; if they do, the checkpoint holds some mixture, with checksums of what was
  // written. With several ranks all save the same names, dtypes, global shapes, step and prefix (Status::invalid_argument names
  // what differs, and where); other options and the JSON values are rank 0's, and values that differ elsewhere are saved by
  // rank. options: {} for the defaults (step 0). Status::invalid_state when read-only, Status::forked in a forked child,
  // Status::no_space, Status::permission and Status::io from the system: then what was written is removed as far as that is
  // possible, and older checkpoints are what they were. Status::no_space with both figures, before anything is made, when a file
  // system has fewer bytes free than the files need; what is linked needs none, and what is removed after the save is not
  // counted.
  SaveResult save(const State& state, const SaveOptions& options = {});
  // Lists the checkpoints of the storage, good or not (those set aside as "torn-..." do not count), in the order in which a load
  // tries them, abandoned ones last.
  std::vector<CheckpointInfo> list() const {
    const auto ask = [&](ckpt_checkpoint_info* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_checkpoint_manager_list(handle(), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_checkpoint_info>(CKPT_CHECKPOINT_INFO_INIT, ask, 64);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Returns the checkpoint that a load tries first: the one of the highest step of the current line whose status is Status::ok,
  // of equal ones the last that was committed. std::nullopt when there is none; the message then names the newest abandoned one.
  std::optional<CheckpointInfo> latest() const {
    ckpt_checkpoint_info result = CKPT_CHECKPOINT_INFO_INIT;
    const ckpt_status status = ckpt_checkpoint_manager_get_latest(handle(), &result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(result);
  }
  // Returns the checkpoint that has the best metric, as best_metric of the manager's options says, of equal ones the newest,
  // among those of the current line whose status is Status::ok. std::nullopt when none has a metric.
  std::optional<CheckpointInfo> best() const {
    ckpt_checkpoint_info result = CKPT_CHECKPOINT_INFO_INIT;
    const ckpt_status status = ckpt_checkpoint_manager_get_best(handle(), &result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(result);
  }
  // Returns the newest checkpoint of this step (>= 0) whose status is Status::ok; one of the current line takes precedence over
  // abandoned ones. std::nullopt when there is none.
  std::optional<CheckpointInfo> find_step(std::int64_t step) const {
    ckpt_checkpoint_info result = CKPT_CHECKPOINT_INFO_INIT;
    const ckpt_status status = ckpt_checkpoint_manager_find_step(handle(), step, &result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(result);
  }
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
  // Removes the checkpoints that a save would now remove, durably. keep_rules: as in CheckpointManagerOptions, in the place of
  // all that these say; empty: what they say. They are removed only when infos has room for all of them: else, and when dry_run
  // is not 0, nothing is changed. The one that was committed last stays, too. Status::invalid_argument for rules that cannot be
  // read; without a dry run as CheckpointManager::remove, and Status::io when some could not be removed completely.
  std::vector<CheckpointInfo> prune(const std::string& keep_rules = {}, bool dry_run = false) {
    const auto ask = [&](ckpt_checkpoint_info* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_checkpoint_manager_prune(handle(), detail::text_or_null(keep_rules), static_cast<ckpt_bool>(dry_run), list,
                                           capacity, count);
    };
    const auto listed = detail::list_of<ckpt_checkpoint_info>(CKPT_CHECKPOINT_INFO_INIT, ask, 64);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Durably removes the abandoned checkpoints that are not pinned, and no others, whatever the manager's rules keep. Those with
  // a manifest that cannot be read stay. infos, capacity, count, dry_run and errors as in CheckpointManager::prune.
  std::vector<CheckpointInfo> prune_abandoned(bool dry_run = false) {
    const auto ask = [&](ckpt_checkpoint_info* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_checkpoint_manager_prune_abandoned(handle(), static_cast<ckpt_bool>(dry_run), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_checkpoint_info>(CKPT_CHECKPOINT_INFO_INIT, ask, 64);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Returns the manifest of one checkpoint: a JSON text with its step, groups, files, tensors, values and metadata
  // (docs/reference/file-format.md). name: as in CheckpointInfo, or ".". Status::not_found without a manifest, Status::corrupt
  // when it is damaged.
  std::string manifest(const std::string& name) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_checkpoint_manager_get_manifest(handle(), name.c_str(), buffer, capacity, needed);
    }, 65536);
  }
  // Returns the JSON values that one rank saved, as an object. name: as in CheckpointInfo, or ".". rank: 0 .. world_size - 1 of
  // the checkpoint, else Status::out_of_range. For runs that go on with another number of ranks and have to share out anew what
  // was each rank's own. Errors as CheckpointManager::manifest.
  std::string rank_values(const std::string& name, std::int64_t rank) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_checkpoint_manager_get_rank_values(handle(), name.c_str(), rank, buffer, capacity, needed);
    }, 65536);
  }
  // Reads a whole checkpoint and checks everything. name: as in CheckpointInfo, or "."; nullptr: the newest that has a manifest,
  // another one when a writer removes that meanwhile. Status::corrupt with a message that names the first bad file and, where it
  // is known, the tensor. Status::not_found when there is no such checkpoint (any more).
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
  // followed. Such files have no checksums: headers are checked, bytes cannot be. Status::not_found, Status::corrupt (also for a
  // tensor of the index that its file lacks), Status::permission, Status::io.
  explicit ReaderMethods(const std::string& path) : Base(detail::Empty()) {
    check(ckpt_reader_create(path.c_str(), this->out()));
  }
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
  // Returns the index of a tensor. group: empty when it does not matter; Status::invalid_argument when several groups have the
  // name then. Status::not_found when there is no such tensor.
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
  // Returns a new read-only tensor over the file itself (mmap): no byte is copied, pages are read when they are touched. It
  // keeps the mapping alive, also after the reader and the checkpoint are gone. Status::unsupported where the storage has no
  // mappings or when the tensor's bytes are not aligned for its dtype (files of other programs), or are in blocks of several
  // files: read it then. Status::corrupt when the file is shorter by now than it was when it was opened. If another program
  // shortens the file later, touching what is gone kills the process (SIGBUS), and pages that cannot be read from the disk do
  // too: only Reader::read returns errors for these. libckpt never changes a committed file.
  Tensor map(std::int64_t index) {
    ckpt_tensor* result = nullptr;
    check(ckpt_reader_map(handle(), index, &result));
    return Tensor::adopt(result);
  }
};

}  // namespace ckpt

#endif
