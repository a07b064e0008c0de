#include "custom_layer.h"

#include <utility>

#include "base.h"
#include "borrowed_handle.h"
#include "plan/profile.h"
#include "tensor.h"

namespace ckpt::capi {

using base::require;

namespace {

constexpr std::int32_t max_options = 64;

class CustomLayer final : public engine::Layer {
 public:
  CustomLayer(std::string name, const ckpt_layer_callbacks& callbacks, std::shared_ptr<UserData> user)
      : Layer(std::move(name)), callbacks_(callbacks), user_(std::move(user)) {}

  engine::TensorSpec output(const engine::TensorSpec& input) const override {
    const ckpt_tensor_spec given = from_spec(input);
    ckpt_tensor_spec output = {};
    call("output", [&] { return callbacks_.output(&given, &output, user_->get()); });
    try {
      return to_spec(output, "");
    } catch (const base::Error& error) {
      base::fail(base::Status::invalid_argument, which("output"), ": ", error.message());
    }
  }

  std::uint32_t flags() const override { return callbacks_.flags; }
  std::int32_t options() const override { return callbacks_.options; }

  engine::OptionNeeds needs(const engine::TensorSpec& input, std::int32_t option) const override {
    const ckpt_tensor_spec given = from_spec(input);
    ckpt_layer_option needs = {};
    if (callbacks_.option != nullptr) call("option", [&] { return callbacks_.option(&given, option, &needs, user_->get()); });
    require_bytes("tape_bytes", needs.tape_bytes);
    require_bytes("forward_workspace_bytes", needs.forward_workspace_bytes);
    require_bytes("backward_workspace_bytes", needs.backward_workspace_bytes);
    const bool has_record = callbacks_.record != nullptr;
    return {needs.tape_bytes, needs.forward_workspace_bytes, needs.backward_workspace_bytes, has_record,
            has_record ? needs.forward_workspace_bytes : 0};
  }

  void forward(const engine::RunContext& context, const engine::ForwardBuffers& buffers) override {
    const CallContext call_context(context, borrowed_);
    call("forward", [&] {
      return callbacks_.forward(&call_context.context, buffers.input, buffers.output, buffers.tape, buffers.workspace,
                                user_->get());
    });
  }

  void record(const engine::RunContext& context, const engine::ForwardBuffers& buffers) override {
    const CallContext call_context(context, borrowed_);
    call("record", [&] {
      return callbacks_.record(&call_context.context, buffers.input, nullptr, buffers.tape, buffers.workspace, user_->get());
    });
  }

  void backward(const engine::RunContext& context, const engine::BackwardBuffers& buffers) override {
    const CallContext call_context(context, borrowed_);
    call("backward", [&] {
      return callbacks_.backward(&call_context.context, buffers.input, buffers.output, buffers.tape, buffers.grad_output,
                                 buffers.grad_input, buffers.workspace, user_->get());
    });
  }

  std::int64_t ambient_bytes() const override { return callbacks_.ambient_bytes; }
  void save_ambient(void* state) const override {
    call("save_ambient", [&] { return callbacks_.save_ambient(state, user_->get()); });
  }
  void restore_ambient(const void* state) override {
    call("restore_ambient", [&] { return callbacks_.restore_ambient(state, user_->get()); });
  }

 private:
  // The handles that callbacks borrow. One call of a layer runs at a time.
  struct BorrowedHandles {
    BorrowedHandle<ckpt_tensor> targets;
    BorrowedHandle<ckpt_worker_pool> pool;
  };

  // A context for C and the structs that it points to, on the stack.
  struct CallContext {
    CallContext(const engine::RunContext& from, BorrowedHandles& handles)
        : borrowed(handles),
          input(from_spec(*from.input)),
          output(from_spec(*from.output)),
          context{sizeof(ckpt_layer_context),
                  from.option,
                  from.micro_batch,
                  from.recomputation ? 1 : 0,
                  from.layer,
                  from.step,
                  from.seed,
                  from.first_sample,
                  &input,
                  &output,
                  nullptr,
                  nullptr,
                  from.evaluation ? 1 : 0,
                  0} {
      if (from.targets != nullptr)
        context.targets = borrowed.targets.lend(std::const_pointer_cast<tensor::Tensor>(from.targets->shared_from_this()));
      // pools cannot be retained
      context.pool = borrowed.pool.lend(std::shared_ptr<base::ThreadPool>(std::shared_ptr<void>(), from.pool));
    }
    ~CallContext() {
      borrowed.targets.reclaim();
      borrowed.pool.reclaim();
    }
    CallContext(const CallContext&) = delete;
    CallContext& operator=(const CallContext&) = delete;
    BorrowedHandles& borrowed;
    ckpt_tensor_spec input;
    ckpt_tensor_spec output;
    ckpt_layer_context context;
  };

  std::string which(const char* callback) const { return base::cat("layer ", base::quote(name()), " ", callback); }

  template <class Call>
  void call(const char* callback, Call&& function) const {
    base::set_callback_error(nullptr);
    if (const std::int32_t code = user_call(function); code != 0) base::fail_callback(which(callback), code);
  }

  void require_bytes(const char* field, std::int64_t bytes) const {
    require(bytes >= 0, which("option"), ": ", field, " is ", bytes, "; expected at least 0");
  }

  ckpt_layer_callbacks callbacks_;
  BorrowedHandles borrowed_;
  std::shared_ptr<UserData> user_;
};

}  // namespace

engine::TensorSpec to_spec(const ckpt_tensor_spec& given, std::string_view argument) {
  const std::string prefix = argument.empty() ? "" : base::cat(argument, ".");
  require(tensor::is_dtype(given.dtype), prefix, "dtype is ", given.dtype, "; expected a CKPT_DTYPE_ constant");
  require(given.ndim >= 0 && given.ndim <= tensor::largest_ndim, prefix, "ndim is ", given.ndim, "; expected 0 .. ",
          tensor::largest_ndim);
  engine::TensorSpec spec{static_cast<tensor::Dtype>(given.dtype),
                          tensor::Shape(std::span(given.shape, static_cast<std::size_t>(given.ndim)))};
  static_cast<void>(spec.bytes());  // refuses a shape without a size in bytes
  return spec;
}

ckpt_tensor_spec from_spec(const engine::TensorSpec& spec) {
  ckpt_tensor_spec given = {};
  given.dtype = static_cast<ckpt_dtype>(spec.dtype);
  given.ndim = static_cast<int32_t>(spec.shape.ndim());
  for (int32_t i = 0; i < given.ndim; ++i) given.shape[i] = spec.shape[i];
  return given;
}

std::shared_ptr<engine::Layer> make_custom_layer(std::string name, const ckpt_layer_callbacks& callbacks,
                                                 std::shared_ptr<UserData> user) {
  require((callbacks.flags & ~plan::all_layer_flags) == 0, "callbacks.flags is ", callbacks.flags,
          "; expected a sum of CKPT_LAYER_FLAG_*");
  require(callbacks.options >= 1 && callbacks.options <= max_options, "callbacks.options is ", callbacks.options,
          "; expected 1 .. ", max_options);
  require(callbacks.ambient_bytes >= 0, "callbacks.ambient_bytes is ", callbacks.ambient_bytes, "; expected at least 0");
  require(callbacks.output != nullptr, "callbacks.output is NULL");
  require(callbacks.forward != nullptr, "callbacks.forward is NULL");
  require(callbacks.backward != nullptr, "callbacks.backward is NULL");
  if (callbacks.ambient_bytes > 0) {
    require(callbacks.save_ambient != nullptr && callbacks.restore_ambient != nullptr, "callbacks.ambient_bytes is ",
            callbacks.ambient_bytes, " but save_ambient or restore_ambient is NULL");
  }
  return std::make_shared<CustomLayer>(std::move(name), callbacks, std::move(user));
}

}  // namespace ckpt::capi
