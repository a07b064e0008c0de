// Objects and checkpoints in a bucket, compared with curl moving the same bytes to and from the same store in one request. All runs
// are interleaved in one process; a time is the median over the rounds, a ratio the median of the rounds' ratios of rates. Then the
// stall of a background save to the bucket, compared with that of the same save to a directory.
//
//   sh tests/services/radosgw/start.sh DIR
//   sh tests/services/radosgw/run.sh DIR build/release/bench/bench_s3 [--mebibytes=N] [--rounds=N] [--quick]
//   sh tests/services/radosgw/stop.sh DIR
//
// Defaults: 128 MiB and 7 rounds. --quick: 1 round of 9 MiB, to check that all of it runs; its figures mean nothing.
// curl does not sign the payload (UNSIGNED-PAYLOAD); libckpt-s3 does, and a checkpoint is also hashed.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ckpt/s3.h>
#include <ckpt/ckpt.hpp>

#include "reader.h"
#include "sign.h"
#include "storage.h"
#include "upload.h"

extern char** environ;

namespace {

constexpr std::int64_t mebibyte = 1 << 20;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set: start it by tests/services/radosgw/run.sh");
  return value;
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

// The same bytes in memory and in a file.
class Payload {
 public:
  explicit Payload(std::int64_t bytes) : words_(static_cast<std::size_t>(bytes / 8)) {
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no directory below /tmp");
    std::mt19937_64 random(1);
    for (std::uint64_t& word : words_) word = random();
    std::ofstream file(path(), std::ios::binary);
    file.write(reinterpret_cast<const char*>(words_.data()), bytes);
    if (!file.flush()) throw std::runtime_error("cannot write " + path());
  }
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  ~Payload() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return folder_ + "/bytes"; }
  const std::string& folder() const { return folder_; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words_)); }

 private:
  std::string folder_ = "/tmp/ckpt-bench-XXXXXX";
  std::vector<std::uint64_t> words_;
};

// Signs its requests itself: curl before 8.5 with --aws-sigv4 signs other headers than it sends.
class Curl {
 public:
  Curl(const std::string& endpoint, const std::string& bucket, ckpt::s3::Keys keys)
      : endpoint_(endpoint), path_('/' + bucket + "/bench/by-curl"), keys_(std::move(keys)) {}
  void put(const std::string& file) const { run("PUT", {"-H", "Expect:", "-T", file}); }
  void get() const { run("GET", {"-o", "/dev/null"}); }

 private:
  void run(const std::string& method, const std::vector<std::string>& what) const {
    std::array<char, 32> time{};
    const std::time_t now = std::time(nullptr);
    std::strftime(time.data(), time.size(), "%Y%m%dT%H%M%SZ", std::gmtime(&now));
    const std::string unsigned_payload = "UNSIGNED-PAYLOAD";
    const ckpt::s3::Unsigned request = {.method = method,
                                        .path = path_,
                                        .query = {},
                                        .headers = {{"host", endpoint_.substr(endpoint_.find("//") + 2)},
                                                    {"x-amz-content-sha256", unsigned_payload},
                                                    {"x-amz-date", time.data()}},
                                        .payload_sha256 = unsigned_payload,
                                        .region = "us-east-1",
                                        .time = time.data()};
    std::vector<std::string> words = {"curl", "-sSf", "--noproxy", "*"};
    words.insert(words.end(), {"-H", "Authorization: " + ckpt::s3::authorization(request, keys_)});
    words.insert(words.end(), {"-H", "x-amz-content-sha256: " + unsigned_payload});
    words.insert(words.end(), {"-H", std::string("x-amz-date: ") + time.data()});
    words.insert(words.end(), what.begin(), what.end());
    words.push_back(endpoint_ + path_);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    int status = -1;
    if (::posix_spawnp(&child, "curl", nullptr, nullptr, arguments.data(), environ) != 0) throw std::runtime_error("no curl here");
    if (::waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error("curl failed");
  }

  std::string endpoint_;
  std::string path_;
  ckpt::s3::Keys keys_;
};

// One object, through the plug-in's internal parts: libckpt's API has checkpoints only, no files.
class Objects {
 public:
  explicit Objects(const std::string& uri) : store_(ckpt::s3::make_config(uri, CKPT_S3_OPTIONS_INIT)) {}
  void put(std::span<const std::byte> bytes) {
    ckpt::s3::Upload file(store_.client(), key(), std::ssize(bytes));
    for (std::size_t at = 0; at < bytes.size(); at += 4 * mebibyte) {  // the size of a save's write calls
      const std::size_t count = std::min<std::size_t>(4 * mebibyte, bytes.size() - at);
      file.write(static_cast<std::int64_t>(at), bytes.subspan(at, count));
    }
    file.sync();
  }
  void get(std::span<std::byte> bytes) {
    ckpt::s3::Reader file(store_.client(), key());
    if (file.read(0, bytes) != std::ssize(bytes)) throw std::runtime_error("the object is too short");
  }

 private:
  std::string key() { return store_.client().config().key("by-libckpt"); }
  ckpt::s3::Storage store_;
};

struct Model {
  explicit Model(std::span<const std::byte> bytes) {
    constexpr std::size_t max = 4 * mebibyte;
    for (std::size_t at = 0; at < bytes.size(); at += max) {
      const auto piece = bytes.subspan(at, std::min(max, bytes.size() - at));
      tensors.emplace_back(ckpt::DType::u8, ckpt::Shape{std::ssize(piece)});
      std::memcpy(tensors.back().data(), piece.data(), piece.size());
      state.add("layer." + std::to_string(tensors.size()), tensors.back());
    }
  }
  std::vector<ckpt::Tensor> tensors;
  ckpt::State state;
};

// The seconds of all rounds, and their printed summary.
class Row {
 public:
  Row(std::string name, std::int64_t bytes) : name_(std::move(name)), bytes_(bytes) {}
  void add(double seconds) { seconds_.push_back(seconds); }
  void print() const {
    const double middle = median(seconds_);
    std::printf("%-34s %8.1f ms %8.1f MB/s\n", name_.c_str(), 1e3 * middle, static_cast<double>(bytes_) / middle / 1e6);
  }
  void print_ratio(const Row& other) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < seconds_.size(); ++i) ratios.push_back(other.seconds_[i] / seconds_[i]);
    std::printf("%-34s %8.2f of the rate of %s\n", name_.c_str(), median(ratios), other.name_.c_str());
  }

 private:
  std::string name_;
  std::int64_t bytes_;
  std::vector<double> seconds_;
};

// By default the store frees removed or replaced objects hours later: a store in memory would be full.
void collect_garbage() {
  if (std::system("radosgw-admin gc process --include-all >/dev/null 2>&1") != 0) return;  // other stores free space on their own
}

ckpt::CheckpointManager manager(const ckpt::Storage& storage) {
  ckpt::CheckpointManagerOptions options;
  options.keep_last = 1;
  return ckpt::CheckpointManager(storage, options);
}

void compare_with_curl(const Payload& payload, const std::string& uri, const Curl& curl, int rounds) {
  const std::int64_t bytes = std::ssize(payload.bytes());
  Row curl_put("PUT by curl", bytes);
  Row put("an object written", bytes);
  Row save("a checkpoint saved", bytes);
  Row curl_get("GET by curl", bytes);
  Row get("an object read", bytes);
  Row load("a checkpoint loaded", bytes);
  Row fill("a checkpoint loaded in place", bytes);
  ckpt::LoadOptions in_place;
  in_place.in_place = true;
  Objects objects(uri);
  std::vector<std::byte> into(payload.bytes().size(), std::byte{1});
  Model model(payload.bytes());
  ckpt::CheckpointManager checkpoints = manager(ckpt::Storage::from_uri(uri + "/saves"));
  for (int round = 0; round <= rounds; ++round) {
    const std::array<double, 7> seconds = {seconds_of([&] { curl.put(payload.path()); }),
                                           seconds_of([&] { objects.put(payload.bytes()); }),
                                           seconds_of([&] { checkpoints.save(model.state, round); }),
                                           seconds_of([&] { curl.get(); }),
                                           seconds_of([&] { objects.get(into); }),
                                           seconds_of([&] { checkpoints.load(model.state); }),
                                           seconds_of([&] { checkpoints.load(model.state, in_place); })};
    if (std::memcmp(into.data(), payload.bytes().data(), into.size()) != 0) throw std::runtime_error("other bytes were read");
    collect_garbage();
    if (round == 0 && rounds > 1) continue;  // warm-up of connections, memory and the store's caches
    Row* const rows[] = {&curl_put, &put, &save, &curl_get, &get, &load, &fill};
    for (std::size_t i = 0; i < seconds.size(); ++i) rows[i]->add(seconds[i]);
  }
  for (const Row* row : {&curl_put, &put, &save, &curl_get, &get, &load, &fill}) row->print();
  for (const Row* row : {&put, &save}) row->print_ratio(curl_put);
  for (const Row* row : {&get, &load, &fill}) row->print_ratio(curl_get);
}

void compare_stalls(const Payload& payload, const std::string& uri, int rounds) {
  const std::int64_t bytes = std::ssize(payload.bytes());
  Row disk("stall of a save to a directory", bytes);
  Row store("stall of a save to the bucket", bytes);
  const Model model(payload.bytes());
  const ckpt::CheckpointManager here = manager(ckpt::Storage::file_system(payload.folder() + "/saves"));
  const ckpt::CheckpointManager there = manager(ckpt::Storage::from_uri(uri + "/background"));
  ckpt::AsyncManagerOptions options;
  options.prepare_bytes = bytes;  // memory is prepared for both
  ckpt::AsyncManager to_disk(here, options);
  ckpt::AsyncManager to_store(there, options);
  for (int round = 0; round <= rounds; ++round) {
    const auto stall = [&](ckpt::AsyncManager& saves) {
      const auto result = saves.wait(saves.save(model.state, round));
      if (result.state != ckpt::CheckpointTaskState::completed) throw std::runtime_error("a save in the background failed");
      return std::chrono::duration<double>(result.stall).count();
    };
    const double first = stall(to_disk);
    const double second = stall(to_store);
    collect_garbage();
    if (round == 0 && rounds > 1) continue;
    disk.add(first);
    store.add(second);
  }
  disk.print();
  store.print();
  store.print_ratio(disk);
}

std::int64_t number_after(std::string_view argument, std::string_view name) {
  return argument.starts_with(name) ? std::atoll(argument.substr(name.size()).data()) : 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::int64_t mebibytes = 128;
  std::int64_t rounds = 7;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--quick") {
      mebibytes = 9;
      rounds = 1;
    } else if (const auto given = number_after(argument, "--mebibytes="); given > 0) {
      mebibytes = given;
    } else if (const auto wanted = number_after(argument, "--rounds="); wanted > 0) {
      rounds = wanted;
    } else {
      std::fprintf(stderr, "usage: bench_s3 [--mebibytes=N] [--rounds=N] [--quick]\n");
      return 2;
    }
  }
  try {
    const std::string access = variable("CKPT_TEST_S3_ACCESS_KEY");
    const std::string secret = variable("CKPT_TEST_S3_SECRET_KEY");
    const std::string bucket = variable("CKPT_TEST_S3_BUCKET");
    const std::string endpoint = variable("CKPT_TEST_S3_ENDPOINT");
    ::setenv("AWS_ACCESS_KEY_ID", access.c_str(), 1);
    ::setenv("AWS_SECRET_ACCESS_KEY", secret.c_str(), 1);
    ::setenv("AWS_ENDPOINT_URL_S3", endpoint.c_str(), 1);
    ckpt::check(ckpt_s3_register());
    const Payload payload(mebibytes * mebibyte);
    const std::string uri = "s3://" + bucket + "/bench";
    std::printf("%lld MiB, %lld rounds\n", static_cast<long long>(mebibytes), static_cast<long long>(rounds));
    compare_with_curl(payload, uri, Curl(endpoint, bucket, {access, secret, ""}), static_cast<int>(rounds));
    compare_stalls(payload, uri, static_cast<int>(rounds));
  } catch (const ckpt::s3::Error& error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
