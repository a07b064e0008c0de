// What is saved and restored: named groups of named tensors, and JSON values by key. Not synchronised.
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
  // Of a block that one rank writes: see TensorRecord.
  std::string of = {};
  Lengths offsets = {};
  std::shared_ptr<tensor::Tensor> view_of = {};  // whose consecutive elements it has; nullptr: memory of its own
};

// A tensor that is spread over the ranks of a run, and what this rank has of it.
struct ShardedTensor {
  struct Block {
    Box box;
    std::shared_ptr<tensor::Tensor> tensor;  // of the box's lengths
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
  std::int64_t bytes_of_chunk = chunk_bytes;  // of its tensors' checksums
};

// Of all its tensors, without the sharded ones.
std::int64_t bytes_of(const StateGroup& group);

class State;
class StateLoan;

// An object that lists what is saved of it each time, and is notified when that was restored.
class Stateful {
 public:
  virtual ~Stateful() = default;
  // Adds its tensors and values to an empty state, before every save and load.
  virtual void list(State& into) = 0;
  // After a load: its tensors have their new contents; loaded holds the values (and what list added).
  virtual void restore(const State& loaded) = 0;
};

class State {
 public:
  // As one rank writes it: groups that need no check.
  static State of(std::vector<StateGroup> groups, std::map<std::string, std::string> values,
                  std::set<std::string, std::less<>> rarely_changing);

  // group: UTF-8, not blank, at most 64 bytes; made when it is new. name: UTF-8, not blank, not "__metadata__";
  // Error(already_exists) when the group has it. The tensor is shared, not copied.
  void add_tensor(std::string_view group, std::string_view name, std::shared_ptr<tensor::Tensor> tensor);

  // A tensor of which every rank has some blocks; group and name as for add_tensor.
  void add_sharded(std::string_view group, std::string_view name, tensor::Dtype dtype, const tensor::Shape& shape);
  // A block of this rank, of the tensor's lengths. Error(not_found) without such a sharded tensor; Error(out_of_range) when it
  // passes the tensor, Error(unsupported) for what is no whole bytes.
  void add_block(std::string_view group, std::string_view name, const Lengths& offsets, std::shared_ptr<tensor::Tensor> tensor);
  bool has_sharded() const noexcept;
  // For one process alone: each sharded tensor is one tensor, in its group behind the others. Error(invalid_argument) when its
  // blocks do not cover it.
  State assembled() const;

  // The group holds these tensors and no others afterwards; names as for add_tensor.
  void set_group(std::string_view group, std::vector<StateTensor> tensors);

  // False when there is no such tensor.
  bool replace_tensor(std::string_view group, std::string_view name, std::shared_ptr<tensor::Tensor> tensor);

  // key: UTF-8, not blank. text: one JSON value; replaces what the key had. Integers must fit 64 bits; other numbers are doubles.
  void set_json(std::string_view key, std::string_view text);
  // Error(not_found) for a key that has no value.
  const std::string& json(std::string_view key) const;
  // In the order of keys; Error(out_of_range) beyond them.
  const std::string& key(std::int64_t index) const;

  // Declares that a group's tensors seldom change, so that a save may link its file. The group need not be there yet.
  void set_rarely_changes(std::string_view group, bool rarely);
  const std::set<std::string, std::less<>>& rarely_changing() const noexcept { return rarely_changing_; }

  // name: not blank, at most 32 bytes, no '.'; Error(already_exists) when taken. What the object lists as group "g" and key "k" are
  // "name.g" and "name.k" in checkpoints.
  void add_stateful(std::string_view name, std::shared_ptr<Stateful> object);
  bool has_statefuls() const noexcept { return !statefuls_.empty(); }
  // This state with what its stateful objects list now, and none of them in it.
  State gathered() const { return gathered(nullptr); }
  State gathered(const StateLoan* loan) const;  // while it is lent by this loan
  // After a load into loaded, which gathered() returned: takes values and trees' texts over, notifies the stateful objects. What
  // they throw goes on to the caller; values and tensors are those of the checkpoint by then.
  void accept(State&& loaded);

  // What the last load found missing and unexpected, as JSON; see load.h.
  const std::string& load_report() const noexcept { return load_report_; }
  void set_load_report(std::string&& report) noexcept { load_report_.swap(report); }

  const std::vector<StateGroup>& groups() const noexcept { return groups_; }
  const std::map<std::string, std::string>& values() const noexcept { return values_; }
  std::int64_t tensor_count() const noexcept;
  // Error(invalid_state) inside a callback of one of its stateful objects, and while it is lent; what changes this state does the
  // same.
  void refuse_in_use() const { refuse_in_use(nullptr); }
  // Values as a checkpoint had them. Does not throw.
  void replace_values(std::map<std::string, std::string>&& values) noexcept {
    values_.swap(values);
    keys_.value.clear();
  }

 private:
  friend class StateLoan;
  // The loan that it is lent by. A copy is not lent.
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

// While it lives, the state is refused to every call that does not show it: a background load fills it.
class StateLoan {
 public:
  explicit StateLoan(State& state);  // Error(invalid_state) when it is lent
  ~StateLoan() { state_.lent_.by.store(nullptr, std::memory_order_release); }
  StateLoan(const StateLoan&) = delete;
  StateLoan& operator=(const StateLoan&) = delete;

 private:
  State& state_;
};

}  // namespace ckpt::state
