// The process forks while a thread uses an object of one type, and the child calls every function that takes an object of this
// type: each returns, and none returns INTERNAL. Other results, FORKED or not, are checked elsewhere.
//
//   test_sweeps_fork TYPE [ROUNDS]        "none": functions that take no handle
//   test_sweeps_fork --list
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "cells.h"

namespace sweeps {
namespace {

constexpr unsigned longest_child_seconds = 60;

struct Shared {
  char cell[128];
  std::atomic<int> calls;
  std::atomic<int> defects;
};
Shared* shared = nullptr;
std::set<std::string> skipped;  // calls that did not return

// Types without internal locks: the thread uses another object of the type than the child.
const std::set<std::string> not_synchronised = {"ckpt_threshold", "ckpt_state", "ckpt_reader", "ckpt_profile",
                                                "ckpt_cursor",    "ckpt_layer", "ckpt_chain",  "ckpt_schedule_executor",
                                                "ckpt_optimizer", "ckpt_tree",  "ckpt_driver"};

void overlay_one(const std::string& type_name, Objects& target, const Objects& source) {
#define HANDLE(type, release) \
  if (type_name == #type) target.of<type>() = source.of<type>();
#include "api_cells.inc"
}

bool takes(const Cell& cell, const std::string& type_name, const Objects& objects) {
  if (type_name == "none") return !cell.takes(objects);
  Objects one;
  overlay_one(type_name, one, objects);
  return cell.takes(one);
}

void defect(const std::string& what) {
  ++shared->defects;
  std::fprintf(stderr, "%s: %s\n", shared->cell, what.c_str());
}

// Runs the child's calls, releases last; a released handle is removed.
[[noreturn]] void child(const std::string& type_name, const Objects& given) {
  alarm(longest_child_seconds);
  for (const Cell& cell : all_cells()) {
    if (!takes(cell, type_name, given) || skipped.count(cell.name) != 0) continue;
    std::snprintf(shared->cell, sizeof shared->cell, "%s", cell.name);
    const Outcome outcome = cell.call(given);
    ++shared->calls;
    if (!outcome.defect.empty()) defect(outcome.defect + ": " + outcome.error);
  }
  _exit(0);
}

void fork_once(const std::string& type_name, const Objects& given) {
  const pid_t process = fork();
  if (process == 0) child(type_name, given);
  int status = 0;
  waitpid(process, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const bool hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  defect(hangs ? "never returns"
               : "ends the process with " + std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
  skipped.insert(shared->cell);
}

// A thread that repeatedly calls the functions that take an object of the type.
class Busy {
 public:
  Busy(const std::string& type_name, const Objects& objects) : thread_([this, type_name, &objects] { run(type_name, objects); }) {}
  ~Busy() {
    stop_ = true;
    thread_.join();
  }

  // Waits until `calls` more calls have begun, so that each fork happens at another moment.
  void wait_for_calls(int calls) {
    const int until = calls_ + calls;
    while (calls_ < until) std::this_thread::yield();
  }

 private:
  void run(const std::string& type_name, const Objects& objects) {
    while (!stop_) {
      for (const Cell& cell : all_cells()) {
        if (cell.rank != Rank::usual || !takes(cell, type_name, objects)) continue;
        ++calls_;
        static_cast<void>(cell.call(objects));
        if (stop_) break;
      }
    }
  }

  std::atomic<bool> stop_{false};
  std::atomic<int> calls_{0};
  std::thread thread_;
};

int sweep(const std::string& type_name, int rounds) {
  static_cast<void>(all_cells());
  Objects busy_with = make_objects();
  Objects others = make_objects();
  Objects given = others;
  if (type_name != "none" && not_synchronised.count(type_name) == 0) overlay_one(type_name, given, busy_with);
  {
    Busy busy(type_name, busy_with);
    for (int round = 0; round < rounds; ++round) {
      busy.wait_for_calls(1 + round % 5);
      fork_once(type_name, given);
    }
  }
  release_objects(others);
  release_objects(busy_with);
  const int calls = shared->calls;
  std::printf("%s: %d rounds, %d calls, %d defects\n", type_name.c_str(), rounds, calls, shared->defects.load());
  return shared->defects == 0 && calls >= 2 * rounds ? 0 : 1;
}

}  // namespace
}  // namespace sweeps

int main(int count, char** arguments) {
  using namespace sweeps;
  if (count == 2 && std::strcmp(arguments[1], "--list") == 0) {
#define HANDLE(type, release) std::puts(#type);
#include "api_cells.inc"
    std::puts("none");
    return 0;
  }
  if (count < 2) return 2;
  std::string path = "sweep-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return 2;
  set_folder(std::filesystem::absolute(path));
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared = new (memory) Shared();
  const int result = sweep(arguments[1], count > 2 ? std::atoi(arguments[2]) : 20);
  std::filesystem::remove_all(folder());
  return result;
}
