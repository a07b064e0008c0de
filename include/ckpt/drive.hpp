// drive.hpp - the C++17 interface of drive.h: runs a schedule on items of a framework, of any movable type.
//
//   ckpt::Driver<Vector> driver(schedule, std::make_unique<Tanh>());   Tanh: derived from ckpt::Framework<Vector>
//   const Vector& output = driver.forward(x0);
//   std::optional<Vector> grad = driver.backward(gradient_of_the_loss(output));
#ifndef CKPT_DRIVE_HPP
#define CKPT_DRIVE_HPP

#include <ckpt/methods/drive.hpp>
#include <ckpt/methods/drive_callbacks.hpp>
#include <ckpt/plan.hpp>

namespace ckpt {

// Base class of the functions of a framework for a driver; drive.h documents its callbacks. T: an item. An exception of a function
// ends the step, and the driver's function rethrows it unchanged.
template <class T>
class Framework {
 public:
  struct Recorded {
    std::optional<T> output;  // empty only with DriveFlag::no_output
    std::optional<T> tape;
  };
  // A value that a layer of a graph reads. item: nullptr if it does not exist while the backward runs. With is_last, it is
  // destroyed after the call: it may be moved from.
  struct Input {
    T* item;
    bool is_last;
  };
  using Inputs = std::vector<Input>;
  using Gradients = std::vector<std::optional<T>>;
  struct NotImplemented : Error {
    explicit NotImplemented(const char* function)
        : Error(Status::unsupported, std::string("the framework does not define ") + function) {}
  };

  virtual ~Framework() = default;
  // With DriveFlag::take_input the input is destroyed after the call: it may be moved from. This applies to record, too.
  virtual T forward(const DriveCall& call, T& input) = 0;
  virtual Recorded record(const DriveCall& call, T& input) = 0;
  // nullptr: does not exist. tape and grad_output are destroyed after the call, and so are input and output with their flags: they
  // may be moved from.
  virtual std::optional<T> backward(const DriveCall& call, T* input, T* output, T* tape, T* grad_output) = 0;
  // For the layers of graphs, instead of the functions above. sums: the gradients of the inputs so far, empty for the first layer
  // that adds to one; returns them with the layer's part.
  virtual T forward_n(const DriveCall& /*call*/, const Inputs& /*inputs*/) { throw NotImplemented("forward_n"); }
  virtual Recorded record_n(const DriveCall& /*call*/, const Inputs& /*inputs*/) { throw NotImplemented("record_n"); }
  virtual Gradients backward_n(const DriveCall& /*call*/, const Inputs& /*inputs*/, T* /*output*/, T* /*tape*/, T* /*grad_output*/,
                               Gradients /*sums*/) {
    throw NotImplemented("backward_n");
  }
  // Only for Driver::run.
  virtual std::optional<T> turn(const DriveCall& /*call*/, T& /*output*/) { throw NotImplemented("turn"); }
  // Only for schedules with slower tiers. A stored item is not changed until await has returned.
  virtual void store(const DriveCall& /*call*/, T* /*item*/) { throw NotImplemented("store"); }
  virtual std::optional<T> load(const DriveCall& /*call*/) { throw NotImplemented("load"); }
  virtual void await(const DriveCall& /*call*/) { throw NotImplemented("await"); }
  virtual void drop_slot(const DriveCall& /*call*/) noexcept {}
};

namespace detail {

// Implements the functions of C by a framework; items are pointers to T on the heap.
template <class T>
struct FrameworkCalls {
  using Item = std::unique_ptr<T>;
  std::unique_ptr<Framework<T>> framework;
  std::exception_ptr thrown;

  static T* item(void* handle) { return static_cast<T*>(handle); }
  static Item boxed(std::optional<T>&& item) { return item ? std::make_unique<T>(std::move(*item)) : nullptr; }
  // The items that a call owns in any outcome.
  static Item taken(const DriveCall& call, DriveFlag flag, void* handle) {
    return Item(has(call.flags, flag) ? item(handle) : nullptr);
  }
  template <class Body>
  auto run(Body&& body) {
    try {
      return body();
    } catch (...) {
      thrown = std::current_exception();
      throw;
    }
  }

  Item forward(const DriveCall& call, void* input) {
    const Item ends = taken(call, DriveFlag::take_input, input);
    return run([&] { return std::make_unique<T>(framework->forward(call, *item(input))); });
  }
  static void hand_over(typename Framework<T>::Recorded&& recorded, void** output, void** tape) {
    Item first = boxed(std::move(recorded.tape));
    *output = boxed(std::move(recorded.output)).release();
    *tape = first.release();
  }
  static std::int32_t record(const ckpt_drive_call* given, void* input, void** output, void** tape, void* user_data) noexcept {
    return callback_status([&] {
      FrameworkCalls& own = object_of<FrameworkCalls>(user_data);
      const DriveCall call = from_c(*given);
      const Item ends = taken(call, DriveFlag::take_input, input);
      hand_over(own.run([&] { return own.framework->record(call, *item(input)); }), output, tape);
    });
  }
  // Destroys items when it ends; needs no memory. flags: nullptr for all of them, else those of the last use.
  struct Ending {
    void* const* items;
    std::int64_t count;
    const ckpt_drive_flag* flags;
    ~Ending() {
      for (std::int64_t i = 0; i < count; ++i) {
        if (flags == nullptr || (flags[i] & CKPT_DRIVE_FLAG_TAKE_INPUT) != 0) delete item(items[i]);
      }
    }
  };
  static typename Framework<T>::Inputs read(const Ending& inputs) {
    typename Framework<T>::Inputs list;
    list.reserve(static_cast<std::size_t>(inputs.count));
    for (std::int64_t i = 0; i < inputs.count; ++i)
      list.push_back({item(inputs.items[i]), (inputs.flags[i] & CKPT_DRIVE_FLAG_TAKE_INPUT) != 0});
    return list;
  }
  static std::int32_t forward_n(const ckpt_drive_call* given, void* const* inputs, std::int64_t inputs_count,
                                const ckpt_drive_flag* input_flags, void** output, void* user_data) noexcept {
    return callback_status([&] {
      FrameworkCalls& own = object_of<FrameworkCalls>(user_data);
      const Ending ends{inputs, inputs_count, input_flags};
      *output = own.run([&] { return std::make_unique<T>(own.framework->forward_n(from_c(*given), read(ends))); }).release();
    });
  }
  static std::int32_t record_n(const ckpt_drive_call* given, void* const* inputs, std::int64_t inputs_count,
                               const ckpt_drive_flag* input_flags, void** output, void** tape, void* user_data) noexcept {
    return callback_status([&] {
      FrameworkCalls& own = object_of<FrameworkCalls>(user_data);
      const Ending ends{inputs, inputs_count, input_flags};
      hand_over(own.run([&] { return own.framework->record_n(from_c(*given), read(ends)); }), output, tape);
    });
  }
  static std::int32_t backward_n(const ckpt_drive_call* given, void* const* inputs, std::int64_t inputs_count,
                                 const ckpt_drive_flag* input_flags, void* output, void* tape, void* grad_output,
                                 void** grad_inputs, void* user_data) noexcept {
    return callback_status([&] {
      FrameworkCalls& own = object_of<FrameworkCalls>(user_data);
      const DriveCall call = from_c(*given);
      std::vector<Item> created;
      {
        const Ending ends{inputs, inputs_count, input_flags};
        const Ending sums_end{grad_inputs, inputs_count, nullptr};
        const Item output_ends = taken(call, DriveFlag::take_output, output);
        const Item recorded(item(tape));
        const Item grad(item(grad_output));
        created = own.run([&] { return own.gradients(call, ends, sums_end, item(output), recorded.get(), grad.get()); });
      }
      for (std::size_t i = 0; i < created.size(); ++i) grad_inputs[i] = created[i].release();
    });
  }
  std::vector<Item> gradients(const DriveCall& call, const Ending& inputs, const Ending& sums, T* output, T* tape, T* grad_output) {
    const auto count = static_cast<std::size_t>(inputs.count);
    typename Framework<T>::Gradients so_far(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (T* const sum = item(sums.items[i])) so_far[i].emplace(std::move(*sum));
    }
    auto added = framework->backward_n(call, read(inputs), output, tape, grad_output, std::move(so_far));
    if (added.size() != count) {
      throw Error(Status::invalid_argument,
                  "backward_n returned " + std::to_string(added.size()) + " gradients; expected " + std::to_string(count));
    }
    std::vector<Item> created;
    created.reserve(count);
    for (std::optional<T>& each : added) created.push_back(boxed(std::move(each)));
    return created;
  }
  Item backward(const DriveCall& call, void* input, void* output, void* tape, void* grad_output) {
    const Item ends = taken(call, DriveFlag::take_input, input);
    const Item ends_too = taken(call, DriveFlag::take_output, output);
    const Item recorded(item(tape));
    const Item grad(item(grad_output));
    return run([&] { return boxed(framework->backward(call, item(input), item(output), recorded.get(), grad.get())); });
  }
  Item turn(const DriveCall& call, void* output) {
    return run([&] { return boxed(framework->turn(call, *item(output))); });
  }
  void store(const DriveCall& call, void* stored) {
    run([&] { framework->store(call, item(stored)); });
  }
  Item load(const DriveCall& call) {
    return run([&] { return boxed(framework->load(call)); });
  }
  void await(const DriveCall& call) {
    run([&] { framework->await(call); });
  }
  static void drop(const ckpt_drive_call* call, void* handle, void* user_data) noexcept {
    detail::callback_silent([&] {
      if (call->tier > 0) object_of<FrameworkCalls>(user_data).framework->drop_slot(from_c(*call));
    });
    delete item(handle);
  }

  static ckpt_driver_callbacks table() {
    ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
    callbacks.forward = call_drive_forward<&FrameworkCalls::forward>;
    callbacks.record = record;
    callbacks.backward = call_drive_backward<&FrameworkCalls::backward>;
    callbacks.forward_n = forward_n;
    callbacks.record_n = record_n;
    callbacks.backward_n = backward_n;
    callbacks.turn = call_drive_turn<&FrameworkCalls::turn>;
    callbacks.store = call_drive_store<&FrameworkCalls::store>;
    callbacks.load = call_drive_load<&FrameworkCalls::load>;
    callbacks.await = call_drive_await<&FrameworkCalls::await>;
    callbacks.drop = drop;
    return callbacks;
  }
};

}  // namespace detail

// Drives the steps of one schedule, one at a time. One thread at a time, except for cancel.
template <class T>
class Driver : public DriverMethods<Driver<T>> {
 public:
  using DriverMethods<Driver<T>>::handle;
  Driver(const Schedule& schedule, std::unique_ptr<Framework<T>> framework) : DriverMethods<Driver<T>>(detail::Empty()) {
    if (framework == nullptr) throw Error(Status::invalid_argument, "framework is NULL");
    const ckpt_driver_callbacks callbacks = Calls::table();
    auto owned = std::make_unique<Calls>(Calls{std::move(framework), nullptr});
    check(ckpt_driver_create(schedule.handle(), &callbacks, owned.get(), detail::destroy<Calls>, this->out()));
    calls_ = owned.release();
  }

  // Returns the chain's output, valid until the next call of this driver.
  const T& forward(T x0) {
    void* xn = nullptr;
    give(std::move(x0), [&](void* given) { return ckpt_driver_forward(handle(), given, &xn); });
    return *static_cast<T*>(xn);
  }
  // Returns the gradient of x0, if there is one.
  std::optional<T> backward(std::optional<T> gn) {
    void* g0 = nullptr;
    give(std::move(gn), [&](void* given) { return ckpt_driver_backward(handle(), given, &g0); });
    return unpacked(g0);
  }
  // Runs forward, Framework::turn and backward.
  std::optional<T> run(T x0) {
    void* g0 = nullptr;
    give(std::move(x0), [&](void* given) { return ckpt_driver_run(handle(), given, &g0); });
    return unpacked(g0);
  }
  // Returns the call of the framework that failed the last failed step.
  std::optional<DriveCall> failure() const {
    ckpt_drive_call call;
    const ckpt_status status = ckpt_driver_get_failure(handle(), &call, nullptr);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(call);
  }
  Framework<T>& framework() const noexcept { return *calls_->framework; }

 private:
  using Calls = detail::FrameworkCalls<T>;

  static std::optional<T> unpacked(void* handle) {
    const std::unique_ptr<T> item(static_cast<T*>(handle));
    return item == nullptr ? std::nullopt : std::optional<T>(std::move(*item));
  }
  // The library owns the item unless the call was refused.
  template <class Call>
  void give(std::optional<T> item, Call&& call) {
    calls_->thrown = nullptr;
    std::unique_ptr<T> boxed = Calls::boxed(std::move(item));
    const ckpt_status status = call(boxed.get());
    if (status != CKPT_E_INVALID_ARGUMENT && status != CKPT_E_INVALID_STATE && status != CKPT_E_FORKED)
      static_cast<void>(boxed.release());
    if (const std::exception_ptr thrown = std::exchange(calls_->thrown, nullptr); thrown && status == CKPT_E_CALLBACK)
      std::rethrow_exception(thrown);
    check(status);
  }

  Calls* calls_ = nullptr;  // owned by the handle
};

}  // namespace ckpt

#endif  // CKPT_DRIVE_HPP
