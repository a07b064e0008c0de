// Executes a schedule with the callbacks of a user's framework. Items are opaque handles: the driver tracks the live ones, calls
// back for every piece of work, and ensures that each handle is dropped or given away exactly once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fork_mutex.h"
#include "plan/drive_items.h"
#include "plan/item_table.h"
#include "plan/schedule.h"

namespace ckpt::plan {

// Meanings are those of include/ckpt/drive.h; capi/drive.cpp asserts the layout.
constexpr std::uint32_t drive_again = 1;
constexpr std::uint32_t drive_no_output = 2;
constexpr std::uint32_t drive_take_input = 4;
constexpr std::uint32_t drive_take_output = 8;

// The C API passes this struct to callbacks as its ckpt_drive_call, the same 80 bytes, without copying it for each call; hence
// may_alias.
struct [[gnu::may_alias]] DriveCall {
  Kind kind = Kind::end;
  std::uint32_t flags = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int32_t option = 0;
  std::int32_t micro_batch = 0;
  Item item = Item::none;
  std::int32_t tier = 0;
  std::int32_t slot = 0;
  std::int32_t reserved = 0;
  std::int64_t transfer = 0;
  std::int64_t action = 0;
  std::int64_t layers = 0;
  std::int32_t reserved2 = 0;
  std::int32_t reserved3 = 0;
};
static_assert(sizeof(DriveCall) == 80);

// The values that a layer of a graph reads, with drive_take_input or 0 for each.
struct DriveInputs {
  std::span<void* const> handles;
  const std::uint32_t* flags = nullptr;
};

// The user's callbacks. Each returns 0, or a code that the failure reports.
class DriveCallbacks {
 public:
  virtual ~DriveCallbacks() = default;
  // Returns false if a callback that this kind of call needs is missing. graph: in a step of a graph.
  virtual bool can(Kind kind, bool graph) const noexcept = 0;
  virtual std::int32_t forward(const DriveCall& call, void* input, void** output) = 0;
  virtual std::int32_t record(const DriveCall& call, void* input, void** output, void** tape) = 0;
  virtual std::int32_t backward(const DriveCall& call, void* input, void* output, void* tape, void* grad_output,
                                void** grad_input) = 0;
  // For the layers of a graph.
  virtual std::int32_t forward_n(const DriveCall& call, const DriveInputs& inputs, void** output) = 0;
  virtual std::int32_t record_n(const DriveCall& call, const DriveInputs& inputs, void** output, void** tape) = 0;
  virtual std::int32_t backward_n(const DriveCall& call, const DriveInputs& inputs, void* output, void* tape, void* grad_output,
                                  void** grad_inputs) = 0;
  virtual std::int32_t turn(const DriveCall& call, void* output, void** grad_output) = 0;
  virtual std::int32_t store(const DriveCall& call, void* item) = 0;
  virtual std::int32_t load(const DriveCall& call, void** item) = 0;
  virtual std::int32_t await(const DriveCall& call) = 0;
  virtual void drop(const DriveCall& call, void* item) noexcept = 0;
};

// Not thread-safe, except cancel().
class Driver {
 public:
  // Fails with Error(invalid_argument) for a schedule of a pipeline's stage.
  Driver(std::shared_ptr<const Schedule> schedule, std::unique_ptr<DriveCallbacks> callbacks);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // If these throw invalid_argument or invalid_state, the handle still belongs to the caller; otherwise it belongs to the driver.
  void* forward(void* x0);
  void* backward(void* gn, bool wants_gradient);  // returns GRAD(0), which then belongs to the caller
  void* run(void* x0, bool wants_gradient);

  void finalize(std::int64_t layers);
  void cancel();

  struct Failure {
    DriveCall call;
    std::int32_t result = 0;
  };
  // The failure of the last step; Error(invalid_state) within a step.
  const std::optional<Failure>& failure() const;

 private:
  enum class State : std::uint8_t { idle, running, paused, ending };

  // A live entry: an item in memory, or the contents of a slot.
  struct Live {
    ItemKey key;
    void* handle = nullptr;
    std::int32_t tier = 0;
    std::int32_t slot = 0;
    std::int32_t readers = 0;  // copies from it in progress
    bool ready = true;         // false while a copy fills it
    bool ended = false;        // its item has ended; it is dropped after the last copy from it
    bool unrequested = false;  // an output that RECORD returned although the schedule did not request it
  };
  struct Transfer {
    DriveCall await;               // the call that waits for the transfer
    std::int32_t source = 0;       // the copied item; for a load, the slot's contents
    std::int32_t destination = 0;  // the entry that the copy fills
    bool load = false;
    bool over = false;  // already awaited
  };
  using Numbers = ItemTable<std::int32_t>;  // indices into a Row

  // ---- Steps ----
  [[noreturn]] void refuse_during_step() const;
  void require_state(State state, const char* otherwise) const;
  void change(State state);
  template <class Body>
  auto within_step(Body&& body);
  void begin(void* x0);
  void run_to_turn();
  void store_grad(void* grad);
  void* run_to_end(bool wants_gradient);
  void unwind() noexcept;

  // ---- Actions ----
  Action take_action();
  bool read_more(std::size_t max);
  Action* peek(std::size_t ahead);
  bool is_last_use(const Action& action, std::int64_t index, std::int32_t at);
  void step(const Action& action);
  void check_layers(const Action& action) const;
  void forward(const Action& action);
  void record(const Action& action);
  void record_layer(const Action& action, std::int64_t layer);
  void backward(const Action& action);
  // The call of a layer's backward, and the entries of the gradient and the tape that it takes over.
  struct BackwardCall {
    DriveCall call;
    std::int32_t grad = 0;
    std::int32_t tape = 0;
  };
  BackwardCall begin_backward(const Action& action, std::int64_t layer);
  void backward_layer(const Action& action, std::int64_t layer);

  // ---- Graphs (driver_graph.cpp) ----
  std::span<const std::int64_t> reads(std::int64_t layer) const { return graph_->layers[static_cast<std::size_t>(layer)].inputs; }
  void begin_graph();
  void find_inputs(const Action& action, std::int64_t layer, bool between);
  void mark_last_uses(const Action& action, bool may_take);
  DriveInputs take_inputs();
  void forward_graph(const Action& action);
  void require_complete(const Action& action, std::int64_t layer) const;
  void backward_graph(const Action& action, std::int64_t layer);
  void find_gradients(const Action& action, std::int64_t layer);
  void store_gradients(const DriveCall& call);

  void* last_read(std::int32_t at, bool takes);
  void drop(const Action& action);
  void* end(const Action& action, bool wants_gradient);

  // ---- Transfers ----
  void store_begin(const Action& action);
  void load_begin(const Action& action);
  void await(const Action& action);
  std::int32_t add_transfer(const Action& action, const DriveCall& begins, std::int32_t source, std::int32_t destination);
  void remove_transfer(std::int32_t at);
  void finish(std::int32_t at);
  void wait_for_readers(std::int32_t item);

  // ---- Live items ----
  std::int32_t find(const ItemKey& key) const;
  std::int32_t need(const Action& action, const ItemKey& key);
  std::int32_t need_slot(const Action& action) const;
  void check_item(const Action& action) const;
  void check_tier(const Action& action) const;
  std::int32_t prepare(const Action& action, const ItemKey& key);
  bool store_handle(std::int32_t at, void* handle);
  void remove_entry(std::int32_t at);
  void* take_handle(std::int32_t at);
  void end_item(std::int32_t at);
  void drop_live(std::int32_t at);

  // ---- Calls ----
  DriveCall call_of(const Action& action, Kind kind, std::int64_t first, std::int64_t last) const;
  DriveCall call_of_item(const Action& action, const ItemKey& key) const;
  DriveCall call_of_drop(const ItemKey& key) const;
  void require_can(const DriveCall& call);
  void check(const DriveCall& call, std::int32_t result);
  [[noreturn]] void fail_returned_handle(const DriveCall& call, std::int32_t at, const void* handle);
  [[noreturn]] void fail_contract(const DriveCall& call, const std::string& how);
  [[noreturn]] void refuse(const Action& action, const std::string& reason) const;

  const std::shared_ptr<const Schedule> schedule_;
  const std::unique_ptr<DriveCallbacks> callbacks_;
  std::uint32_t can_ = 0;  // kinds of calls that the callbacks support, one bit each

  mutable base::ForkMutex mutex_;  // guards state_, and writes to cancelled_
  State state_ = State::idle;
  std::atomic<bool> cancelled_ = false;

  std::optional<Failure> failure_;
  std::int64_t next_layers_ = 0;  // of the next step of an open-ended schedule; 0: unknown

  // ---- The current step ----
  std::optional<Cursor> cursor_;
  std::vector<Action> ahead_;  // from begin_ to end_: read from the cursor, not executed yet
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t layers_ = 0;     // 0: unknown
  std::int64_t action_ = 0;     // index of the current action
  std::int64_t forwarded_ = 0;  // all layers below ran at least once
  bool turned_ = false;
  Row<Live> live_;
  Numbers items_;  // items in memory
  Numbers slots_;  // {input, tier, 0, slot}
  HandleSet handles_;
  Row<Transfer> transfers_;
  Numbers transfer_ids_;  // {input, 0, 0, id}

  // ---- Of a graph ----
  const GraphEdges* graph_ = nullptr;               // nullptr: a chain
  std::vector<std::vector<std::int64_t>> readers_;  // by value: the layers that read it, ascending
  std::vector<std::int64_t> pending_;               // by value: how many of them have not run backward
  std::int64_t ran_backward_ = 0;                   // number of layers
  std::vector<std::int32_t> from_;                  // entries of the current layer's inputs; none: does not exist
  std::vector<std::int32_t> gradients_;             // entries of their gradients
  std::vector<void*> inputs_;                       // of the current call
  std::vector<std::uint32_t> input_flags_;          // of the current call
  std::vector<void*> made_;                         // by the current call
};

}  // namespace ckpt::plan
