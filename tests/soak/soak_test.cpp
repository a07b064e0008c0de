// Runs many parts of the library at the same time, as a long training run does. Checks every few seconds that no acknowledged
// checkpoint is lost or changed, that memory, descriptors and threads do not grow, and that no unexpected warning is logged.
//
//   test_soak [--seconds N] [--fault NAME]
//
// N: duration in seconds; the default is the environment variable CKPT_SOAK_SECONDS, or 60. --fault makes a deliberate fault, to
// test the soak itself: memory, descriptors, threads (leaks), damage, lost (a checkpoint), digest, log, idle (an activity).
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>

#include "growth.h"
#include "model.h"
#include "soak.h"

namespace soak {
namespace {

constexpr auto sample_interval = std::chrono::milliseconds(100);
constexpr auto report_interval = std::chrono::seconds(10);
constexpr unsigned slack_seconds = 300;  // until all activities have ended, on a busy machine

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ckpt-soak-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Command {
  long seconds = 60;
  Fault fault = Fault::none;
};

Command parse(const std::vector<std::string>& arguments) {
  Command command;
  const char* const from_environment = std::getenv("CKPT_SOAK_SECONDS");
  std::string seconds = from_environment == nullptr ? "60" : from_environment;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) throw std::invalid_argument(arguments[i] + " needs a value");
    const std::string& value = arguments[i + 1];
    if (arguments[i] == "--seconds") {
      seconds = value;
    } else if (arguments[i] == "--fault") {
      const auto name = std::find(fault_names.begin(), fault_names.end(), value);
      if (name == fault_names.end()) throw std::invalid_argument("unknown fault " + value);
      command.fault = static_cast<Fault>(name - fault_names.begin());
    } else {
      throw std::invalid_argument("unknown option " + arguments[i]);
    }
  }
  std::size_t end = 0;
  command.seconds = std::stol(seconds, &end);
  if (end != seconds.size() || command.seconds < 1 || command.seconds > 1000000) {
    throw std::invalid_argument("seconds: expected 1 .. 1000000, found " + seconds);
  }
  return command;
}

// The soak does not depend on the BLAS that is installed, nor on its speed.
bool is_expected(std::string_view component, std::string_view message) {
  return component == "engine" && message.find("BLAS") != std::string_view::npos;
}

void watch_log(Soak& soak) {
  ckpt::set_log(ckpt::LogLevel::info, [&soak](ckpt::LogLevel level, std::string_view component, std::string_view message) {
    soak.count(Count::log_messages);
    if (level >= ckpt::LogLevel::warning && !is_expected(component, message)) {
      soak.fail("logged by " + std::string(component) + ": " + std::string(message));
    }
  });
}

// Holds the leaks of a fault and releases them at the end, because LeakSanitizer must not report them instead of the soak.
class Leaks {
 public:
  ~Leaks() {
    ended_.set_value();
    for (std::thread& thread : threads_) thread.join();
    for (const int descriptor : descriptors_) ::close(descriptor);
  }
  void leak(const Soak& soak) {
    if (soak.has(Fault::memory)) {
      ckpt::Tensor tensor(ckpt::DType::u8, {4 << 20});
      std::memset(tensor.data(), 1, static_cast<std::size_t>(tensor.bytes()));
      memory_.push_back(std::move(tensor));
    }
    if (soak.has(Fault::descriptors)) descriptors_.push_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (soak.has(Fault::threads)) threads_.emplace_back([end = end_] { end.wait(); });
  }

 private:
  std::promise<void> ended_;
  const std::shared_future<void> end_ = ended_.get_future().share();
  std::vector<ckpt::Tensor> memory_;
  std::vector<int> descriptors_;
  std::vector<std::thread> threads_;
};

class Activities {
 public:
  Activities(Soak& soak, Growth& growth, const Scratch& scratch) : soak_(soak) {
    const std::string run = scratch / "run";
    const std::string lives = scratch / "lives";
    std::filesystem::create_directory(run);
    std::filesystem::create_directory(lives);
    start("train", [=] { train(soak_, run, ledger_, tracker_); });
    start("live", [=, &growth] { live(soak_, lives, growth); });
    if (!soak.has(Fault::idle)) start("record", [=] { record_memory(soak_, tracker_.share()); });
    start("read", [=] { read_newest(soak_, run, ledger_); });
    start("export", [=, path = scratch / "export.safetensors"] { export_newest(soak_, run, ledger_, path); });
  }
  ~Activities() {
    soak_.stop();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void start(const std::string& name, std::function<void()> body) {
    threads_.emplace_back([this, name, body = std::move(body)] {
      try {
        body();
      } catch (const std::exception& error) {
        soak_.fail(name + ": " + error.what());
      }
    });
  }

  Soak& soak_;
  Ledger ledger_;
  ckpt::MemoryTracker tracker_;
  std::vector<std::thread> threads_;
};

void print(const Soak& soak, const char* begin, double seconds, const Usage& usage) {
  std::printf("%s %.0f s: %lld MiB resident, %lld threads, %lld descriptors", begin, seconds,
              static_cast<long long>(usage.resident_bytes / Growth::mebibyte), static_cast<long long>(usage.threads),
              static_cast<long long>(usage.descriptors));
  for (const Count what : {Count::steps, Count::saves, Count::cancelled_saves, Count::lives, Count::audited_loads,
                           Count::reader_loads, Count::exports}) {
    std::printf("; %lld %s", static_cast<long long>(soak.count_of(what)), count_names[static_cast<std::size_t>(what)]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

// Samples and reports until the time is over or an activity fails.
void supervise(Soak& soak, Growth& growth, Clock::duration run) {
  Leaks leaks;
  const auto began = Clock::now();
  auto report = Clock::duration(report_interval);
  for (auto at = Clock::duration(0); at < run && !soak.stopping(); at = Clock::now() - began) {
    const Usage usage = measure();
    growth.add_memory(usage);
    soak.require(growth.excess().empty(), growth.excess());
    leaks.leak(soak);
    if (at >= report) {
      print(soak, "after", std::chrono::duration<double>(at).count(), usage);
      report += report_interval;
    }
    soak.pause(sample_interval);
  }
  soak.stop();
}

void print_summary(const Soak& soak, const Growth& growth, double seconds) {
  std::printf("soak of %.0f s:", seconds);
  const char* before = " ";
  for (std::size_t i = 0; i < count_names.size(); ++i) {
    std::printf("%s%lld %s", before, static_cast<long long>(soak.count_of(static_cast<Count>(i))), count_names[i]);
    before = ", ";
  }
  std::printf("; peak %lld MiB resident; growth: %s\n", static_cast<long long>(measure().peak_resident_bytes / Growth::mebibyte),
              growth.summary().c_str());
}

int run(const Command& command) {
  // Terminates a process that hangs. The limit follows the duration, which the time limit of ctest cannot.
  ::alarm(static_cast<unsigned>(command.seconds) + slack_seconds);
  Soak soak(command.fault);
  watch_log(soak);
  static_cast<void>(ckpt::blas_info());  // loads the BLAS, which stays loaded, before descriptors and threads are counted
  const Usage before = measure();
  const auto began = Clock::now();
  const Clock::duration duration = std::chrono::seconds(command.seconds);
  Growth growth(duration);
  {
    const Scratch scratch;
    const Activities activities(soak, growth, scratch);
    supervise(soak, growth, duration);
  }
  const Usage after = measure();
  ckpt::set_log(ckpt::LogLevel::info, nullptr);
  if (soak.failures().empty()) {
    soak.require(growth.is_complete(), "too few samples of memory, descriptors and threads");
    for (std::size_t i = 0; i < count_names.size(); ++i) {
      soak.require(soak.count_of(static_cast<Count>(i)) > 0, std::string("nothing was done of: ") + count_names[i]);
    }
    soak.require(after.threads == before.threads, std::to_string(after.threads - before.threads) + " threads are left at the end");
    soak.require(after.descriptors == before.descriptors,
                 std::to_string(after.descriptors - before.descriptors) + " descriptors are left at the end");
  }
  print_summary(soak, growth, std::chrono::duration<double>(Clock::now() - began).count());
  for (const std::string& failure : soak.failures()) std::printf("failure: %s\n", failure.c_str());
  std::printf(soak.failures().empty() ? "soak passed\n" : "soak failed\n");
  return soak.failures().empty() ? 0 : 1;
}

}  // namespace
}  // namespace soak

int main(int argc, char** argv) {
  try {
    return soak::run(soak::parse({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "test_soak: %s\n", error.what());
    return 2;
  }
}
