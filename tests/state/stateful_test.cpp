// Stateful objects, and loads in which one side lacks tensors or values.
#include <gtest/gtest.h>

#include "fixture.h"
#include "state/manager/checkpoint.h"
#include "state/manifest_text.h"

namespace {

using ckpt::base::Status;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;
using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

// A counter with one tensor, like an object of a program.
class Counter final : public Stateful {
 public:
  std::shared_ptr<Tensor> tensor = Tensor::create(Dtype::f32, {2});
  std::int64_t restored = 0;
  std::string value = "1";
  bool fails = false;

  void list(State& into) override {
    if (fails) ckpt::base::fail(Status::callback, "list failed");
    into.add_tensor("data", "t", tensor);
    into.set_json("count", value);
  }
  void restore(const State& loaded) override {
    ++restored;
    value = loaded.json("count");
    EXPECT_EQ(loaded.groups().at(0).tensors.at(0).tensor, tensor);
  }
};

TEST(StateStateful, StatefulObjectsAreListedAndRestored) {
  Checkpoint checkpoint(storage::make_memory_storage(), {});
  const auto counter = std::make_shared<Counter>();
  Model model(4);
  model.state.add_stateful("counter", counter);
  EXPECT_ERROR(model.state.add_stateful("counter", counter), Status::already_exists, "'counter'");
  EXPECT_ERROR(model.state.add_stateful("a.b", counter), Status::invalid_argument, "'a.b'");
  counter->tensor->data_as<float>()[1] = 8;
  counter->value = "[41]";
  const SaveResult saved = checkpoint.save(model.state, {});
  EXPECT_EQ(saved.files, 3);
  EXPECT_EQ(parse_manifest(checkpoint.manifest(saved.name)).values.at("counter.count"), "[41]");
  counter->tensor->data_as<float>()[1] = 0;
  counter->value = "0";
  model.fill(0);
  checkpoint.load(model.state, {});
  EXPECT_EQ(counter->value, "[41]");
  EXPECT_EQ(counter->restored, 1);
  EXPECT_EQ(counter->tensor->data_as<float>()[1], 8);
  EXPECT_EQ(model.value(), 4);
  EXPECT_FALSE(model.state.values().contains("counter.count"));
  counter->fails = true;
  EXPECT_ERROR(checkpoint.save(model.state, {}), Status::callback, "list failed");
  EXPECT_EQ(std::ssize(checkpoint.list()), 1);
}

TEST(StateStateful, APartialLoadListsMissingTensors) {
  Checkpoint checkpoint(storage::make_memory_storage(), {});
  Model saved(6);
  saved.state.set_json("only there", "1");
  checkpoint.save(saved.state, {});
  State state;
  const auto weight = Tensor::create(Dtype::f32, {2, 3});
  const auto extra = Tensor::create(Dtype::u8, {1});
  extra->data_as<std::uint8_t>()[0] = 9;
  state.add_tensor("model", "weight", weight);
  state.add_tensor("head", "extra", extra);
  state.set_json("only here", "2");
  LoadOptions options;
  EXPECT_ERROR(checkpoint.load(state, options), Status::invalid_argument, "in the checkpoint");
  options.partial = true;
  const LoadResult loaded = checkpoint.load(state, options);
  EXPECT_EQ(loaded.missing, 1);
  EXPECT_EQ(loaded.unexpected, 2);
  EXPECT_EQ(state.load_report(),
            R"({"missing":[{"group":"head","name":"extra"}],)"
            R"("unexpected":[{"group":"model","name":"bias"},{"group":"optimizer","name":"moment"}],"skipped":[]})");
  EXPECT_EQ(weight->data_as<float>()[5], 6);
  EXPECT_EQ(extra->data_as<std::uint8_t>()[0], 9);
  EXPECT_EQ(state.json("only here"), "2");
  EXPECT_EQ(state.json("only there"), "1");
  checkpoint.load(saved.state, {});
  EXPECT_EQ(saved.state.load_report(), R"({"missing":[],"unexpected":[],"skipped":[]})");
  State other;
  other.add_tensor("model", "weight", Tensor::create(Dtype::f32, {3, 2}));
  EXPECT_ERROR(checkpoint.load(other, options), Status::invalid_argument, "is F32 [3, 2] here");
}

}  // namespace
