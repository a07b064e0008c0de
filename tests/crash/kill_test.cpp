// A training process is killed repeatedly, by operation number and by time: it always resumes, loses no step with an acknowledged
// save, and ends with the same bits as an uninterrupted run.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "scratch.h"
#include "trainer_status.h"

extern char** environ;

namespace {

using ckpt::tests::Scratch;
using ckpt::tests::TrainerStatus;

constexpr int steps = 30;
#ifdef CKPT_SANITIZED
constexpr int kills_wanted = 50;  // each takes six times as long with sanitizers
#elif defined(CKPT_TEST_LONG)
constexpr int kills_wanted = 2000;
#else
constexpr int kills_wanted = 200;
#endif

std::int64_t now_us() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_nsec / 1000;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The trainer processes of one test, one at a time, and the page that they share with it.
class Trainers {
 public:
  explicit Trainers(bool background) : background_(background), status_path_(scratch_ / "status") {
    const int file = ::open(status_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(::ftruncate(file, sizeof(TrainerStatus)), 0);
    void* const page = ::mmap(nullptr, sizeof(TrainerStatus), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    EXPECT_NE(page, MAP_FAILED);
    status = static_cast<TrainerStatus*>(page);
  }
  ~Trainers() { ::munmap(status, sizeof(TrainerStatus)); }
  Trainers(const Trainers&) = delete;
  Trainers& operator=(const Trainers&) = delete;

  // Returns the wait status. operation: the operation at which it kills itself; -1: none. microseconds: when it is killed; -1:
  // never.
  int run(const std::string& root, std::int64_t operation, std::int64_t microseconds) {
    status->operations = 0;
    status->in_save = 0;
    status->first_step = -1;
    std::string arguments[] = {CKPT_TRAINER, scratch_ / root,           std::to_string(steps), scratch_ / (root + ".result"),
                               status_path_, std::to_string(operation), "background"};
    char* argv[8] = {};
    for (std::size_t i = 0; i < (background_ ? 7U : 6U); ++i) argv[i] = arguments[i].data();
    pid_t process = 0;
    EXPECT_EQ(::posix_spawn(&process, CKPT_TRAINER, nullptr, nullptr, argv, environ), 0);
    if (microseconds >= 0) {
      const timespec pause{microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
      ::nanosleep(&pause, nullptr);
      ::kill(process, SIGKILL);
    }
    int result = 0;
    EXPECT_EQ(::waitpid(process, &result, 0), process);
    return result;
  }
  std::string result(const std::string& root) const { return contents(scratch_ / (root + ".result")); }

  TrainerStatus* status = nullptr;

 private:
  bool background_;
  Scratch scratch_;
  std::string status_path_;
};

bool was_killed(int result) { return WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL; }

struct Tally {
  int kills = 0;
  int inside = 0;
  int by_operation = 0;
  int runs = 0;
};

// Kills trainers in one root until one runs to its end.
void train_with_kills(Trainers& trainers, const std::string& root, std::mt19937_64& random, std::int64_t operations,
                      std::int64_t run_us, Tally& tally) {
  trainers.status->acknowledged = 0;
  for (;;) {
    ++tally.runs;
    // By operation almost all kills are inside a save; by time many are, but there is no guarantee.
    const bool by_operation = random() % 10 < 6;
    const bool has_enough = tally.kills >= kills_wanted;
    const auto at = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(by_operation ? operations : run_us));
    const std::int64_t acknowledged = trainers.status->acknowledged;
    const int result = trainers.run(root, by_operation && !has_enough ? at : -1, by_operation || has_enough ? -1 : at);
    const std::int64_t resumed = trainers.status->first_step;  // -1: it died before it resumed
    ASSERT_TRUE(resumed >= acknowledged || (resumed < 0 && was_killed(result))) << resumed << " after " << acknowledged;
    if (!was_killed(result)) {
      ASSERT_TRUE(WIFEXITED(result) && WEXITSTATUS(result) == 0) << result;
      return;
    }
    ++tally.kills;
    tally.by_operation += by_operation ? 1 : 0;
    tally.inside += trainers.status->in_save != 0 ? 1 : 0;
  }
}

// Kills as many trainers as required, and compares every result with that of an uninterrupted run.
void kill_and_resume(bool background, Tally& tally) {
  // The system survives a kill, so the result does not depend on a real disk, and memory is much faster.
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
  Trainers trainers(background);
  const std::int64_t begin = now_us();
  ASSERT_EQ(trainers.run("undisturbed", -1, -1), 0);
  const std::int64_t run_us = now_us() - begin;
  const std::int64_t operations = trainers.status->operations;
  const std::string expected = trainers.result("undisturbed");
  ASSERT_GT(expected.size(), 600U);
  ASSERT_GT(operations, steps * 10);

  std::mt19937_64 random(5);
  for (int root = 0; tally.kills < kills_wanted; ++root) {
    const std::string name = "root" + std::to_string(root);
    ASSERT_NO_FATAL_FAILURE(train_with_kills(trainers, name, random, operations, run_us, tally));
    ASSERT_EQ(trainers.result(name), expected) << name;
  }
  std::printf("crash: %d kills in %d runs, %d by operation, %d inside a save; an undisturbed run takes %lld ms, %lld operations\n",
              tally.kills, tally.runs, tally.by_operation, tally.inside, static_cast<long long>(run_us / 1000),
              static_cast<long long>(operations));
}

TEST(CrashKill, ResumesAndEndsBitIdentical) {
  Tally tally;
  ASSERT_NO_FATAL_FAILURE(kill_and_resume(false, tally));
  EXPECT_GE(tally.kills, kills_wanted);
  EXPECT_GE(tally.inside * 10, tally.kills * 3);  // 60 of 200
}

// A save counts as in progress once it is staged: training continues, and the kill happens before it is durable.
TEST(CrashKill, ResumesFromBackgroundSavesToo) {
  Tally tally;
  ASSERT_NO_FATAL_FAILURE(kill_and_resume(true, tally));
  EXPECT_GE(tally.kills, kills_wanted);
  EXPECT_GE(tally.inside * 10, tally.kills * 3);
}

}  // namespace
