// Through ckpt.hpp: the failure of the last background save when its manager goes out of scope, in a separate process.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <ckpt/ckpt.hpp>

namespace {

struct Ended {
  int status = -1;
  std::string out;
  std::string errors;
};

std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 4096> bytes{};
  for (;;) {
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
    if (count <= 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  ::close(descriptor);
  return text;
}

// Runs body in a child process; its standard output and standard error are pipes.
template <class Body>
Ended run(const Body& body) {
  std::array<int, 2> out{};
  std::array<int, 2> errors{};
  if (::pipe(out.data()) != 0 || ::pipe(errors.data()) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], 1);
    ::dup2(errors[1], 2);
    for (const int end : {out[0], out[1], errors[0], errors[1]}) ::close(end);
    body();
    std::cout.flush();
    ::_exit(0);
  }
  ::close(out[1]);
  ::close(errors[1]);
  Ended ended;
  ended.out = all_of(out[0]);
  ended.errors = all_of(errors[0]);
  ::waitpid(child, &ended.status, 0);
  return ended;
}

// Starts a save, removes its directory before a worker begins the save, and calls end.
template <class End>
void lose(const End& end) {
  std::string root = "/tmp/ckpt-unreceived-XXXXXX";
  if (::mkdtemp(root.data()) == nullptr) std::abort();
  ckpt::Tensor weight(ckpt::DType::f32, {4});
  ckpt::State state;
  state.add("model", "w", weight);
  const ckpt::CheckpointManager checkpoints(ckpt::Storage::file_system(root));
  ckpt::AsyncManager manager(checkpoints);
  ckpt::SaveOptions options;
  options.step = 7;
  ckpt::CheckpointTaskOptions task;
  task.gate_step = 1000000;
  manager.save(state, options, task);
  std::filesystem::remove_all(root);
  end(manager);
}

const std::string failure = "no caller has seen this failure: task 1 (save of step 7) failed: ";

TEST(UnreceivedInCpp, TheEndOfAScopeReportsOnStandardError) {
  const Ended ended = run([] { lose([](ckpt::AsyncManager&) {}); });
  EXPECT_EQ(0, ended.status);
  EXPECT_EQ("", ended.out);
  EXPECT_EQ(0U, ended.errors.find("ckpt: async: " + failure)) << ended.errors;
  EXPECT_EQ(ended.errors.size() - 1, ended.errors.find('\n')) << ended.errors;
}

TEST(UnreceivedInCpp, AnExceptionHasTheFailure) {
  const Ended ended = run([] {
    lose([](ckpt::AsyncManager& manager) {
      try {
        manager.close();
      } catch (const ckpt::Error& error) {
        std::cout << "caught " << (error.status() == ckpt::Status::invalid_state);
      }
    });
  });
  EXPECT_EQ(0, ended.status);
  EXPECT_EQ("caught 1", ended.out);
  EXPECT_EQ("", ended.errors);
}

TEST(UnreceivedInCpp, TheLogHasTheFailure) {
  const Ended ended = run([] {
    ckpt::set_log(ckpt::LogLevel::error, [](ckpt::LogLevel, std::string_view component, std::string_view message) {
      std::cout << component << ": " << message << '\n';
    });
    lose([](ckpt::AsyncManager&) {});
  });
  EXPECT_EQ(0, ended.status);
  EXPECT_NE(std::string::npos, ended.out.find("async: " + failure)) << ended.out;
  EXPECT_EQ("", ended.errors);
}

// A destroy function cannot report an error, so that an exception in it would be lost.
TEST(UnreceivedInCpp, AnExceptionOfACallbackWithoutAResultIsWrittenOnce) {
  const auto release_clocks = [] {
    for (int i = 0; i < 2; ++i) {
      ckpt_clock* clock = nullptr;
      const auto fail = [](void*) { throw std::runtime_error("cannot close the device"); };
      if (ckpt_clock_create_custom([](void*) -> std::int64_t { return 0; }, nullptr, fail, &clock) != CKPT_OK) std::abort();
      ckpt_clock_release(clock);
    }
  };
  const Ended silent = run(release_clocks);
  EXPECT_EQ(0, silent.status);
  EXPECT_EQ("", silent.out);
  EXPECT_EQ(
      "ckpt: base: no caller has seen this failure: the callback 'destroy' threw an exception, which is ignored: cannot close the "
      "device\n",
      silent.errors);
  const Ended logged = run([&] {
    ckpt::set_log(ckpt::LogLevel::error,
                  [](ckpt::LogLevel, std::string_view, std::string_view message) { std::cout << message << '\n'; });
    release_clocks();
  });
  EXPECT_EQ(2, std::count(logged.out.begin(), logged.out.end(), '\n')) << logged.out;
  EXPECT_EQ("", logged.errors);
}

TEST(UnreceivedInCpp, TheFallbackHasTheFailure) {
  const Ended ended = run([] {
    ckpt::set_fallback_log([](ckpt::LogLevel level, std::string_view component, std::string_view message) {
      std::cout << (level == ckpt::LogLevel::error) << component << ": " << message << '\n';
    });
    lose([](ckpt::AsyncManager&) {});
    ckpt::set_fallback_log({});
    lose([](ckpt::AsyncManager&) {});
  });
  EXPECT_EQ(0, ended.status);
  EXPECT_EQ(0U, ended.out.find("1async: " + failure)) << ended.out;
  EXPECT_EQ(ended.out.size() - 1, ended.out.find('\n')) << ended.out;
  EXPECT_EQ(0U, ended.errors.find("ckpt: async: " + failure)) << ended.errors;
}

TEST(UnreceivedInCpp, TheNextSaveOfTheStorageReturnsTheFailure) {
  ckpt::set_log(ckpt::LogLevel::error, [](ckpt::LogLevel, std::string_view, std::string_view) {});
  ckpt::Tensor weight(ckpt::DType::f32, {4});
  ckpt::State state;
  state.add("model", "w", weight);
  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory());
  {
    ckpt::AsyncManager manager(checkpoints);
    ckpt::CheckpointTaskFunctions functions;
    functions.source = [](std::string_view, std::string_view, const void*, std::int64_t, ckpt::Span<std::byte>) {
      throw ckpt::Error(ckpt::Status::io, "the device is gone");
    };
    ckpt::CheckpointTaskOptions task;
    task.mode = ckpt::StagingMode::deferred;
    manager.save(state, {}, task, std::move(functions));
  }
  const ckpt::SaveResult first = checkpoints.save(state, 8);
  EXPECT_EQ(1, first.unreported_failures);
  EXPECT_EQ(ckpt::Status::callback, first.unreported_status);
  EXPECT_NE(std::string::npos, first.unreported_error.find("the device is gone")) << first.unreported_error;
  EXPECT_EQ(0, checkpoints.save(state, 9).unreported_failures);
  ckpt::set_log(ckpt::LogLevel::error, {});
}

}  // namespace
