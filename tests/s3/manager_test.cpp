// Checkpoints in a real S3 gateway through the checkpoint manager and the proxy (tests/services/s3_proxy.py): the requests of each
// call, the effect of each fault on a save and a load, the winner of two concurrent saves, and the objects left by a killed writer.
#include <ckpt/ckpt.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "bucket.h"
#include "gateway.h"
#include "storage.h"

namespace {

using namespace s3_test;

// Rules that make the proxy's store one without conditional puts; every variant.
struct Way {
  const char* name;
  const char* rules;  // without the enclosing list
  bool by_attempt;    // commit records are named by attempt
  int probe;          // number of requests of the probe at opening
};

constexpr int read_small_file = 1;              // its bytes are returned by the open
constexpr int probe = 2 + read_small_file + 1;  // two puts, a read, a removal

// The probe ends as soon as the condition is seen to be ignored: without a read, or without a second put. The last variant is only
// detected by the read.
constexpr Way ways[] = {
    {"conditional puts", "", false, probe},
    {"drops the condition", R"({"do": "drop", "name": "if-none-match", "has": "if-none-match", "times": -1})", true, 3},
    {"answers 501", R"({"do": "answer", "status": 501, "has": "if-none-match", "times": -1})", true, 1},
    {"false success", R"({"do": "false_success", "has": "if-none-match", "times": -1})", true, 3},
    {"refuses and overwrites", R"({"do": "overwrite", "has": "if-none-match", "times": -1})", true, probe},
};

std::string listed(const std::string& first, const std::string& second = "") {
  return "[" + first + (first.empty() || second.empty() ? "" : ", ") + second + "]";
}

ckpt::Storage storage_at(const std::string& uri, Given& given) {
  ckpt_storage* storage = nullptr;
  if (ckpt_s3_storage_create(uri.c_str(), &given.get(), &storage) != CKPT_OK) throw std::runtime_error(ckpt_s3_last_error());
  return ckpt::Storage::adopt(storage);
}

// All objects below the URI, removed or only listed: no function of libckpt shows them.
class Objects {
 public:
  explicit Objects(const std::string& uri, Given given = {}) : storage_(ckpt::s3::make_config(uri, given.get())) {}
  std::vector<std::string> names() {
    std::vector<std::string> all;
    ckpt::s3::list_from(storage_.client(), "", "", 100000, [&](const ckpt::s3::Listed& object) {
      all.push_back(object.path);
      return 0;
    });
    return all;
  }
  // Puts the objects that a listing shows of a checkpoint of one file; earlier calls have higher sequences.
  void put_checkpoint(int step) {
    const std::string digits = std::to_string(step);
    const std::string twelve = std::string(12 - digits.size(), '0') + digits;
    const std::string inverse = std::to_string(std::numeric_limits<std::int64_t>::max() - 100000 - step);
    const std::string bytes(50, ' ');
    for (const std::string& path : {"step-" + twelve + "-0a0a0a0a/manifest.json", "step-" + twelve + "-0a0a0a0a/group0.safetensors",
                                    "commits/" + inverse + "-step-" + twelve + "-0a0a0a0a"}) {
      ckpt::s3::put_if_absent(storage_.client(), path, std::as_bytes(std::span(bytes)));
    }
  }
  void clear() {
    const std::vector<std::string> all = names();
    if (!all.empty()) ckpt::s3::remove_many(storage_.client(), all);
  }

 private:
  ckpt::s3::Storage storage_;
};

constexpr std::int64_t few_floats = 5;

// A state with that many files and values per file; all values are the same number.
class Model {
 public:
  explicit Model(int files = 1, std::int64_t floats = few_floats) {
    for (int i = 0; i < files; ++i) {
      tensors_.emplace_back(ckpt::DType::f32, std::vector<std::int64_t>{floats});
      state.add("group" + std::to_string(i), "weight", tensors_.back());
    }
  }
  void fill(std::int64_t value) {
    for (ckpt::Tensor& tensor : tensors_) tensor.fill(static_cast<double>(value));
  }
  // Returns -1 if they differ.
  std::int64_t value() const {
    const float first = tensors_.front().data_as<float>()[0];
    for (const ckpt::Tensor& tensor : tensors_) {
      const float* const values = tensor.data_as<float>();
      if (!std::all_of(values, values + tensor.shape()[0], [&](float each) { return each == first; })) return -1;
    }
    return static_cast<std::int64_t>(first);
  }
  ckpt::State state;

 private:
  std::vector<ckpt::Tensor> tensors_;
};

ckpt::SaveResult save(ckpt::CheckpointManager& manager, std::int64_t step, int files = 1, std::int64_t floats = few_floats) {
  Model model(files, floats);
  model.fill(step);
  return manager.save(model.state, step);
}

ckpt::CheckpointManagerOptions keeping(std::int64_t last) {
  ckpt::CheckpointManagerOptions options;
  options.keep_last = last;
  return options;
}

struct Failure {
  ckpt::Status status = ckpt::Status::ok;
  std::string message;
};
Failure failure_of(const std::function<void()>& body) {
  try {
    body();
    return {};
  } catch (const ckpt::Error& error) {
    return {error.status(), error.what()};
  }
}

void expect_failure(const std::function<void()>& body, ckpt::Status status, const std::string& text) {
  const Failure failure = failure_of(body);
  EXPECT_EQ(failure.status, status) << failure.message;
  EXPECT_NE(failure.message.find(text), std::string::npos) << "'" << failure.message << "' has no '" << text << "'";
}

class S3Manager : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    uri = "s3://" + bucket() + "/" + test->test_suite_name() + "/" + test->name();
    Objects(uri).clear();
    through.at = proxy.url();
  }
  void TearDown() override { Objects(uri).clear(); }

  ckpt::Storage near() { return storage_at(uri, direct); }
  ckpt::Storage far() { return storage_at(uri, through); }
  // Bypasses the proxy.
  std::int64_t newest(std::int64_t floats = few_floats) {
    Model model(1, floats);
    ckpt::CheckpointManager reader = ckpt::CheckpointManager::read_only(near());
    const std::int64_t step = reader.load(model.state).step;
    EXPECT_EQ(model.value(), step);
    return step;
  }
  // Returns the number of requests made by body.
  int counted(const std::function<void()>& body, const std::string& rules = "[]") {
    proxy.rules(rules);
    body();
    return proxy.seen("");
  }

  Proxy proxy;
  Given direct;
  Given through;
  std::string uri;
};

// ---- Requests of calls

// The pin, the record, the manifest, a listing of the rest, and the rest.
constexpr int removal_of_one = 5;
// The record, the listing of the highest ones, and the next possible one.
constexpr int committing = 3;

TEST_F(S3Manager, MakesTheDocumentedRequests) {
  std::optional<ckpt::CheckpointManager> writer;
  EXPECT_EQ(counted([&] { writer.emplace(far()); }), probe + 1);
  for (const int files : {1, 3}) {
    EXPECT_EQ(counted([&] { save(*writer, files, files); }), files + 1 + committing) << files;
    EXPECT_EQ(proxy.seen("GET"), 2) << files;  // the listing after the record, and the next record
    EXPECT_EQ(proxy.seen("PUT"), files + 2) << files;
    // A listing, manifest and record, the manifest again; and each file.
    Model model(files);
    EXPECT_EQ(counted([&] { writer->load(model.state); }), 1 + 3 * read_small_file + files * read_small_file) << files;
    EXPECT_EQ(model.value(), files);
  }
  EXPECT_EQ(counted([&] { EXPECT_EQ(writer->latest()->step, 3); }), 1 + 2 * read_small_file);
  EXPECT_EQ(counted([&] { EXPECT_EQ(writer->list().size(), 2U); }), 1 + 2 * 2 * read_small_file);
  EXPECT_EQ(counted([&] { EXPECT_TRUE(writer->prune("last:2", true).empty()); }), 1 + 2 * 2 * read_small_file);
  EXPECT_EQ(counted([&] { writer->manifest(writer->list().front().name); }), 1 + 2 * 2 * read_small_file + 2 * read_small_file + 1);
  EXPECT_EQ(counted([&] { ckpt::CheckpointManager::read_only(far()); }), 0);
  writer.reset();

  EXPECT_EQ(counted([&] { writer.emplace(far(), keeping(2)); }), probe + 1);
  // The listing, manifest and record of the three unseen ones; then one is removed.
  EXPECT_EQ(counted([&] { save(*writer, 4); }), 1 + 1 + committing + 1 + 3 * 2 * read_small_file + removal_of_one);
  EXPECT_EQ(counted([&] { save(*writer, 5); }), 1 + 1 + committing + 1 + 1 * 2 * read_small_file + removal_of_one);
  EXPECT_EQ(counted([&] { save(*writer, 6); }), 1 + 1 + committing + 1 + 1 * 2 * read_small_file + removal_of_one);
}

TEST_F(S3Manager, MakesTheDocumentedRequestsWithoutConditionalPuts) {
  for (const Way& way : ways) {
    SCOPED_TRACE(way.name);
    Objects(uri).clear();
    std::optional<ckpt::CheckpointManager> writer;
    const std::string rules = listed(way.rules);
    EXPECT_EQ(counted([&] { writer.emplace(far()); }, rules), way.probe + 1);
    EXPECT_EQ(counted([&] { save(*writer, 1); }, rules), 2 + committing - (way.by_attempt ? 1 : 0));
    EXPECT_EQ(proxy.seen("commits/9223372036854775806-step-000000000001-"), way.by_attempt ? 1 : 0);
    EXPECT_EQ(counted([&] { EXPECT_EQ(writer->latest()->step, 1); }, rules), 1 + 2 * read_small_file);
    EXPECT_EQ(newest(), 1);
  }
}

// libckpt starts these threads: hooks run on them, and a program's signal handlers do not.
TEST_F(S3Manager, ThreadsOfUploadsRunHooksAndBlockTheSignalsOfPrograms) {
  std::atomic<int> starts = 0;
  std::atomic<int> stops = 0;
  {
    const ckpt::ThreadHooks hooks(
        [&](std::string_view name) {
          EXPECT_EQ(name, "ckpt-s3-parts");
          sigset_t blocked;
          pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
          for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGPIPE}) EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
          for (const int signal : {SIGSEGV, SIGPROF, SIGPWR, SIGXCPU, SIGRTMIN})
            EXPECT_EQ(sigismember(&blocked, signal), 0) << signal;
          ++starts;
        },
        [&](std::string_view) { ++stops; });
    Given given;
    given.options.part_bytes = 8 << 20;
    ckpt::CheckpointManager writer(storage_at(uri, given));
    save(writer, 1, 1, 3 << 20);
  }
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(stops, 1);
}

// A file of several parts: eight are uploaded, and eight pieces downloaded, at a time. A slice of it is one piece.
TEST_F(S3Manager, LargeFilesMoveEightPiecesAtOnce) {
  constexpr std::int64_t part_bytes = 8 << 20;
  constexpr std::int64_t floats = part_bytes / 4 * 10;
  through.options.part_bytes = part_bytes;
  ckpt::CheckpointManager writer(far());
  const auto gathered = [](const char* what) { return R"([{"do": "gather", "count": 8, "times": 8, )" + std::string(what) + "}]"; };
  // The header makes it eleven parts; beginning and completing; manifest and record.
  EXPECT_EQ(counted([&] { save(writer, 7, 1, floats); }, gathered(R"("method": "PUT", "target": "partNumber")")),
            2 + 11 + 1 + committing);
  EXPECT_EQ(proxy.at_once(), 8);
  // After the first one, which returns the header.
  Model model(1, floats);
  EXPECT_EQ(counted([&] { writer.load(model.state); }, gathered(R"("target": "safetensors", "skip": 1)")),
            1 + 3 * read_small_file + 1 + 21);
  EXPECT_EQ(model.value(), 7);
  EXPECT_EQ(proxy.at_once(), 8);

  // The first bytes and the slice; or, if its checksum is verified, all of the tensor.
  constexpr std::int64_t begin_bytes = 64 << 10;
  constexpr std::int64_t checked_bytes = 16 << 20;
  for (const auto& [verify, max] :
       {std::pair(ckpt::Verify::none, begin_bytes + 4000), {ckpt::Verify::lazy, begin_bytes + checked_bytes + 4000}}) {
    proxy.rules("[]");
    ckpt::Reader reader(writer, "", verify);
    const ckpt::Tensor slice = reader.read_slice(reader.find("weight"), floats - 1000, 1000);
    EXPECT_EQ(slice.shape()[0], 1000);
    EXPECT_EQ(slice.data_as<float>()[999], 7);
    EXPECT_LE(proxy.bytes_of("safetensors"), max);
    if (verify == ckpt::Verify::none) {
      EXPECT_EQ(proxy.seen("safetensors"), 2);
    }
  }
}

// ---- Faults

struct Fault {
  const char* rule;  // without "times" and "target"
  ckpt::Status status;
  const char* text;
};

constexpr const char* targets_of_save[] = {R"("method": "PUT", "target": "safetensors")",
                                           R"("method": "PUT", "target": "manifest")", R"("method": "PUT", "target": "commits/")",
                                           R"("method": "GET", "target": "list-type")"};
constexpr const char* targets_of_load[] = {R"("target": "list-type")", R"("target": "manifest")", R"("target": "commits/922")",
                                           R"("target": "safetensors")"};

std::string rule(const char* what, const std::string& target, int times) {
  return "{" + std::string(what) + ", " + target + R"(, "times": )" + std::to_string(times) + "}";
}

// Returns the action of a rule, such as "reset".
std::string action_of(const std::string& rule) {
  const std::size_t begin = rule.find("\"do\": \"") + 7;
  return '"' + rule.substr(begin, rule.find('"', begin) - begin) + '"';
}

// Two attempts only, so that permanent errors are reported soon.
ckpt::FaultHandler two_attempts_handler() {
  ckpt::FaultHandlerOptions options;
  options.max_attempts = 2;
  return ckpt::FaultHandler(options);
}

// Transient faults are retried, by the storage or by the manager's fault handler: the save and the load succeed.
TEST_F(S3Manager, TransientFaultsAreRetried) {
  const char* const passing[] = {
      R"("do": "answer", "status": 500)",
      R"("do": "answer", "status": 503, "body": "<Error><Code>SlowDown</Code></Error>")",
      R"("do": "answer", "status": 429, "headers": {"Retry-After": "0"})",
      R"("do": "reset")",
      R"("do": "reset", "when": "after")",
      R"("do": "corrupt")",
      R"("do": "truncate")",
  };
  std::optional<ckpt::CheckpointManager> writer;
  proxy.rules("[]");
  writer.emplace(far());
  std::int64_t step = 0;
  for (const char* what : passing) {
    for (const char* target : targets_of_save) {
      SCOPED_TRACE(rule(what, target, 1));
      proxy.rules(listed(rule(what, target, 1)));
      const ckpt::SaveResult saved = save(*writer, ++step);
      EXPECT_EQ(proxy.seen(action_of(what)), 1);
      EXPECT_EQ(saved.commit_sequence, step);
      EXPECT_EQ(newest(), step);
    }
    for (const char* target : targets_of_load) {
      SCOPED_TRACE(rule(what, target, 1));
      proxy.rules(listed(rule(what, target, 1)));
      Model model;
      EXPECT_EQ(writer->load(model.state).step, step);
      EXPECT_EQ(proxy.seen(action_of(what)), 1);
      EXPECT_EQ(model.value(), step);
    }
  }
  EXPECT_GT(writer->fault_handler().retry_count(), 0);
}

// Permanent faults are reported, with their status and message, and the previous checkpoint is the newest; the same manager
// continues once the fault is over.
TEST_F(S3Manager, PermanentFaultsAreReported) {
  const Fault faults[] = {
      {R"("do": "answer", "status": 500)", ckpt::Status::io, "HTTP 500: internal error of the store"},
      {R"("do": "answer", "status": 429, "headers": {"Retry-After": "60"})", ckpt::Status::busy, "a wait of 60 s"},
      {R"("do": "answer", "status": 503, "headers": {"Retry-After": "60"})", ckpt::Status::busy, "a wait of 60 s"},
      {R"("do": "answer", "status": 403, "body": "<Error><Code>ExpiredToken</Code></Error>")", ckpt::Status::permission,
       "ExpiredToken: the keys have expired"},
      {R"("do": "answer", "status": 403, "body": "<Error><Code>RequestTimeTooSkewed</Code></Error>")", ckpt::Status::permission,
       "set the clock"},
      {R"("do": "answer", "status": 403, "body": "<Error><Code>QuotaExceeded</Code></Error>")", ckpt::Status::no_space,
       "QuotaExceeded: the quota is full"},
      {R"("do": "reset")", ckpt::Status::io, "'s3://"},
  };
  const ckpt::FaultHandler handler = two_attempts_handler();
  ckpt::CheckpointManagerOptions options;
  options.fault_handler = handler;
  ckpt::CheckpointManager writer(far(), options);
  save(writer, 1);
  std::int64_t step = 1;
  for (const Fault& fault : faults) {
    const char* const in_save = targets_of_save[step % 2];  // alternately files and manifests
    proxy.rules(listed(rule(fault.rule, in_save, -1)));
    expect_failure([&] { save(writer, step + 1); }, fault.status, fault.text);
    EXPECT_GE(proxy.seen(action_of(fault.rule)), 1);
    EXPECT_EQ(newest(), step);
    for (const char* target : targets_of_load) {
      SCOPED_TRACE(rule(fault.rule, target, -1));
      proxy.rules(listed(rule(fault.rule, target, -1)));
      Model model;
      model.fill(77);
      expect_failure([&] { writer.load(model.state); }, fault.status, fault.text);
      EXPECT_EQ(model.value(), 77);  // all or nothing
    }
    proxy.rules("[]");
    save(writer, ++step);
    EXPECT_EQ(newest(), step);
  }
  // Bytes corrupted on their way: in uploads, and in downloads.
  proxy.rules(listed(rule(R"("do": "corrupt")", targets_of_save[0], -1)));
  expect_failure([&] { save(writer, step + 1); }, ckpt::Status::io, "the received bytes differ from those sent");
  EXPECT_EQ(newest(), step);
  proxy.rules(listed(rule(R"("do": "truncate")", targets_of_load[3], -1)));
  Model model;
  expect_failure([&] { writer.load(model.state); }, ckpt::Status::io, "'s3://");
}

// A timeout of one second for answers.
TEST_F(S3Manager, SlowAnswersTimeOut) {
  {
    ckpt::CheckpointManager writer(near());
    save(writer, 1);
  }
  through.options.request_timeout_ns = 1000000000;
  const ckpt::FaultHandler handler = two_attempts_handler();
  ckpt::CheckpointManagerOptions options;
  options.fault_handler = handler;
  options.read_only = true;
  ckpt::CheckpointManager reader(far(), options);
  for (const char* target : {targets_of_load[0], targets_of_load[3]}) {
    proxy.rules(listed(rule(R"("do": "slow", "seconds": 5)", target, -1)));
    Model model;
    expect_failure([&] { reader.load(model.state); }, ckpt::Status::timeout, "'s3://");
    EXPECT_EQ(proxy.seen("slow"), 2);
    proxy.rules(listed(rule(R"("do": "slow", "seconds": 5)", target, 1)));
    EXPECT_EQ(reader.load(model.state).step, 1);
    EXPECT_EQ(model.value(), 1);
  }
}

// A checkpoint with corrupted answers is skipped, and named.
TEST_F(S3Manager, CorruptedAnswersAreNotACheckpoint) {
  {
    ckpt::CheckpointManager writer(near());
    save(writer, 1);
    save(writer, 2);
  }
  proxy.rules(R"([{"do": "corrupt_answer", "method": "GET", "target": "step-000000000002.*safetensors", "times": -1}])");
  ckpt::CheckpointManager reader = ckpt::CheckpointManager::read_only(far());
  Model model;
  const ckpt::LoadResult loaded = reader.load(model.state);
  EXPECT_GT(proxy.seen("corrupt_answer"), 0);
  EXPECT_EQ(loaded.step, 1);
  EXPECT_EQ(model.value(), 1);
  EXPECT_EQ(newest(), 2);
}

// Once the record is sent, the save may have been committed: the error's status reports that, and the found checkpoint is complete.
TEST_F(S3Manager, AfterTheRecordASaveMayBeCommitted) {
  const ckpt::FaultHandler handler = two_attempts_handler();
  ckpt::CheckpointManagerOptions options;
  options.fault_handler = handler;
  ckpt::CheckpointManager writer(far(), options);
  save(writer, 1);
  for (const char* when : {"before", "after"}) {
    const bool is_there = std::string(when) == "after";
    const std::int64_t step = newest() + 1;
    proxy.rules(listed(rule((R"("do": "reset", "when": ")" + std::string(when) + "\"").c_str(), targets_of_save[2], -1)));
    expect_failure([&] { save(writer, step); }, ckpt::Status::io, "'s3://");
    EXPECT_EQ(newest(), is_there ? step : step - 1);
    proxy.rules("[]");
    save(writer, step + 1);
    EXPECT_EQ(newest(), step + 1);
  }
  proxy.rules(listed(rule(R"("do": "answer", "status": 500)", targets_of_save[3], -1)));
  const std::int64_t step = newest() + 1;
  expect_failure([&] { save(writer, step); }, ckpt::Status::io, "HTTP 500");
  EXPECT_EQ(newest(), step);
}

TEST_F(S3Manager, ReportsInvalidKeysAndBuckets) {
  {
    ckpt::CheckpointManager writer(near());
    save(writer, 1);
  }
  const auto refused = [&](Given& given, const std::string& at, ckpt::Status status, const std::string& text) {
    const ckpt::Storage storage = storage_at(at, given);
    Model model;
    expect_failure([&] { ckpt::CheckpointManager(storage, {}); }, status, text);
    expect_failure([&] { ckpt::CheckpointManager::read_only(storage).load(model.state); }, status, text);
    // A store that cannot be queried is never reported as one without a checkpoint.
    expect_failure([&] { ckpt::CheckpointManager::read_only(storage).load_if_any(model.state); }, status, text);
    expect_failure([&] { ckpt::CheckpointManager::read_only(storage).latest(); }, status, text);
    ckpt::LoadOptions named;
    named.name = "step-000000000001-00000001";
    expect_failure([&] { ckpt::CheckpointManager::read_only(storage).load_if_any(model.state, named); }, status, text);
  };
  Given secret;
  secret.secret = "notTheSecretKeyAtAll";
  refused(secret, uri, ckpt::Status::permission, "SignatureDoesNotMatch");
  Given unknown;
  unknown.access = "NOSUCHKEY";
  refused(unknown, uri, ckpt::Status::permission, "InvalidAccessKeyId");
  Given other;
  other.access = "CKPTOTHERKEY";
  other.secret = "ckptOtherSecret0123456789abcdefghijklmno";
  refused(other, uri, ckpt::Status::permission, "AccessDenied");
  refused(direct, "s3://no-such-bucket/x", ckpt::Status::invalid_argument, "the bucket 'no-such-bucket' does not exist");
  EXPECT_EQ(newest(), 1);
}

// The quota of this user's bucket is three objects (start.sh): one checkpoint of one file.
TEST_F(S3Manager, AFullQuotaKeepsThePreviousCheckpoint) {
  Given full;
  full.access = "CKPTFULLKEY";
  full.secret = "ckptFullSecret0123456789abcdefghijklmnop";
  const std::string place = "s3://ckpt-full/run";
  Objects(place, full).clear();
  ckpt::CheckpointManager writer(storage_at(place, full));
  std::int64_t acknowledged = 0;
  Failure failure;
  for (std::int64_t step = 1; step <= 4 && failure.status == ckpt::Status::ok; ++step) {
    failure = failure_of([&] { save(writer, step); });
    if (failure.status == ckpt::Status::ok) acknowledged = step;
  }
  EXPECT_EQ(failure.status, ckpt::Status::no_space) << failure.message;
  EXPECT_NE(failure.message.find("the quota is full"), std::string::npos) << failure.message;
  EXPECT_GE(acknowledged, 1);
  Model model;
  EXPECT_EQ(writer.load(model.state).step, acknowledged);
  EXPECT_EQ(model.value(), acknowledged);
  Objects(place, full).clear();
}

constexpr const char* long_run = "CKPT_TEST_S3_LONG";  // if set, runs the repetitions that take minutes

// Finding the newest of that many costs their listing, plus the cost for a few. Takes a minute, mostly to create them.
TEST_F(S3Manager, NewestOfTenThousand) {
  constexpr int count = 10000;
  ckpt::CheckpointManager writer(near());
  save(writer, count);
  Objects objects(uri);
  std::vector<std::thread> threads;
  std::atomic<int> next = 1;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      for (int step = next++; step < count; step = next++) objects.put_checkpoint(step);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const int pages = 3 * count / 1000 + 1;
  const ckpt::CheckpointManager reader = ckpt::CheckpointManager::read_only(far());
  EXPECT_EQ(counted([&] { EXPECT_EQ(reader.latest()->step, count); }), pages + 2);
  EXPECT_EQ(proxy.seen("list-type"), pages);
  Model model;
  EXPECT_EQ(counted([&] { EXPECT_EQ(ckpt::CheckpointManager::read_only(far()).load(model.state).step, count); }), pages + 3 + 1);
  EXPECT_EQ(model.value(), count);
}

// ---- Two writers

// Both have opened the store and save at the same time.
void race(const std::function<ckpt::Storage()>& open, std::int64_t round) {
  std::vector<ckpt::CheckpointManager> writers;
  writers.emplace_back(open());
  writers.emplace_back(open());
  Failure failures[2];
  std::optional<ckpt::SaveResult> saved[2];
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < 2) std::this_thread::yield();
      failures[i] = failure_of([&] { saved[i] = save(writers[static_cast<std::size_t>(i)], 2 * round + i); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_NE(saved[0].has_value(), saved[1].has_value()) << failures[0].message << '\n' << failures[1].message;
  const int winner = saved[0] ? 0 : 1;
  const int loser = 1 - winner;
  EXPECT_EQ(failures[loser].status, ckpt::Status::busy) << failures[loser].message;
  EXPECT_NE(failures[loser].message.find("another writer"), std::string::npos) << failures[loser].message;
  // It stays fenced, and writes nothing more.
  expect_failure([&] { save(writers[static_cast<std::size_t>(loser)], 2 * round + 9); }, ckpt::Status::busy, "reopen the storage");
  Model model;
  ckpt::LoadOptions named;
  named.name = saved[winner]->name;
  ckpt::CheckpointManager::read_only(open()).load(model.state, named);
  EXPECT_EQ(model.value(), 2 * round + winner);
  EXPECT_GE(ckpt::CheckpointManager::read_only(open()).load(model.state).step, 2 * round);
  EXPECT_GE(model.value(), 2 * round);
}

TEST_F(S3Manager, OfTwoWritersOneWins) {
  const std::int64_t rounds = variable(long_run).empty() ? 40 : 200;
  for (std::int64_t round = 1; round <= rounds && !HasFatalFailure(); ++round) {
    race([&] { return near(); }, round);
    if (round % 20 == 0) Objects(uri).clear();  // listings stay short
  }
}

TEST_F(S3Manager, OfTwoWritersOneWinsWithoutConditionalPuts) {
  const std::int64_t rounds = variable(long_run).empty() ? 10 : 200;
  for (const Way& way : ways) {
    if (!way.by_attempt) continue;
    SCOPED_TRACE(way.name);
    Objects(uri).clear();
    proxy.rules(listed(way.rules));
    for (std::int64_t round = 1; round <= rounds && !HasFatalFailure(); ++round) {
      race([&] { return far(); }, round);
      if (round % 20 == 0) Objects(uri).clear();
    }
    EXPECT_GE(proxy.seen("commits/922"), 2 * rounds);
    EXPECT_EQ(proxy.seen_matching(R"("PUT", "[^"]*/commits/[0-9]{19}")"), 0);
  }
}

// A writer that keeps one checkpoint: a valid one exists at every moment, and every load succeeds.
TEST_F(S3Manager, ReadersDuringSaves) {
  constexpr std::int64_t saves = 40;
  ckpt::CheckpointManager writer(near(), keeping(1));
  save(writer, 1);
  std::atomic<bool> ends = false;
  std::vector<std::thread> readers;
  std::atomic<int> loads = 0;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      ckpt::CheckpointManager reader = ckpt::CheckpointManager::read_only(near());
      Model model;
      for (std::int64_t last = 1; !ends;) {
        const Failure failure = failure_of([&] {
          const ckpt::LoadResult loaded = reader.load(model.state);
          EXPECT_GE(loaded.step, last);
          EXPECT_EQ(model.value(), loaded.step);
          EXPECT_EQ(loaded.skipped, 0);
          last = loaded.step;
        });
        EXPECT_EQ(failure.status, ckpt::Status::ok) << failure.message;
        ++loads;
      }
    });
  }
  for (std::int64_t step = 2; step <= saves; ++step) save(writer, step);
  while (loads < 20) std::this_thread::yield();
  ends = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(newest(), saves);
  EXPECT_EQ(Objects(uri).names().size(), 3U);
}

// ---- Killed

constexpr std::int64_t small_parts = 8 << 20;
constexpr std::int64_t two_parts_of_floats = small_parts / 4 + 1000;

// A program that the proxy kills at one of its requests. Prints each acknowledged step.
int save_in_child(const char* uri, const char* at, std::int64_t floats) {
  Given given;
  given.at = at;
  given.options.part_bytes = small_parts;
  ckpt::CheckpointManager writer(storage_at(uri, given), keeping(2));
  for (const std::int64_t step : {3, 4}) {
    save(writer, step, 1, floats);
    const char line[] = {static_cast<char>('0' + step)};
    if (write(1, line, 1) != 1) return 1;
  }
  return 0;
}

// Saves until a save fails, from one step after the newest; appends each acknowledged step to the file. Returns 0 if it failed, as
// expected.
int save_on(const char* uri, const char* acknowledged, std::int64_t floats) {
  Given given;
  given.options.part_bytes = small_parts;
  ckpt::CheckpointManager writer(storage_at(uri, given));
  const auto newest = writer.latest();
  std::ofstream file(acknowledged, std::ios::app);
  const Failure failure = failure_of([&] {
    for (std::int64_t step = newest ? newest->step + 1 : 1; step < 100000; ++step) {
      save(writer, step, 1, floats);
      file << step << std::endl;
    }
  });
  std::printf("the writer: %s\n", failure.message.c_str());
  return failure.status == ckpt::Status::ok ? 1 : 0;
}

// Returns 0 if each step in the file exists with its value, and the newest is not older.
int check_all(const char* uri, const char* acknowledged, std::int64_t floats) {
  Given given;
  ckpt::CheckpointManager reader = ckpt::CheckpointManager::read_only(storage_at(uri, given));
  Model model(1, floats);
  const std::int64_t newest = reader.load(model.state).step;
  if (model.value() != newest)
    return std::printf("the newest is of step %lld and has other values\n", static_cast<long long>(newest)), 1;
  std::ifstream file(acknowledged);
  int count = 0;
  for (std::int64_t step = 0; file >> step; ++count) {
    if (step > newest || reader.load(model.state, step).step != step || model.value() != step) {
      return std::printf("step %lld was acknowledged but is missing\n", static_cast<long long>(step)), 1;
    }
  }
  std::printf("%d acknowledged saves exist; the newest is of step %lld\n", count, static_cast<long long>(newest));
  return count == 0 ? 1 : 0;
}

struct Child {
  bool was_killed = false;
  std::int64_t acknowledged = 2;
};

// before_it_runs(pid) is called while the child waits.
Child run_child(const std::string& uri, const std::string& at, std::int64_t floats,
                const std::function<void(pid_t)>& before_it_runs) {
  int gate[2];
  int output[2];
  if (pipe2(gate, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t pid = fork();
  if (pid == 0) {
    char byte = 0;
    if (read(gate[0], &byte, 1) != 1) _exit(126);
    dup2(output[1], 1);
    execl("/proc/self/exe", "saver", "--save", uri.c_str(), at.c_str(), std::to_string(floats).c_str(), nullptr);
    _exit(127);
  }
  ::close(gate[0]);
  ::close(output[1]);
  before_it_runs(pid);
  EXPECT_EQ(write(gate[1], "x", 1), 1);
  ::close(gate[1]);
  Child child;
  for (char step = 0; read(output[0], &step, 1) == 1;) child.acknowledged = step - '0';
  ::close(output[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  child.was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  EXPECT_TRUE(child.was_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << status;
  return child;
}

struct Kill {
  int way;  // index into ways
  std::int64_t floats;
};

class S3ManagerKilled : public S3Manager, public testing::WithParamInterface<Kill> {
 protected:
  // Returns whether there was a request with that number.
  bool kill_at(const char* when, int number) {
    const Way& way = ways[GetParam().way];
    const std::int64_t floats = GetParam().floats;
    through.options.part_bytes = small_parts;
    Objects(uri).clear();
    {
      proxy.rules(listed(way.rules));
      ckpt::CheckpointManager writer(far(), keeping(2));
      save(writer, 1, 1, floats);
      save(writer, 2, 1, floats);
    }
    const Child child = run_child(uri, proxy.url(), floats, [&](pid_t pid) {
      // The kill comes first, because the first matching rule is used.
      proxy.rules(listed(R"({"do": "kill", "when": ")" + std::string(when) + R"(", "pid": )" + std::to_string(pid) +
                             R"(, "skip": )" + std::to_string(number) + "}",
                         way.rules));
    });
    if (!child.was_killed) return false;
    EXPECT_EQ(proxy.seen("kill"), 1);
    // The newest is the acknowledged one, unless the record of the next one was sent.
    const int records = proxy.seen_matching(R"("PUT", "[^"]*/commits/)");
    const std::int64_t found = newest(floats);
    EXPECT_GE(found, child.acknowledged);
    EXPECT_LE(found, child.acknowledged + 1);
    if (records == child.acknowledged - 2) {
      EXPECT_EQ(found, child.acknowledged);
    }
    left_uploads += abort_uploads();
    // The next run continues, and nothing remains of the interrupted save.
    proxy.rules(listed(way.rules));
    ckpt::CheckpointManager next(far(), keeping(2));
    Model model(1, floats);
    EXPECT_EQ(next.load(model.state).step, found);
    for (std::int64_t step = 6; step <= 8; ++step) save(next, step, 1, floats);
    EXPECT_EQ(newest(floats), 8);
    const std::vector<std::string> left = Objects(uri).names();
    EXPECT_EQ(left.size(), 6U) << testing::PrintToString(left);  // file, manifest and record of two checkpoints
    EXPECT_EQ(abort_uploads(), 0);
    return true;
  }
  std::int64_t abort_uploads() {
    std::int64_t count = -1;
    EXPECT_EQ(ckpt_s3_abort_uploads(uri.c_str(), &direct.get(), 0, 0, nullptr, nullptr, &count), CKPT_OK) << ckpt_s3_last_error();
    return count;
  }

  std::int64_t left_uploads = 0;
};

TEST_P(S3ManagerKilled, AtEveryRequest) {
  const Way& way = ways[GetParam().way];
  const bool is_large = GetParam().floats > few_floats;
  for (const char* when : {"after", "before"}) {
    // A kill after a request is nearly the same as one before the next request.
    if (std::string(when) == "before" && (std::getenv(long_run) == nullptr || is_large)) continue;
    int number = 0;
    while (!HasFailure() && kill_at(when, number)) ++number;
    EXPECT_GE(number, way.probe + 1 + 2 * (is_large ? 7 : 4)) << when;
    std::printf("%s, %lld values, killed %s each of %d requests, %lld uploads left\n", way.name,
                static_cast<long long>(GetParam().floats), when, number, static_cast<long long>(left_uploads));
  }
  EXPECT_EQ(left_uploads > 0, is_large);
}

// All variants, and files of several parts, take minutes.
std::vector<Kill> kills() {
  std::vector<Kill> all = {{0, few_floats}};
  if (std::getenv(long_run) == nullptr) return all;
  for (int way = 1; way < static_cast<int>(std::size(ways)); ++way) all.push_back({way, few_floats});
  all.push_back({0, two_parts_of_floats});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Ways, S3ManagerKilled, testing::ValuesIn(kills()));

// No log record, at any level, contains a secret. (run.sh checks the printed output.)
class NothingSecretIsLogged final : public testing::Environment {
 public:
  void SetUp() override {
    ckpt::set_log(ckpt::LogLevel::debug, [this](ckpt::LogLevel, std::string_view component, std::string_view message) {
      const std::lock_guard lock(mutex_);
      lines_.insert(std::string(component) + ": " + std::string(message));
    });
  }
  void TearDown() override {
    ckpt::set_log(ckpt::LogLevel::debug, {});
    for (const std::string& line : lines_) {
      for (const std::string& part :
           {access_key(), secret_key(), std::string("CKPTFULLKEY"), std::string("ckptFullSecret"), std::string("Signature="),
            std::string("AWS4-"), std::string("uthorization"), std::string("uploadId="), std::string("list-type=")}) {
        EXPECT_EQ(line.find(part), std::string::npos) << "the log has something of '" << part.substr(0, 3) << "...'";
      }
    }
    std::printf("%zu different lines were logged, and looked at\n", lines_.size());
  }

 private:
  std::mutex mutex_;
  std::set<std::string> lines_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--save") == 0) return save_in_child(argv[2], argv[3], std::atoll(argv[4]));
  const auto floats = [&] { return std::strcmp(argv[4], "large") == 0 ? two_parts_of_floats : few_floats; };
  if (argc == 5 && std::strcmp(argv[1], "--save-on") == 0) return save_on(argv[2], argv[3], floats());
  if (argc == 5 && std::strcmp(argv[1], "--check") == 0) return check_all(argv[2], argv[3], floats());
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new NothingSecretIsLogged);
  return RUN_ALL_TESTS();
}
