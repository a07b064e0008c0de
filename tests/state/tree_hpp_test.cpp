// Values of any type in the C++17 API: their conversions, and the refused ones.
#include <gtest/gtest.h>

#include <ckpt/ckpt.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <deque>
#include <filesystem>
#include <limits>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using ckpt::Status;
using ckpt::TreeKind;
using ckpt::Value;

template <class Call>
void expect_error(Status status, const std::string& text, Call&& call) {
  try {
    call();
    ADD_FAILURE() << "no error; expected '..." << text << "...'";
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

// Saves the value to a checkpoint and reads it back.
Value saved_and_read(const Value& value) {
  ckpt::State state;
  state.set("extra", value);
  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory());
  checkpoints.save(state, 1);
  return ckpt::Reader(checkpoints).get<Value>("extra");
}

template <class T>
T there_and_back(const T& value) {
  return saved_and_read(value).template get<T>();
}

TEST(TreeHpp, BuiltInTypesAreRestored) {
  EXPECT_EQ(there_and_back(true), true);
  EXPECT_EQ(there_and_back(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(there_and_back(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(there_and_back(std::uint64_t{1} << 63), std::uint64_t{1} << 63);
  EXPECT_EQ(there_and_back('x'), 'x');
  EXPECT_EQ(there_and_back(0.1), 0.1);
  EXPECT_EQ(there_and_back(-0.5F), -0.5F);
  EXPECT_TRUE(std::isnan(there_and_back(std::nan(""))));
  EXPECT_EQ(there_and_back(-std::numeric_limits<double>::infinity()), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(there_and_back(std::complex<double>(1, -2)), std::complex<double>(1, -2));
  EXPECT_EQ(there_and_back(std::string("ß\0x", 4)), std::string("ß\0x", 4));
  EXPECT_EQ(there_and_back(std::filesystem::path("a/b")), std::filesystem::path("a/b"));
  EXPECT_EQ(there_and_back(std::vector<std::byte>{std::byte{0}, std::byte{255}}),
            (std::vector<std::byte>{std::byte{0}, std::byte{255}}));
  EXPECT_TRUE(saved_and_read(nullptr).is_null());
}

TEST(TreeHpp, ArraysOfNumbersAreTensors) {
  EXPECT_EQ(there_and_back(std::vector<float>{1, 2.5F}), (std::vector<float>{1, 2.5F}));
  EXPECT_EQ(there_and_back(std::vector<double>{}), std::vector<double>{});
  EXPECT_EQ(there_and_back(std::vector<std::int8_t>{-1, 2}), (std::vector<std::int8_t>{-1, 2}));
  EXPECT_EQ(there_and_back(std::vector<std::uint16_t>{65535}), std::vector<std::uint16_t>{65535});
  EXPECT_EQ(there_and_back(std::vector<unsigned long long>{7}), std::vector<unsigned long long>{7});
  EXPECT_EQ(there_and_back(std::vector<bool>{true, false}), (std::vector<bool>{true, false}));
  EXPECT_EQ(there_and_back(std::vector<std::complex<double>>{{1, 2}, {3, 4}}), (std::vector<std::complex<double>>{{1, 2}, {3, 4}}));
  EXPECT_EQ(there_and_back(std::vector<std::complex<float>>{{1, 2}}), (std::vector<std::complex<float>>{{1, 2}}));
  const std::array<double, 3> array = {1, 2, 3};
  EXPECT_EQ(saved_and_read(array).get<std::vector<double>>(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(saved_and_read(ckpt::Span<const double>(array)).get<std::vector<double>>(), (std::vector<double>{1, 2, 3}));
  const Value floats = saved_and_read(std::vector<float>{1});
  EXPECT_EQ(floats.kind(), TreeKind::tensor);
  expect_error(Status::invalid_argument, "expected numbers of dtype F64; it is of F32", [&] { floats.get<std::vector<double>>(); });
}

TEST(TreeHpp, TensorsOfEachDTypeAndShapeAreRestored) {
  for (int number = 1; number <= static_cast<int>(ckpt::DType::c64); ++number) {
    const auto dtype = static_cast<ckpt::DType>(number);
    const bool is_whole_bytes = ckpt_dtype_bits(number) % 8 == 0;
    using Shapes = std::vector<std::vector<std::int64_t>>;
    for (const auto& shape : is_whole_bytes ? Shapes{{0}, {}, {3}} : Shapes{{0}, {4}}) {
      ckpt::Tensor tensor(dtype, shape);
      if (tensor.bytes() > 0) std::memset(tensor.data(), 1, static_cast<std::size_t>(tensor.bytes()));
      for (const Value& given : {Value(tensor), Value::list({tensor})}) {
        const Value read = saved_and_read(given);
        const auto again = (read.is_list() ? read[0] : read).get<ckpt::Tensor>();
        EXPECT_EQ(again.dtype(), dtype) << number;
        EXPECT_TRUE(again.bit_equal(tensor)) << number << " with " << shape.size() << " dimensions";
      }
    }
  }
}

TEST(TreeHpp, SharedTensorsRemainShared) {
  ckpt::Tensor weight(ckpt::DType::bf16, {2, 3});
  std::memset(weight.data(), 2, static_cast<std::size_t>(weight.bytes()));
  const Value again = saved_and_read(Value::list({weight, Value(weight)}));
  const ckpt::Tensor first = again[0].get<ckpt::Tensor>();
  EXPECT_TRUE(first.bit_equal(weight));
  EXPECT_EQ(first.shape(), weight.shape());
  EXPECT_EQ(first.data(), again[1].get<ckpt::Tensor>().data());
  ckpt::State state;
  state.set("extra", Value::list({weight}));
  EXPECT_EQ(state.get<Value>("extra")[0].get<ckpt::Tensor>().handle() != nullptr, true);
  EXPECT_EQ(std::as_const(weight).data(), std::as_const(state.get<Value>("extra")[0]).get<ckpt::Tensor>().data());
}

TEST(TreeHpp, ContainersOfTheStandardLibrary) {
  using Map = std::map<std::string, std::vector<std::string>>;
  EXPECT_EQ(there_and_back(Map{{"a", {"x", "y"}}, {"b", {}}}), (Map{{"a", {"x", "y"}}, {"b", {}}}));
  EXPECT_EQ(there_and_back(std::unordered_map<int, double>{{-1, 0.5}}), (std::unordered_map<int, double>{{-1, 0.5}}));
  EXPECT_EQ(there_and_back(std::list<int>{1, 2}), (std::list<int>{1, 2}));
  EXPECT_EQ(there_and_back(std::deque<bool>{true}), (std::deque<bool>{true}));
  EXPECT_EQ(there_and_back(std::array<int, 2>{1, 2}), (std::array<int, 2>{1, 2}));
  EXPECT_EQ(there_and_back(std::array<std::string, 1>{"a"}), (std::array<std::string, 1>{"a"}));
  EXPECT_EQ(saved_and_read(Value::list({1, 2, 3})).get<std::vector<int>>(), (std::vector<int>{1, 2, 3}));  // a list, not a tensor
  const std::vector<Value> mixed = {1, "text", nullptr, 2.5, std::vector<Value>{}};
  EXPECT_EQ(there_and_back(mixed), mixed);
}

TEST(TreeHpp, DictsKeepTheirOrderAndAreReadByKey) {
  Value value = Value::dict({{"z", 1}, {"a", Value::list({1, 2.5, "x"})}, {7, "seven"}, {nullptr, true}});
  value.set("z", 2);
  value.set("new", 3);
  const Value again = saved_and_read(value);
  EXPECT_EQ(again, value);
  EXPECT_EQ(again.size(), 5U);
  EXPECT_EQ(again.items()[0].first, Value("z"));
  EXPECT_EQ(again["z"].get<int>(), 2);
  EXPECT_EQ(again["a"][2].get<std::string>(), "x");
  EXPECT_EQ(again[Value(7)].get<std::string>(), "seven");
  EXPECT_TRUE(again.has(nullptr));
  EXPECT_EQ(again.find("none"), nullptr);
  int sum = 0;
  for (const Value& part : saved_and_read(Value::list({1, 2, 3})).parts()) sum += part.get<int>();  // parts of a temporary value
  for (const auto& [key, each] : saved_and_read(Value::dict({{10, 20}})).items()) sum += key.get<int>() + each.get<int>();
  EXPECT_EQ(sum, 36);
  expect_error(Status::not_found, "key 'none' is not in the dict", [&] { static_cast<void>(again["none"]); });
  expect_error(Status::out_of_range, "index is 3; the list has 3 parts", [&] { static_cast<void>(again["a"][3]); });
  expect_error(Status::invalid_argument, "the value is of kind 'list'; expected a dict",
               [&] { static_cast<void>(again["a"]["x"]); });
}

TEST(TreeHpp, AttributesStayWithTheirValue) {
  Value model = Value::dict({{"w", std::vector<float>{1, 2}}});
  model.attributes() = Value::dict({{"_metadata", Value::dict({{"", Value::dict({{"version", 1}})}})}}).items();
  const Value plain = Value::dict({{"w", std::vector<float>{1, 2}}});
  EXPECT_NE(model, plain);
  const Value read = saved_and_read(Value::list({model, 7}));
  EXPECT_EQ(read[0], model);
  EXPECT_EQ(read[1].get<int>(), 7);
  EXPECT_EQ(read[0]["w"].get<std::vector<float>>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(read[0].attributes()[0].second[""]["version"].get<int>(), 1);
  EXPECT_NE(ckpt::tree_text(model).find(R"("format_version":2,"nodes":[["attributes"],["dict",1],"w")"), std::string::npos);
  EXPECT_NE(ckpt::tree_text(plain).find(R"("format_version":1)"), std::string::npos);
  Value number = 3;
  number.attributes() = {{"unit", "s"}};
  EXPECT_EQ(saved_and_read(number), number);
  EXPECT_EQ(saved_and_read(number).get<int>(), 3);
}

TEST(TreeHpp, MismatchedTypesAreRefused) {
  expect_error(Status::invalid_argument, "the value 300 does not fit", [] { Value(300).get<std::int8_t>(); });
  expect_error(Status::invalid_argument, "the value -1 does not fit", [] { Value(-1).get<unsigned>(); });
  expect_error(Status::invalid_argument, "the value 0x8000000000000000 does not fit",
               [] { Value(std::uint64_t{1} << 63).get<std::int64_t>(); });
  expect_error(Status::invalid_argument, "of kind 'number'; expected an integer", [] { Value(1.0).get<int>(); });
  expect_error(Status::invalid_argument, "of kind 'integer'; expected a truth value", [] { Value(1).get<bool>(); });
  expect_error(Status::invalid_argument, "of kind 'bytes'; expected a text", [] { Value::bytes("x", 1).get<std::string>(); });
  expect_error(Status::invalid_argument, "of kind 'text'; expected bytes", [] { Value("x").get<std::vector<std::byte>>(); });
  expect_error(Status::invalid_argument, "not UTF-8", [] { saved_and_read("\xFF"); });
  expect_error(Status::invalid_argument, "key '1' is duplicated", [] { saved_and_read(Value::dict({{1, 2}, {1, 3}})); });
  EXPECT_EQ(Value(3).get<double>(), 3.0);
  EXPECT_EQ(Value(0.1).get<float>(), 0.1F);
  EXPECT_EQ(Value(std::numeric_limits<double>::infinity()).get<float>(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Value(std::int64_t{1} << 62).get<float>(), 0x1p62F);
  expect_error(Status::invalid_argument, "does not fit the requested floating-point type", [] { Value(1e300).get<float>(); });
  expect_error(Status::invalid_argument, "the value 16777217 does not fit", [] { Value(16777217).get<float>(); });
  expect_error(Status::invalid_argument, "the value 9223372036854775807 does not fit",
               [] { Value(std::numeric_limits<std::int64_t>::max()).get<double>(); });
  expect_error(Status::invalid_argument, "the value has 3 parts; expected an array of 2", [] {
    Value(std::vector<int>{1, 2, 3}).get<std::array<int, 2>>();
  });
  Value deep = Value::list();
  for (int i = 0; i < 1000; ++i) {
    Value outer = Value::list();
    outer.push_back(std::move(deep));  // copying each would copy everything inside it
    deep = std::move(outer);
  }
  expect_error(Status::invalid_argument, "deeper than 1000", [&] { saved_and_read(deep); });
}

TEST(TreeHpp, ScalarsOfOtherLibrariesAreNumbers) {
  const std::string text =
      R"({"format":"ckpt-tree","format_version":1,"nodes":[["tuple",4],["named_tuple","m.P",["x"]],["int","-0x1ffffffffffffffff"],)"
      R"(["surrogates","eda080"],["path","/","posix"],["bytearray","AQ=="]]})";
  const Value value = ckpt::value_of_tree_text(text);
  EXPECT_EQ(value.kind(), TreeKind::tuple);
  EXPECT_TRUE(value.is_list());
  EXPECT_TRUE(value[0].is_dict());
  EXPECT_EQ(value[0].class_name(), "m.P");
  EXPECT_EQ(value[0]["x"].get<std::string>(), "-0x1ffffffffffffffff");
  EXPECT_EQ(value[1].get<std::string>(), "\xED\xA0\x80");
  EXPECT_EQ(value[2].get<std::filesystem::path>(), "/");
  EXPECT_EQ(value[3].get<std::vector<std::byte>>().size(), 1U);
  EXPECT_EQ(ckpt::tree_text(value), text);  // written in the form that was read
  expect_error(Status::corrupt, "the tree's text", [] { ckpt::value_of_tree_text("{}"); });

  ckpt::Tensor scalar(ckpt::DType::f32, {});
  scalar.fill(2.5);
  EXPECT_EQ(Value(scalar).get<double>(), 2.5);
  EXPECT_EQ(Value(scalar).get<std::complex<double>>(), std::complex<double>(2.5));
  ckpt::Tensor whole(ckpt::DType::u8, {});
  *static_cast<std::uint8_t*>(whole.data()) = 7;
  EXPECT_EQ(Value(whole).get<int>(), 7);
  EXPECT_EQ(Value(whole).get<float>(), 7.0F);
}

TEST(TreeHpp, OneSetAndGetForValuesAndTrees) {
  ckpt::State state;
  state.set("epoch", 3);
  state.set("note", "x");
  state.set("rates", std::vector<double>{0.5});
  state.set("rates", std::vector<double>{0.25, 0.125});  // replaces the previous one
  state.set("limits", std::map<std::string, int>{{"steps", 10}});
  EXPECT_EQ(state.get<int>("epoch"), 3);
  EXPECT_EQ(state.get<std::string>("note"), "x");
  EXPECT_EQ(state.json("epoch"), "3");
  EXPECT_EQ(state.get<std::vector<double>>("rates"), (std::vector<double>{0.25, 0.125}));
  using Limits = std::map<std::string, int>;
  EXPECT_EQ(state.get<Limits>("limits"), (Limits{{"steps", 10}}));
  expect_error(Status::not_found, "group 'none' is not a tree", [&] { state.get<Value>("none"); });

  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory());
  checkpoints.save(state, 1);
  ckpt::Reader reader(checkpoints);
  EXPECT_EQ(reader.get<std::vector<double>>("rates").size(), 2U);
  EXPECT_EQ(reader.get<int>("limits", "steps"), 10);
  EXPECT_EQ(reader.get("limits")["steps"], Value(10));
  expect_error(Status::not_found, "key 'none'", [&] { reader.get<int>("limits", "none"); });
}

ckpt::Tensor full(std::int64_t length, double value) {
  ckpt::Tensor tensor(ckpt::DType::f32, {length});
  tensor.fill(value);
  return tensor;
}

Value history(const std::vector<double>& losses, std::int64_t epoch, const ckpt::Tensor& weight) {
  std::vector<Value> list(losses.begin(), losses.end());
  return Value::dict({{"losses", Value::list(list)}, {"epoch", epoch}, {"weight", weight}});
}

// The text of a tree is a value of any length; its tensors are filled in place.
TEST(TreeHpp, ALoadIntoAStateReplacesTheTree) {
  const ckpt::Tensor weight = full(3, 1);
  ckpt::Tensor mine = full(3, 0);
  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory());
  ckpt::State saved;
  ckpt::State state;
  saved.set("extra", history({0.5, 0.25, 0.125}, 1234567, weight));
  saved.set("rates", std::vector<double>{1, 2});
  checkpoints.save(saved, 1);
  for (const bool in_place : {false, true}) {
    mine.fill(0);
    state.set("extra", history({}, 0, mine));
    state.set("rates", std::vector<double>(2));
    ckpt::LoadOptions options;
    options.in_place = in_place;
    options.add_prefix = "net.";  // not the name of a tree
    checkpoints.load(state, options, [](const std::string&, const std::string& name) { return "any." + name; });
    const Value loaded = state.get<Value>("extra");
    EXPECT_EQ(loaded["losses"].size(), 3U);
    EXPECT_EQ(loaded["losses"][2].get<double>(), 0.125);
    EXPECT_EQ(loaded["epoch"].get<std::int64_t>(), 1234567);
    EXPECT_EQ(loaded["weight"].get<ckpt::Tensor>().data(), mine.data());
    EXPECT_EQ(mine.sum(), 3);
    EXPECT_EQ(state.get<std::vector<double>>("rates"), (std::vector<double>{1, 2}));
  }
  checkpoints.save(state, 2);  // saves the loaded values
  EXPECT_EQ(ckpt::Reader(checkpoints).get("extra")["losses"].size(), 3U);

  // In the background, and in a stateful object.
  ckpt::State listed;
  std::int64_t restored = 0;
  listed.add_stateful("run",
                      {[&](ckpt::State& into) { into.set("extra", history({9}, 7, weight)); },
                       [&](const ckpt::State& loaded) { restored = loaded.get<Value>("extra")["epoch"].get<std::int64_t>(); }});
  listed.set("own", Value::list({1}));
  ckpt::State source;
  source.set("run.extra", history({1, 2}, 4321, weight));
  source.set("own", Value::list({"longer than before", 2}));
  checkpoints.save(source, 3);
  ckpt::AsyncManager manager(checkpoints);
  EXPECT_EQ(manager.wait(manager.load(listed)).error, "");
  EXPECT_EQ(restored, 4321);
  EXPECT_EQ(listed.get<Value>("own")[0].get<std::string>(), "longer than before");
}

// A mismatch leaves values and tensors unchanged.
TEST(TreeHpp, ATreeIsLoadedCompletelyOrNotAtAll) {
  const ckpt::Tensor weight = full(3, 1);
  const ckpt::Tensor small = full(2, 7);
  const ckpt::Tensor mine = full(3, 7);
  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory());
  ckpt::State saved;
  saved.set("extra", Value::dict({{"weight", weight}, {"more", full(3, 2)}, {"epoch", 12345}}));
  checkpoints.save(saved, 1);
  const auto refused = [&](const Value& value, bool partial, const std::string& text) {
    ckpt::State state;
    state.set("extra", value);
    ckpt::LoadOptions options;
    options.partial = partial;
    expect_error(Status::invalid_argument, text, [&] { checkpoints.load(state, options); });
    EXPECT_EQ(state.get<Value>("extra"), value);
  };
  for (const bool partial : {false, true}) {
    refused(Value::dict({{"weight", mine}, {"epoch", 0}}), partial, "tensor 'more' of group 'extra' is");
    refused(Value::dict({{"weight", mine}, {"more", small}}), partial, "tensor 'more' of group 'extra' is F32 [2] here");
    refused(Value::dict({{"weight", mine}, {"more", full(3, 2)}, {"other", small}}), partial, "tensor 'other' of group 'extra'");
  }
  EXPECT_EQ(mine.sum(), 21);
  EXPECT_EQ(small.sum(), 14);
  ckpt::State tensors;  // not as a tree: it would lose everything but the tensors
  tensors.add("extra", "weight", mine);
  tensors.add("extra", "more", weight);
  expect_error(Status::invalid_argument, "'__tree__'", [&] { checkpoints.load(tensors); });
  ckpt::LoadOptions partial;
  partial.partial = true;
  EXPECT_EQ(checkpoints.load(tensors, partial).unexpected, 1);
  EXPECT_EQ(mine.sum(), 3);
}

}  // namespace
