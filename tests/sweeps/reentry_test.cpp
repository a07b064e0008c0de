// From every callback that a program can provide, every function of the API is called: none deadlocks (an alarm terminates the
// process), none crashes, none returns INTERNAL, and each returns the same status as outside callbacks, except where its comment
// documents another one.
//
//   test_sweeps_reentry SCENARIO     runs a scenario in child processes; continues after a call that hangs or crashes, and lists it
//   test_sweeps_reentry --list       lists the scenarios; fails if a callback type of the headers has none
#include "reentry.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <semaphore>
#include <set>

namespace sweeps {
namespace {

#if defined(CKPT_SANITIZED)
constexpr unsigned longest_call_seconds = 300;
#else
constexpr unsigned longest_call_seconds = 60;
#endif

constexpr int max_places = 256;

struct Visited {
  char name[128];
  std::uint32_t in_use;  // one bit for each type of handle
};

// Shared memory in which a child leaves results for its parent, however it terminates.
struct Shared {
  char cell[128];
  int places;
  Visited visited[max_places];
  std::atomic<int> calls;
  ckpt_status outside[1024];  // the status of each cell outside callbacks
};
Shared* shared = nullptr;

enum class Work { look, call, release };  // find the places; make all calls at one place; release one object there
Work work = Work::look;
std::string target;             // the place under test
std::string released;           // the function that releases there
std::set<std::string> skipped;  // cells at the target that did not return
std::atomic<bool> done = false;
std::mutex looking;  // callbacks run on several threads at once
std::binary_semaphore has_released(0);

void doing(const char* cell) {
  std::snprintf(shared->cell, sizeof shared->cell, "%s", cell);
  alarm(longest_call_seconds);
}

// Reports a defect once, however often a scenario runs.
void defect(const std::string& place, const std::string& cell, const std::string& what) {
  std::ofstream(folder() + "/defects", std::ios::app) << place << ": " << cell << " " << what << "\n";
}

int print_defects() {
  std::set<std::string> reported;
  std::ifstream defects(folder() + "/defects");
  for (std::string line; std::getline(defects, line);) {
    if (reported.insert(line).second) std::fprintf(stderr, "%s\n", line.c_str());
  }
  return static_cast<int>(reported.size());
}

// The status may depend on the progress of a background task.
bool may_vary(const std::string& function) {
  return function == "ckpt_async_manager_list" || function == "ckpt_async_manager_cancel" ||
         function == "ckpt_memory_tracker_poll_event";
}

bool is_in(const std::vector<const char*>& list, const char* name) {
  for (const char* one : list) {
    if (std::strcmp(one, name) == 0) return true;
  }
  return false;
}

// Sets the status that a call should return at this place; returns false if it cannot be predicted.
bool expected_status(const Place& place, const Cell& cell, ckpt_status usual, ckpt_status& expected) {
  const bool takes = place.in_use != nullptr && cell.takes(*place.in_use);
  const bool library_thread = gettid() != getpid();
  expected = usual;
  if (is_in(place.refused_all, cell.name) || (takes && is_in(place.refused, cell.name)) ||
      (library_thread && std::strcmp(cell.name, "ckpt_remove_thread_hooks") == 0)) {
    expected = CKPT_E_INVALID_STATE;
    return true;
  }
  return !takes && !may_vary(cell.name);
}

void judge(const Place& place, const Cell& cell, ckpt_status usual, const Outcome& outcome) {
  if (!outcome.defect.empty()) return defect(place.name, cell.name, outcome.defect + ": " + outcome.error);
  ckpt_status expected = CKPT_OK;
  if (!outcome.has_status || !expected_status(place, cell, usual, expected) || outcome.status == expected) return;
  defect(place.name, cell.name,
         std::string("gives ") + ckpt_status_name(outcome.status) + " (" + outcome.error + "), not " + ckpt_status_name(expected));
}

void call_all(const Place& place) {
  doing("(making objects)");
  Objects fresh = make_objects();
  const Objects given = place.in_use == nullptr ? fresh : overlaid(*place.in_use, fresh);
  const std::vector<Cell>& cells = all_cells();
  for (std::size_t i = 0; i < cells.size() && cells[i].rank != Rank::releases; ++i) {
    if (skipped.count(cells[i].name) != 0) continue;
    doing(cells[i].name);
    judge(place, cells[i], shared->outside[i], cells[i].call(given));
    ++shared->calls;
  }
  doing("(releasing objects)");
  release_objects(fresh);
}

std::uint32_t types_of(const Objects* objects) {
  std::uint32_t types = 0;
  std::uint32_t bit = 1;
  if (objects == nullptr) return 0;
#define HANDLE(type, release)                       \
  if (objects->of<type>() != nullptr) types |= bit; \
  bit *= 2;
#include "api_cells.inc"
  return types;
}

void release_one(const Place& place) {
#define HANDLE(type, release)                                        \
  if (place.in_use->of<type>() != nullptr && released == #release) { \
    doing(#release);                                                 \
    type* handle = place.in_use->of<type>();                         \
    place.in_use->of<type>() = nullptr;                              \
    release(handle);                                                 \
    ++shared->calls;                                                 \
  }
#include "api_cells.inc"
}

void call_outside() {
  doing("(making objects)");
  Objects fresh = make_objects();
  const std::vector<Cell>& cells = all_cells();
  for (std::size_t i = 0; i < cells.size() && cells[i].rank != Rank::releases; ++i) {
    doing(cells[i].name);
    const Outcome outcome = cells[i].call(fresh);
    shared->outside[i] = outcome.status;
    if (!outcome.defect.empty()) defect("outside", cells[i].name, outcome.defect + ": " + outcome.error);
  }
  release_objects(fresh);
}

void look(const Place& place) {
  const std::lock_guard lock(looking);
  for (int i = 0; i < shared->places; ++i) {
    if (place.name == shared->visited[i].name) return;
  }
  if (shared->places == max_places) std::abort();
  Visited& visited = shared->visited[shared->places++];
  std::snprintf(visited.name, sizeof visited.name, "%s", place.name.c_str());
  visited.in_use = types_of(place.in_use);
}

}  // namespace

void here(const Place& place) {
  if (work == Work::look) return look(place);
  if (place.name != target || done.exchange(true)) return;
  if (work == Work::call) call_all(place);
  if (work == Work::release) {
    release_one(place);
    has_released.release();
  }
  doing("(what the scenario did after its callback)");
}

bool wait_for_release(const std::string& text) {
  if (work != Work::release || target.find(text) == std::string::npos) return false;
  has_released.acquire();
  return true;
}

void require_permitted(ckpt_status status, const char* call) {
  if (status == CKPT_E_INTERNAL || std::strcmp(ckpt_status_name(status), "UNKNOWN") == 0) {
    defect(target, call, ckpt_last_error());
  }
}

namespace {

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto* some : {&base_scenarios, &state_scenarios, &engine_scenarios}) all.insert(all.end(), some->begin(), some->end());
  return all;
}

int list() {
  std::set<std::string> covered = {"ckpt_storage_entry_fn", "ckpt_storage_object_fn"};  // the library provides them
  for (const Scenario& scenario : all_scenarios()) {
    std::printf("%s\n", scenario.name);
    covered.insert(scenario.callbacks.begin(), scenario.callbacks.end());
  }
  int missing = 0;
#define CALLBACK(type)                                                          \
  if (covered.count(#type) == 0) {                                              \
    std::fprintf(stderr, "no scenario runs callbacks of the type %s\n", #type); \
    ++missing;                                                                  \
  }
#include "api_cells.inc"
  return missing == 0 ? 0 : 1;
}

// Runs the scenario once in a child process. Returns true if it completed.
bool run_in_child(const Scenario& scenario) {
  const pid_t process = fork();
  if (process == 0) {
    doing("(what the scenario did before its callback)");
    if (scenario.before != nullptr) scenario.before();
    if (work == Work::look) call_outside();
    scenario.run();
    std::exit(0);  // a sanitizer's findings at exit become the status
  }
  int status = 0;
  waitpid(process, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  std::string end = "ends the process with " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status)) end = WTERMSIG(status) == SIGALRM ? "never returns" : strsignal(WTERMSIG(status));
  if (work == Work::release) end += " after " + released;
  defect(work == Work::look ? "no sweep" : target, shared->cell, end);
  return false;
}

// Makes all calls at one place, again without each call that does not return; then releases each handle in use there, each in a
// separate run.
void sweep_place(const Scenario& scenario, const Visited& place) {
  target = place.name;
  skipped.clear();
  work = Work::call;
  while (!run_in_child(scenario) && skipped.insert(shared->cell).second) {
  }
  work = Work::release;
  std::uint32_t types = place.in_use;
#define HANDLE(type, release)                 \
  released = #release;                        \
  if (types % 2 == 1) run_in_child(scenario); \
  types /= 2;
#include "api_cells.inc"
}

int sweep(const Scenario& scenario) {
  work = Work::look;
  run_in_child(scenario);
  for (int i = 0; i < shared->places; ++i) sweep_place(scenario, shared->visited[i]);
  const int defects = print_defects();
  std::printf("%s: %d places, %d calls, %d defects\n", scenario.name, shared->places, shared->calls.load(), defects);
  if (shared->places < scenario.places) {
    std::fprintf(stderr, "a callback did not run: there should be %d places\n", scenario.places);
    return 1;
  }
  return defects == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sweeps

int main(int count, char** arguments) {
  using namespace sweeps;
  if (count != 2) return 2;
  if (std::strcmp(arguments[1], "--list") == 0) return list();
  for (const Scenario& scenario : all_scenarios()) {
    if (std::strcmp(scenario.name, arguments[1]) != 0) continue;
    std::string path = "sweep-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) return 2;
    set_folder(std::filesystem::absolute(path));
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = new (memory) Shared();
    const int result = sweep(scenario);
    std::filesystem::remove_all(folder());
    return result;
  }
  std::fprintf(stderr, "no scenario %s\n", arguments[1]);
  return 2;
}
