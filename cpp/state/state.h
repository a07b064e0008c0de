// The data that is saved and restored: named groups of named tensors, and JSON values by key. Not synchronized.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/not_copied.h"
#include "state/box.h"
#include "state/manifest.h"
#include "tensor/tensor.h"

namespace ckpt::state {

struct StateTensor {
  std::string name;
  std::shared_ptr<tensor::Tensor> tensor;
  // For a block that one rank writes: see TensorRecord.
  std::string of = {};
  Lengths offsets = {};
  std::shared_ptr<tensor::Tensor> view_of = {};  // tensor of which it is a contiguous part; nullptr: separate memory
};

// A tensor that is sharded over the ranks, with the blocks of this rank.
struct ShardedTensor {
  struct Block {
    Box box;
    std::shared_ptr<tensor::Tensor> tensor;  // shape: the box's lengths
  };
  std::string name;
  tensor::Dtype dtype{};
  Lengths shape;
  std::vector<Block> blocks;
};

struct StateGroup {
  std::string name;
  std::vector<StateTensor> tensors = {};      // in the order they were added
  std::vector<ShardedTensor> sharded = {};    // the same
  std::int64_t bytes_of_chunk = chunk_bytes;  // chunk size of its tensors' checksums
};

// Returns the bytes of its tensors, without sharded ones.
std::int64_t bytes_of(const StateGroup& group);

class State;
class StateLoan;

// An object that lists its tensors and values before each save and load, and is notified after a load.
class Stateful {
 public:
  virtual ~Stateful() = default;
  // Adds its tensors and values to an empty state. Called before every save and load.
  virtual void list(State& into) = 0;
  // Called after a load: its tensors have their new contents; loaded contains the values (and those added by list).
  virtual void restore(const State& loaded) = 0;
};

class State {
 public:
  // Creates the state that one rank writes; the groups are not checked.
  static State of(std::vector<StateGroup> groups, std::map<std::string, std::string> values,
                  std::set<std::string, std::less<>> rarely_changing);

  // group: UTF-8, not blank, at most 64 bytes; created if missing. name: UTF-8, not blank, not "__metadata__";
  // Error(already_exists) if the group contains it. The tensor is shared, not copied.
  void add_tensor(std::string_view group, std::string_view name, std::shared_ptr<tensor::Tensor> tensor);

  // Adds a tensor of which every rank has some blocks; group and name as for add_tensor.
  void add_sharded(std::string_view group, std::string_view name, tensor::Dtype dtype, const tensor::Shape& shape);
  // Adds a block of this rank. Error(not_found) without such a sharded tensor; Error(out_of_range) if the block exceeds the tensor,
  // Error(unsupported) if it is not a whole number of bytes.
  void add_block(std::string_view group, std::string_view name, const Lengths& offsets, std::shared_ptr<tensor::Tensor> tensor);
  bool has_sharded() const noexcept;
  // For a single process: returns a state with each sharded tensor as one tensor, in its group after the others.
  // Error(invalid_argument) if its blocks do not cover it.
  State assembled() const;

  // Replaces the group's tensors by these; names as for add_tensor.
  void set_group(std::string_view group, std::vector<StateTensor> tensors);

  // Returns false if the group lacks the tensor.
  bool replace_tensor(std::string_view group, std::string_view name, std::shared_ptr<tensor::Tensor> tensor);

  // key: UTF-8, not blank. text: one JSON value; replaces an earlier one. Integers must fit 64 bits; other numbers are doubles.
  void set_json(std::string_view key, std::string_view text);
  // Error(not_found) if the key has no value.
  const std::string& json(std::string_view key) const;
  // Returns a key by index, in the order of keys; Error(out_of_range).
  const std::string& key(std::int64_t index) const;

  // Declares that a group's tensors seldom change, so that a save may link its file. The group need not exist yet.
  void set_rarely_changes(std::string_view group, bool rarely);
  const std::set<std::string, std::less<>>& rarely_changing() const noexcept { return rarely_changing_; }

  // name: not blank, at most 32 bytes, no '.'; Error(already_exists) if taken. Group "g" and key "k" of the object are named
  // "name.g" and "name.k" in checkpoints.
  void add_stateful(std::string_view name, std::shared_ptr<Stateful> object);
  bool has_statefuls() const noexcept { return !statefuls_.empty(); }
  // Returns this state including the current lists of its stateful objects, without the objects themselves.
  State gathered() const { return gathered(nullptr); }
  State gathered(const StateLoan* loan) const;  // also while lent by this loan
  // After a load into loaded, the result of gathered(): takes over the values and trees' JSON and notifies the stateful objects.
  // Exceptions of these propagate; values and tensors have then already been loaded.
  void accept(State&& loaded);

  // Returns the missing and unexpected tensors of the last load as JSON; see load.h.
  const std::string& load_report() const noexcept { return load_report_; }
  void set_load_report(std::string&& report) noexcept { load_report_.swap(report); }

  const std::vector<StateGroup>& groups() const noexcept { return groups_; }
  const std::map<std::string, std::string>& values() const noexcept { return values_; }
  std::int64_t tensor_count() const noexcept;
  // Error(invalid_state) inside a callback of one of its stateful objects, and while it is lent. Functions that change the state
  // check the same.
  void refuse_in_use() const { refuse_in_use(nullptr); }
  // Replaces the values by those of a checkpoint. Does not throw.
  void replace_values(std::map<std::string, std::string>&& values) noexcept {
    values_.swap(values);
    keys_.value.clear();
  }

 private:
  friend class StateLoan;
  // The loan that holds the state. A copy of the state is not lent.
  struct Lent {
    Lent() = default;
    Lent(const Lent& /*other*/) noexcept {}
    Lent& operator=(const Lent& /*other*/) noexcept { return *this; }
    std::atomic<const StateLoan*> by{nullptr};
  };
  void refuse_in_use(const StateLoan* loan) const;
  StateGroup& group_for(std::string_view group, std::string_view name);

  Lent lent_;
  std::vector<StateGroup> groups_;
  std::set<std::pair<std::string, std::string>> taken_;  // group, name
  std::map<std::string, std::string> values_;
  // The keys of values_ by index, filled at the first use, so that a walk of all keys is not quadratic.
  mutable base::NotCopied<std::vector<const std::string*>> keys_;
  std::set<std::string, std::less<>> rarely_changing_;
  std::vector<std::pair<std::string, std::shared_ptr<Stateful>>> statefuls_;
  std::string load_report_ = R"({"missing":[],"unexpected":[],"skipped":[]})";
};

// While it exists, calls without this loan fail for the state: a background load fills it.
class StateLoan {
 public:
  explicit StateLoan(State& state);  // Error(invalid_state) if it is already lent
  ~StateLoan() { state_.lent_.by.store(nullptr, std::memory_order_release); }
  StateLoan(const StateLoan&) = delete;
  StateLoan& operator=(const StateLoan&) = delete;

 private:
  State& state_;
};

}  // namespace ckpt::state
