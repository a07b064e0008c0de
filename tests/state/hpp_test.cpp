// The C++ API, used as docs/reference/state.md shows it.
#include <ckpt/state.hpp>
#include <ckpt/tensor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <clocale>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <locale>
#include <numeric>
#include <stdexcept>

#include "scratch.h"

namespace {

using namespace std::chrono_literals;

template <class Call>
ckpt::Status status_of(Call&& call) {
  try {
    call();
    return ckpt::Status::ok;
  } catch (const ckpt::Error& error) {
    return error.status();
  }
}

TEST(StateHpp, SavesAndResumes) {
  const ckpt::tests::Scratch scratch;
  ckpt::Tensor weight(ckpt::DType::f32, {2, 2});
  ckpt::State state;
  state.add("model", "weight", weight);
  state.set("lr", 0.25);
  EXPECT_EQ(state.tensor_count(), 1);

  ckpt::CheckpointManagerOptions keep;
  keep.keep_last = 3;
  ckpt::CheckpointManager checkpoints(ckpt::Storage::file_system(scratch / "run"), keep);
  EXPECT_FALSE(checkpoints.load_if_any(state));
  EXPECT_FALSE(checkpoints.latest());
  EXPECT_FALSE(checkpoints.best());
  EXPECT_FALSE(checkpoints.find_step(7));
  ckpt::SaveOptions options;
  options.step = 7;
  options.seed = 11;
  options.environment_json = R"({"blas":"a"})";
  weight.fill(1.5);
  const ckpt::SaveResult saved = checkpoints.save(state, options);

  weight.fill(0);
  state.set("lr", 0);
  ckpt::LoadOptions load;
  load.environment_json = R"({"blas":"b"})";
  const auto loaded = checkpoints.load_if_any(state, load);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->step, 7);
  EXPECT_EQ(loaded->seed, 11U);
  EXPECT_EQ(loaded->name, saved.name);
  EXPECT_TRUE(loaded->environment_differs);
  EXPECT_EQ(state.get<double>("lr"), 0.25);
  EXPECT_EQ(weight.data_as<float>()[3], 1.5F);

  EXPECT_EQ(checkpoints.coordinator().world_size(), 1);
  EXPECT_EQ(checkpoints.fault_handler().retry_count(), 0);
  EXPECT_EQ(ckpt::CheckpointManager::read_only(checkpoints.storage()).list().size(), 1U);
  const auto all = checkpoints.list();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].status, ckpt::Status::ok);
  EXPECT_EQ(checkpoints.verify().tensors, 1);
  EXPECT_NE(checkpoints.manifest(saved.name).find("\"weight\""), std::string::npos);
  EXPECT_EQ(status_of([&] { ckpt::CheckpointManager(ckpt::Storage::existing_file_system(scratch / "run")); }), ckpt::Status::busy);
  EXPECT_EQ(ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(scratch / "run")).list().size(), 1U);
  const auto one = ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(scratch / ("run/" + saved.name)));
  EXPECT_EQ(one.verify(ckpt::CheckpointManager::self).tensors, 1);

  ckpt::Reader file(scratch / ("run/" + saved.name + "/model.safetensors"));
  ASSERT_EQ(file.tensor_count(), 1);
  const ckpt::TensorInfo info = file.tensor(0);
  EXPECT_EQ(info.name, "weight");
  EXPECT_EQ(info.dtype, ckpt::DType::f32);
  EXPECT_EQ(info.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(info.bytes, 16);
  EXPECT_TRUE(file.metadata().empty());
  weight.fill(0);
  file.read(0, weight);
  EXPECT_EQ(weight.data_as<float>()[0], 1.5F);
}

TEST(StateHpp, ThrowsWithStatusAndMessage) {
  ckpt::State state;
  try {
    static_cast<void>(state.json("nothing"));
    FAIL();
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::not_found);
    EXPECT_NE(std::string(error.what()).find("nothing"), std::string::npos);
  }
  EXPECT_THROW(ckpt::Reader("/nonexistent"), ckpt::Error);
  EXPECT_THROW(ckpt::Storage::existing_file_system("/nonexistent"), ckpt::Error);
  ckpt::State moved = std::move(state);
  moved.set("k", 1);
  EXPECT_EQ(moved.json("k"), "1");
}

// ---- Values ----

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Values are set and read back, from the state and after a save and a load.
class Values {
 public:
  template <class T>
  void expect(T value) {
    const std::string key = "k" + std::to_string(count_++);
    state_.set(key, value);
    EXPECT_TRUE(same_bits(state_.get<T>(key), value)) << state_.json(key);
    checkpoints_.save(state_, count_);
    state_.set(key, false);
    checkpoints_.load(state_);
    EXPECT_TRUE(same_bits(state_.get<T>(key), value)) << state_.json(key);
  }
  void expect_text(const std::string& text) {
    const std::string key = "k" + std::to_string(count_++);
    state_.set(key, text);
    EXPECT_EQ(state_.get<std::string>(key), text) << state_.json(key);
    checkpoints_.save(state_, count_);
    state_.set(key, false);
    checkpoints_.load(state_);
    EXPECT_EQ(state_.get<std::string>(key), text) << state_.json(key);
  }

 private:
  ckpt::CheckpointManager checkpoints_{ckpt::Storage::memory()};
  ckpt::State state_;
  std::int64_t count_ = 0;
};

template <class Float>
void expect_ends_of() {
  using Limits = std::numeric_limits<Float>;
  Values values;
  for (const Float value : {Float(0), Float(-0.0), Float(1), Float(0.1), Float(1) / 3, Limits::max(), Limits::lowest(),
                            Limits::min(), Limits::denorm_min(), -Limits::denorm_min(), Limits::min() / 3, Limits::epsilon(),
                            Float(1e15), Float(123456789012345678.0), Float(1e22), Float(-7)}) {
    values.expect(value);
  }
}

void expect_all_values() {
  Values values;
  values.expect(true);
  values.expect(false);
  values.expect(-1);
  values.expect(std::int64_t{std::numeric_limits<std::int64_t>::max()});
  values.expect(std::int64_t{std::numeric_limits<std::int64_t>::min()});
  values.expect(std::numeric_limits<std::uint64_t>::max());
  values.expect(std::uint64_t{1} << 63);
  values.expect(std::int8_t{-128});
  values.expect(std::uint8_t{255});
  values.expect(std::int16_t{-32768});
  values.expect(std::uint16_t{65535});
  values.expect(std::uint32_t{4294967295});
  values.expect(1e308);
  expect_ends_of<double>();
  expect_ends_of<float>();
  for (const char* text : {"", "plain", "\"quoted\" \\ back", "a/b", "\b\f\n\r\t\x01\x1f\x7f", "größe ☃ 漢字", "\xF4\x8F\xBF\xBF",
                           "\xEF\xBF\xBF", "\\u0041", "null", "0x\xC2\x80"}) {
    values.expect_text(text);
  }
  values.expect_text(std::string("a\0b", 3));
  values.expect_text(std::string(100000, '"'));
}

TEST(StateHpp, ValuesAreRestoredBitForBit) { expect_all_values(); }

TEST(StateHpp, ValuesDoNotDependOnTheLocale) {
  const char* const wanted = std::getenv("LC_ALL") == nullptr ? "de_DE.UTF-8" : "";
  const std::string of_c = std::setlocale(LC_ALL, nullptr);
  std::locale former;
  try {
    former = std::locale::global(std::locale(wanted));
  } catch (const std::runtime_error&) {
    class Comma : public std::numpunct<char> {
      char do_decimal_point() const override { return ','; }
      char do_thousands_sep() const override { return '.'; }
      std::string do_grouping() const override { return "\3"; }
    };
    former = std::locale::global(std::locale(std::locale::classic(), new Comma));
  }
  expect_all_values();
  ckpt::State state;
  state.set("pi", 3.25);
  state.set("many", 1234567);
  EXPECT_EQ(state.json("pi"), "3.25");
  for (const std::string& key : state.keys()) EXPECT_NE(state.json(key), "");
  EXPECT_NE(std::ranges::count(state.keys(), "pi"), 0);
  EXPECT_EQ(state.json("many"), "1234567");
  std::locale::global(former);
  std::setlocale(LC_ALL, of_c.c_str());  // undone by std::locale::classic
}

TEST(StateHpp, NonFiniteNumbersAndInvalidUtf8AreRefused) {
  ckpt::State state;
  state.set("x", 1);
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(status_of([&] { state.set("x", value); }), ckpt::Status::invalid_argument);
    EXPECT_EQ(status_of([&] { state.set("x", static_cast<float>(value)); }), ckpt::Status::invalid_argument);
  }
  EXPECT_EQ(status_of([&] { state.set("x", "\xFF\xFE"); }), ckpt::Status::invalid_argument);          // not UTF-8
  EXPECT_EQ(status_of([&] { state.set("x", "\xED\xA0\x80"); }), ckpt::Status::invalid_argument);      // half a surrogate pair
  EXPECT_EQ(status_of([&] { state.set("x", "\xF4\x90\x80\x80"); }), ckpt::Status::invalid_argument);  // beyond the last code point
  EXPECT_EQ(state.get<int>("x"), 1);
}

TEST(StateHpp, AnotherTypeIsRefused) {
  ckpt::State state;
  state.set("text", "7");
  state.set("number", 7);
  state.set("float", 7.0);
  state.set("negative", -1);
  state.set("large", 300);
  state.set("huge", 1e300);
  state.set("truth", true);
  state.set_json("null", "null");
  state.set_json("list", "[1]");
  const auto refused = [&](auto type, const char* key) {
    return status_of([&] { static_cast<void>(state.get<decltype(type)>(key)); }) == ckpt::Status::invalid_argument;
  };
  for (const char* key : {"text", "truth", "null", "list"}) {
    EXPECT_TRUE(refused(0, key)) << key;
    EXPECT_TRUE(refused(0.0, key)) << key;
  }
  for (const char* key : {"number", "truth", "null", "list"}) EXPECT_TRUE(refused(std::string(), key)) << key;
  for (const char* key : {"number", "text", "null", "list"}) EXPECT_TRUE(refused(false, key)) << key;
  EXPECT_TRUE(refused(0, "float"));  // the value is not an integer
  EXPECT_TRUE(refused(0U, "negative"));
  EXPECT_TRUE(refused(std::uint8_t{0}, "large"));
  EXPECT_TRUE(refused(0.0F, "huge"));
  EXPECT_EQ(state.get<double>("number"), 7);
  EXPECT_EQ(state.get<std::uint16_t>("large"), 300);
  EXPECT_EQ(status_of([&] { static_cast<void>(state.get<int>("missing")); }), ckpt::Status::not_found);
  EXPECT_FALSE(state.has("missing"));
  EXPECT_TRUE(state.has("null"));
  EXPECT_TRUE(status_of([&] { static_cast<void>(state.has("")); }) != ckpt::Status::internal);
  try {
    static_cast<void>(state.get<int>("text"));
  } catch (const ckpt::Error& error) {
    EXPECT_STREQ(error.what(), "value of key \"text\" is \"7\"; expected a whole number of this type");
  }
}

TEST(StateHpp, ValuesOfOtherProgramsAreUnderstood) {
  ckpt::State state;
  state.set_json("pair", R"("\ud83d\ude00 \u00e9 \/ \b\f")");
  EXPECT_EQ(state.get<std::string>("pair"), "\xF0\x9F\x98\x80 \xC3\xA9 / \b\f");
  state.set_json("number", " 1.5e3 ");
  EXPECT_EQ(state.get<double>("number"), 1500);
}

// ---- Many checkpoints ----

TEST(StateHpp, OneOfManyCheckpoints) {
  ckpt::CheckpointManagerOptions options;
  options.best_metric = ckpt::BestMetric::largest;
  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory(), options);
  ckpt::State state;
  const std::vector<std::pair<std::int64_t, double>> saves = {{1, 0.5}, {2, 0.9}, {3, 0.9}, {3, 0.1}};
  std::vector<std::string> names;
  for (const auto& [step, metric] : saves) {
    state.set("mark", static_cast<int>(names.size()));
    ckpt::SaveOptions save;
    save.step = step;
    save.metric = metric;
    names.push_back(checkpoints.save(state, save).name);
  }
  EXPECT_EQ(checkpoints.latest().value().name, names[3]);
  EXPECT_EQ(checkpoints.best().value().name, names[2]);  // the newest of equal metrics
  EXPECT_EQ(checkpoints.best().value().metric, 0.9);
  EXPECT_EQ(checkpoints.find_step(3).value().name, names[3]);
  EXPECT_EQ(checkpoints.find_step(2).value().step, 2);
  EXPECT_FALSE(checkpoints.find_step(9));
  EXPECT_EQ(status_of([&] { static_cast<void>(checkpoints.find_step(-1)); }), ckpt::Status::invalid_argument);

  EXPECT_EQ(checkpoints.load(state, 2).name, names[1]);
  EXPECT_EQ(state.get<int>("mark"), 1);
  EXPECT_EQ(status_of([&] { checkpoints.load(state, 9); }), ckpt::Status::not_found);
  EXPECT_EQ(state.get<int>("mark"), 1);
  ckpt::LoadOptions absent;
  absent.step = 9;
  EXPECT_FALSE(checkpoints.load_if_any(state, absent));
  ckpt::LoadOptions by_name;
  by_name.name = names[0];
  EXPECT_EQ(checkpoints.load(state, by_name).step, 1);

  checkpoints.remove(names[3]);
  EXPECT_EQ(checkpoints.find_step(3).value().name, names[2]);
  EXPECT_EQ(status_of([&] { checkpoints.remove(names[3]); }), ckpt::Status::not_found);
  EXPECT_EQ(status_of([&] { ckpt::CheckpointManager::read_only(checkpoints.storage()).remove(names[0]); }),
            ckpt::Status::invalid_state);
  for (const ckpt::CheckpointInfo& info : checkpoints.list()) checkpoints.remove(info.name);
  EXPECT_FALSE(checkpoints.latest());
  EXPECT_FALSE(checkpoints.best());
  checkpoints.save(state, 1);
  EXPECT_FALSE(checkpoints.best());  // no checkpoint has a metric
  EXPECT_FALSE(checkpoints.latest().value().metric);
}

TEST(StateHpp, KeepsByMetricAndReadsTensorByTensor) {
  const ckpt::tests::Scratch scratch;
  ckpt::Tensor weight(ckpt::DType::f32, {20, 2});
  weight.fill(1.5);
  ckpt::State state;
  state.add("weight", weight);  // to "model"
  state.set_rarely_changes("model");
  int seen = 0;
  int destroyed = 0;
  const std::shared_ptr<void> token(nullptr, [&](void*) { ++destroyed; });
  ckpt::Stateful epoch;
  epoch.list = [token](ckpt::State& into) { into.set("number", 3); };
  epoch.restore = [&seen](const ckpt::State& loaded) { seen = loaded.get<int>("number"); };
  state.add_stateful("epoch", std::move(epoch));
  ckpt::CheckpointManagerOptions keep;
  keep.keep_last = 2;
  keep.keep_every = 1000;
  keep.keep_best = 1;
  const ckpt::Coordinator coordinator;
  keep.coordinator = coordinator;
  ckpt::CheckpointManager checkpoints(ckpt::Storage::file_system(scratch / "run"), keep);
  ckpt::SaveOptions options;
  options.metric = 0.25;
  options.prefix = "warmup";
  EXPECT_EQ(checkpoints.save(state, options).linked, 0);
  EXPECT_EQ(checkpoints.save(state, options).linked, 1);
  EXPECT_EQ(checkpoints.list().front().metric, 0.25);
  checkpoints.load(state);
  EXPECT_EQ(seen, 3);

  ckpt::Reader reader(checkpoints);
  EXPECT_EQ(reader.tensor(0).group, "model");
  const ckpt::Tensor rows = reader.read_slice(reader.find("weight"), 10, 5);
  const ckpt::Tensor all = reader.map(reader.find("weight"));
  EXPECT_EQ(rows.elements_as<float>()[9], 1.5F);
  EXPECT_EQ(all.elements_as<float>()[39], 1.5F);

  ckpt::State partial;
  partial.add("other", "weight", weight);
  ckpt::LoadOptions some;
  some.partial = true;
  EXPECT_EQ(checkpoints.load(partial, some).missing, 1);
  EXPECT_NE(partial.load_report().find("\"unexpected\":[{"), std::string::npos);
}

TEST(StateHpp, RulesAFunctionPinsAndPruning) {
  ckpt::CheckpointManagerOptions options;
  options.keep_rules = "last:1, best:1:max";
  bool fails = false;
  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory(), options, [&fails](const ckpt::CheckpointInfo& info) {
    if (fails) throw std::runtime_error("no answer");
    return info.step == 2;
  });
  ckpt::State state;
  ckpt::Tensor weight(ckpt::DType::f32, {4});
  state.add("model", "weight", weight);
  const auto steps = [](const std::vector<ckpt::CheckpointInfo>& infos) {
    std::vector<std::int64_t> out;
    for (const ckpt::CheckpointInfo& info : infos) out.push_back(info.pinned ? -info.step : info.step);
    return out;
  };
  for (int step = 1; step <= 5; ++step) {
    ckpt::SaveOptions save;
    save.step = step;
    save.metric = step == 3 ? 9.0 : 0.5;
    checkpoints.save(state, save);
    if (step == 1) checkpoints.pin(1);
  }
  EXPECT_EQ(steps(checkpoints.list()), (std::vector<std::int64_t>{5, 3, 2, -1}));
  EXPECT_EQ(steps(checkpoints.prune("last:1", true)), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(steps(checkpoints.prune()), (std::vector<std::int64_t>{}));
  checkpoints.unpin(1);
  EXPECT_EQ(steps(checkpoints.prune()), (std::vector<std::int64_t>{1}));
  fails = true;
  EXPECT_EQ(status_of([&] { checkpoints.prune(); }), ckpt::Status::callback);
  EXPECT_EQ(steps(checkpoints.prune("last:2")), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(steps(checkpoints.list()), (std::vector<std::int64_t>{5, 3}));
}

TEST(StateHpp, AFunctionRenamesTensorsOnALoad) {
  ckpt::Tensor weight(ckpt::DType::f32, {2});
  weight.fill(3);
  ckpt::State saved;
  saved.add("model", "encoder.weight", weight);
  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory());
  EXPECT_FALSE(checkpoints.load_if_any(saved, {}, [](const std::string&, const std::string& name) { return name; }));
  checkpoints.save(saved, 1);
  ckpt::State state;
  state.add("model", "decoder.weight", weight);
  const auto token = std::make_shared<int>(0);
  const ckpt::Rename crossed = [token](const std::string& group, const std::string& name) {
    return group == "model" && name == "encoder.weight" ? "decoder.weight" : name;
  };
  weight.fill(0);
  EXPECT_EQ(checkpoints.load(state, {}, crossed).step, 1);
  EXPECT_EQ(weight.sum(), 6);
  EXPECT_EQ(checkpoints.load_if_any(state, {}, crossed)->step, 1);
  EXPECT_EQ(token.use_count(), 2);  // the library has released its copies
  EXPECT_EQ(status_of([&] { checkpoints.load(state, {}, [token](const std::string&, const std::string&) { return ""; }); }),
            ckpt::Status::invalid_argument);
  try {
    checkpoints.load(state, {}, [token](const std::string&, const std::string& name) -> std::string {
      throw std::runtime_error("no idea of " + name);
    });
    ADD_FAILURE();
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::callback);
    EXPECT_NE(std::string(error.what()).find("no idea of encoder.weight"), std::string::npos) << error.what();
  }
  EXPECT_EQ(token.use_count(), 2);  // also those of failed calls
}

TEST(StateHpp, ObjectsListTensorsAndMayThrow) {
  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory());
  ckpt::Tensor hidden(ckpt::DType::f64, {3});
  hidden.fill(4);
  bool broken = false;
  ckpt::State state;
  ckpt::Stateful object;
  object.list = [&](ckpt::State& into) {
    if (broken) throw std::runtime_error("it cannot be listed");
    into.add("rows", "hidden", hidden);
    into.set("text", "a \"b\"");
  };
  object.restore = [&](const ckpt::State& loaded) {
    if (loaded.get<std::string>("text") != "a \"b\"") throw std::runtime_error("another text");
    static_cast<void>(loaded.get<int>("text"));  // throws
  };
  state.add_stateful("o", std::move(object));
  checkpoints.save(state, 1);
  hidden.fill(0);
  try {
    checkpoints.load(state);
    ADD_FAILURE() << "the error was lost";
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::callback);
    EXPECT_NE(std::string(error.what()).find("expected a whole number"), std::string::npos) << error.what();
  }
  EXPECT_EQ(hidden.sum(), 12);
  broken = true;
  try {
    checkpoints.save(state, 2);
    ADD_FAILURE() << "the error was lost";
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::callback);
    EXPECT_NE(std::string(error.what()).find("it cannot be listed"), std::string::npos) << error.what();
  }
  EXPECT_EQ(status_of([&] { state.add_stateful("p", {}); }), ckpt::Status::invalid_argument);
}

// ---- Processes ----

// Rank 1 of 2; the neighbour's bytes are the same plus one.
class Pair : public ckpt::CustomCoordinator {
 public:
  explicit Pair(int& destroyed) : destroyed_(destroyed) {}
  ~Pair() override { ++destroyed_; }
  void barrier(std::chrono::nanoseconds timeout) override {
    if (timeout == 0ns) throw ckpt::Error(ckpt::Status::timeout, "the other one sleeps");
    if (timeout == 1ns) throw std::runtime_error("the line is cut");
  }
  void broadcast(ckpt::Span<std::byte> data, std::int64_t root, std::chrono::nanoseconds) override {
    if (root == 0) {
      for (std::byte& each : data) each = std::byte{42};
    }
  }
  void all_gather(ckpt::Span<const std::byte> sent, std::chrono::nanoseconds, ckpt::Span<std::byte> received) override {
    for (std::size_t i = 0; i < sent.size(); ++i) {
      received[i] = static_cast<std::byte>(static_cast<int>(sent[i]) + 1);
      received[sent.size() + i] = sent[i];
    }
  }

 private:
  int& destroyed_;
};

// The same with its own gather, which returns the neighbour's bytes plus two.
class GatheringPair final : public Pair {
 public:
  using Pair::Pair;
  void gather(ckpt::Span<const std::byte> sent, std::int64_t root, std::chrono::nanoseconds,
              ckpt::Span<std::byte> received) override {
    EXPECT_EQ(received.size(), root == 1 ? 2 * sent.size() : 0);
    for (std::size_t i = 0; i < received.size(); ++i) {
      received[i] = static_cast<std::byte>(static_cast<int>(sent[i % sent.size()]) + (i < sent.size() ? 2 : 0));
    }
  }
};

TEST(StateHpp, GatherDefaultsToAllGather) {
  int destroyed = 0;
  const std::array<std::byte, 2> data{std::byte{1}, std::byte{2}};
  std::array<std::byte, 4> received{};
  ckpt::Coordinator by_all(1, 2, std::make_unique<Pair>(destroyed));
  by_all.gather({data.data(), data.size()}, 0, 1s);
  by_all.gather({data.data(), data.size()}, 1, 1s, {received.data(), received.size()});
  EXPECT_EQ(received, (std::array{std::byte{2}, std::byte{3}, std::byte{1}, std::byte{2}}));
  ckpt::Coordinator own(1, 2, std::make_unique<GatheringPair>(destroyed));
  own.gather({data.data(), data.size()}, 0, 1s);
  own.gather({data.data(), data.size()}, 1, 1s, {received.data(), received.size()});
  EXPECT_EQ(received, (std::array{std::byte{3}, std::byte{4}, std::byte{1}, std::byte{2}}));
  EXPECT_EQ(status_of([&] { own.gather({data.data(), 2}, 1, 1s, {received.data(), 3}); }), ckpt::Status::invalid_argument);
  EXPECT_EQ(status_of([&] { own.gather({data.data(), 2}, 2, 1s); }), ckpt::Status::invalid_argument);
}

TEST(StateHpp, AClassCanBeACoordinator) {
  int destroyed = 0;
  {
    ckpt::Coordinator pair(1, 2, std::make_unique<Pair>(destroyed));
    EXPECT_EQ(pair.rank(), 1);
    EXPECT_EQ(pair.world_size(), 2);
    pair.barrier(1s);
    EXPECT_EQ(status_of([&] { pair.barrier(0ns); }), ckpt::Status::timeout);
    try {
      pair.barrier(1ns);
      ADD_FAILURE() << "the error was lost";
    } catch (const ckpt::Error& error) {
      EXPECT_EQ(error.status(), ckpt::Status::callback);
      EXPECT_NE(std::string(error.what()).find("the line is cut"), std::string::npos) << error.what();
    }
    std::array<std::byte, 3> data{std::byte{1}, std::byte{2}, std::byte{3}};
    pair.broadcast({data.data(), data.size()}, 1, 1s);
    EXPECT_EQ(data[2], std::byte{3});
    std::array<std::byte, 6> received{};
    pair.all_gather({data.data(), data.size()}, 1s, {received.data(), received.size()});
    EXPECT_EQ(received[0], std::byte{2});
    EXPECT_EQ(received[5], std::byte{3});
    EXPECT_EQ(status_of([&] { pair.all_gather({data.data(), 3}, 1s, {received.data(), 5}); }), ckpt::Status::invalid_argument);
    pair.broadcast({data.data(), data.size()}, 0, 1s);
    EXPECT_EQ(data[0], std::byte{42});
    ckpt::CheckpointManagerOptions options;
    options.coordinator = pair;
    EXPECT_EQ(status_of([&] { ckpt::CheckpointManager(ckpt::Storage::memory(), options); }),
              ckpt::Status::io);  // it does not deliver what rank 0 sent
  }
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(status_of([&] { ckpt::Coordinator(0, 1, nullptr); }), ckpt::Status::invalid_argument);
  EXPECT_EQ(status_of([&] { ckpt::Coordinator(2, 2, std::make_unique<Pair>(destroyed)); }), ckpt::Status::invalid_argument);
  EXPECT_EQ(destroyed, 2);
  ckpt::Coordinator single;
  EXPECT_EQ(single.rank(), 0);
  single.barrier(1s);
}

}  // namespace
