#include "object_scenario.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "state/commit_record.h"

namespace ckpt::tests {
namespace {

// Read requests may run on several threads at once, and change nothing.
bool is_read(const std::string& line) { return line.starts_with("get ") || line.starts_with("head "); }
bool is_commit_put(const std::string& line) {
  return line.starts_with("put commits/") || line.starts_with("put_if_absent commits/");
}

state::CheckpointOptions writer_options(std::int64_t keep_last) {
  state::CheckpointOptions options;
  options.keep_last = keep_last;
  options.utc_ns = [] { return std::int64_t{1}; };
  options.sleep = [](std::int64_t) {};
  return options;
}

ObjectScenario plain_saves(const std::string& name, Puts puts, const std::vector<std::int64_t>& steps, std::int64_t keep_last) {
  ObjectScenarioRunner runner(name, puts);
  runner.open(keep_last);
  for (const std::int64_t step : steps) runner.save(step);
  return runner.finish();
}

// Adds a scenario for every request at which the process that saves step 2 may die: another process continues with step `next`.
void add_killed_objects(std::vector<ObjectScenario>& out, const std::string& name, Puts puts, std::int64_t next, bool is_done) {
  for (std::int64_t number = 0;; ++number) {
    ObjectScenarioRunner runner(base::cat(name, ", killed at request ", number), puts);
    runner.open(1);
    runner.save(1);
    const bool died = runner.killed_save(2, number, is_done);
    runner.watch();
    runner.open(1);
    runner.save(next);
    out.push_back(runner.finish());
    if (!died) return;
  }
}

ObjectScenario overtaken(const std::string& name, Puts puts, const std::vector<std::int64_t>& others, std::int64_t keep_last) {
  ObjectScenarioRunner runner(name, puts);
  runner.open(keep_last);
  runner.save(1);
  runner.watch();
  runner.overtaken_save(50, others, keep_last);
  return runner.finish();
}

// Returns the order in which a load tries saves; saves of one step are ordered by their sequence.
std::pair<std::int64_t, int> rank(const ObjectScenario& scenario, int save) {
  return save == 0 ? std::pair<std::int64_t, int>{-1, 0} : std::pair{scenario.steps[static_cast<std::size_t>(save) - 1], save};
}

// A process with delayed listings; if it is refused, or cannot see what it put, another one takes over.
ObjectScenario delayed(std::uint64_t seed) {
  ObjectScenarioRunner runner(base::cat("delayed listings ", seed), Puts::conditional);
  runner.open_with_delay(1 + static_cast<std::int64_t>(seed % 2), 6, seed);
  for (std::int64_t step = 1; step <= 4; ++step) {
    if (!runner.save(step)) runner.open_with_delay(1, 6, seed * 100 + static_cast<std::uint64_t>(step));
  }
  return runner.finish();
}

}  // namespace

std::vector<Change> changes_between(const Objects& before, const Objects& after) {
  std::vector<Change> out;
  for (const auto& [path, text] : after) {
    const auto old = before.find(path);
    if (old == before.end()) {
      out.push_back({path, std::nullopt, text});
    } else if (old->second != text) {
      out.push_back({path, old->second, text});
    }
  }
  for (const auto& [path, text] : before) {
    if (!after.contains(path)) out.push_back({path, text, std::nullopt});
  }
  return out;
}

void apply(Objects& objects, const Change& change) {
  if (change.after) {
    objects[change.path] = *change.after;
  } else {
    objects.erase(change.path);
  }
}

// ---- Delayed listings ----

void DelayedListings::attach(const std::shared_ptr<Requests>& requests) {
  last_ = bucket_->objects;
  Requests* const self = requests.get();  // the owner of these functions
  const auto before = requests->before;
  const auto after = requests->after;
  requests->before = [this, self, before](const std::string& line) {
    if (before) before(line);
    if (line.starts_with("list ")) self->listed = view();
  };
  requests->after = [this, after](const std::string& line) {
    if (is_read(line)) return;
    for (Change& change : changes_between(last_, bucket_->objects)) history_.push_back(std::move(change));
    last_ = bucket_->objects;
    if (after) after(line);
  };
}

Objects DelayedListings::view() {
  Objects shown = bucket_->objects;
  std::set<std::string> settled;  // superseded by a later visible change
  for (std::size_t back = 1; back <= std::min(depth_, history_.size()); ++back) {
    const Change& change = history_[history_.size() - back];
    if (settled.contains(change.path)) continue;
    if (chance_() % 2 == 0) {
      settled.insert(change.path);
    } else {
      apply(shown, {change.path, std::nullopt, change.before});
    }
  }
  return shown;
}

// ---- Stories ----

ObjectScenarioRunner::ObjectScenarioRunner(std::string name, Puts puts) {
  scenario_.name = std::move(name);
  scenario_.puts = puts;
}

std::shared_ptr<Requests> ObjectScenarioRunner::client() {
  auto requests = std::make_shared<Requests>();
  requests->puts = scenario_.puts;
  requests->after = [this](const std::string& line) { end_request(line); };
  return requests;
}

void ObjectScenarioRunner::end_request(const std::string& line) {
  if (is_read(line)) return;
  const bool puts_record = is_commit_put(line) && saving_ != 0;
  scenario_.requests.push_back({line, changes_between(before_, bucket_->objects), puts_record ? saving_ : 0, 0});
  before_ = bucket_->objects;
}

void ObjectScenarioRunner::open(std::int64_t keep_last) {
  writer_.reset();
  requests_ = client();
  const auto storage = std::make_shared<BucketClient>(bucket_, requests_);
  writer_ = std::make_shared<state::Checkpoint>(storage, writer_options(keep_last));
  NumberedState state({});
  try {
    writer_->load(state.state, {});
  } catch (const base::Error& error) {
    if (error.status() != base::Status::not_found) throw;
  }
}

void ObjectScenarioRunner::open_with_delay(std::int64_t keep_last, std::size_t depth, std::uint64_t seed) {
  open(keep_last);
  std::vector<Change> history;
  for (const Request& request : scenario_.requests) history.insert(history.end(), request.changes.begin(), request.changes.end());
  listings_ = std::make_shared<DelayedListings>(bucket_, std::move(history), depth, seed);
  listings_->attach(requests_);
}

bool ObjectScenarioRunner::save(std::int64_t step) {
  scenario_.steps.push_back(step);
  const int number = saving_ = static_cast<int>(scenario_.steps.size());
  const std::size_t from = scenario_.requests.size();
  NumberedState state({});
  state.fill(number);
  state::SaveOptions options;
  options.step = step;
  bool is_saved = true;
  try {
    writer_->save(state.state, options);
  } catch (const base::Error&) {
    is_saved = false;
  }
  saving_ = 0;
  if (!is_saved) return false;
  // The answer to the listing after the record is the acknowledgement, before retention.
  const auto begin = scenario_.requests.begin() + static_cast<std::ptrdiff_t>(from);
  const auto put = std::find_if(begin, scenario_.requests.end(), [&](const Request& request) { return request.save == number; });
  const auto list =
      std::find_if(put, scenario_.requests.end(), [](const Request& r) { return r.line.starts_with("list commits/"); });
  list->acknowledged = number;
  return true;
}

bool ObjectScenarioRunner::killed_save(std::int64_t step, std::int64_t number, bool is_done) {
  const auto left = std::make_shared<std::int64_t>(number);
  const auto is_dead = std::make_shared<bool>(false);
  requests_->before = [left, is_dead, is_done](const std::string& line) {
    *is_dead = *is_dead || (*left == 0 && !is_done);
    if (*is_dead) base::fail(base::Status::io, "killed before ", line);
    --*left;
  };
  requests_->after = [this, left, is_dead](const std::string& line) {
    end_request(line);
    *is_dead = *left < 0;
    if (*is_dead) base::fail(base::Status::io, "killed after ", line);
  };
  save(step);  // acknowledged if the process dies during the retention that follows
  return *is_dead;
}

void ObjectScenarioRunner::overtaken_save(std::int64_t step, const std::vector<std::int64_t>& others, std::int64_t keep_last) {
  requests_->before = [&, is_first = true](const std::string& line) mutable {
    if (!is_first || !is_commit_put(line)) return;
    is_first = false;
    const int slow = std::exchange(saving_, 0);
    const auto writer = writer_;
    const auto requests = requests_;
    open(keep_last);
    for (const std::int64_t other : others) save(other);
    writer_ = writer;
    requests_ = requests;
    saving_ = slow;
  };
  save(step);
}

std::vector<ObjectScenario> object_scenarios(int delayed_seeds) {
  std::vector<ObjectScenario> out;
  for (const auto& [kind, puts] : {std::pair{"conditional puts", Puts::conditional},
                                   {"unsupported puts", Puts::unsupported},
                                   {"ignored conditions", Puts::ignore_condition}}) {
    const auto named = [&, kind = kind](const char* what) { return base::cat(kind, ": ", what); };
    out.push_back(plain_saves(named("keep all"), puts, {1, 2, 3}, 0));
    out.push_back(plain_saves(named("re-saved step"), puts, {1, 2, 2}, 0));
    out.push_back(plain_saves(named("keep one"), puts, {1, 2, 3}, 1));
    out.push_back(plain_saves(named("keep two"), puts, {1, 2, 3, 4}, 2));
    out.push_back(overtaken(named("overtaken by one"), puts, {2}, 0));
    out.push_back(overtaken(named("overtaken by three"), puts, {2, 3, 4}, 1));
    add_killed_objects(out, named("next step"), puts, 3, false);
    add_killed_objects(out, named("same step"), puts, 2, true);
  }
  for (int seed = 1; seed <= delayed_seeds; ++seed) out.push_back(delayed(static_cast<std::uint64_t>(seed)));
  return out;
}

// ---- Crashes ----

// The state after one crash.
struct ObjectEnumerator::Crash {
  const ObjectScenario& scenario;
  std::size_t moment;  // the request in progress; the number of requests: none
  const Objects& objects;
  const std::vector<Change>& history;  // the changes that led to these objects
  const std::set<int>& committing;     // saves with a record that was put or in progress
  int best;                            // the acknowledged save that must be found, or a newer one; 0: none

  bool has(int save, std::int64_t step) const {
    return save >= 1 && save <= std::ssize(scenario.steps) && scenario.steps[static_cast<std::size_t>(save) - 1] == step;
  }
  std::shared_ptr<Bucket> bucket() const {
    auto created = std::make_shared<Bucket>();
    created->objects = objects;
    return created;
  }
};

namespace {

constexpr int next_save = 77;  // the step of the writer that continues after the crash
constexpr std::int64_t next_step = 1000;

std::shared_ptr<Requests> requests_of(Puts puts) {
  auto requests = std::make_shared<Requests>();
  requests->puts = puts;
  return requests;
}

struct Loaded {
  base::Status status = base::Status::ok;
  std::string message = {};
  int save = 0;  // -1: it was never saved
  std::int64_t step = -1;
  std::int64_t skipped = 0;
};

Loaded load_newest(state::Checkpoint& checkpoint) {
  NumberedState state({});
  try {
    const state::LoadResult result = checkpoint.load(state.state, {});
    return {base::Status::ok, {}, state.save(), result.step, result.skipped};
  } catch (const base::Error& error) {
    return {error.status(), error.message()};
  }
}

Loaded load_newest(const std::shared_ptr<Bucket>& bucket,
                   const std::shared_ptr<Requests>& requests = std::make_shared<Requests>()) {
  state::CheckpointOptions options;
  options.read_only = true;
  state::Checkpoint reader(std::make_shared<BucketClient>(bucket, requests), options);
  return load_newest(reader);
}

bool saves_next(state::Checkpoint& writer, std::int64_t step, int number, std::string* why = nullptr) {
  NumberedState state({});
  state.fill(number);
  state::SaveOptions options;
  options.step = step;
  try {
    writer.save(state.state, options);
    return true;
  } catch (const base::Error& error) {
    if (why != nullptr) *why = error.message();
    return false;
  }
}

bool has_rolled_back(const std::shared_ptr<Bucket>& bucket) {
  state::CheckpointOptions options;
  options.read_only = true;
  return state::Checkpoint(std::make_shared<BucketClient>(bucket), options).latest().generation > 0;
}

bool holds_step(const std::shared_ptr<Bucket>& bucket, std::int64_t step) {
  state::CheckpointOptions options;
  options.read_only = true;
  const std::vector<state::Found> all = state::Checkpoint(std::make_shared<BucketClient>(bucket), options).list();
  return step < 0 || std::ranges::any_of(all, [&](const state::Found& found) {
           return found.step == step && found.condition == state::Condition::complete;
         });
}

// A writer without a competitor saves, and its save is found from then on.
Finding continues_normally(const std::shared_ptr<Bucket>& bucket, Puts puts) {
  std::string why;
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket, requests_of(puts)), writer_options(1));
  if (!saves_next(writer, next_step, next_save, &why)) return {Violation::no_next, why};
  const Loaded loaded = load_newest(bucket);
  if (loaded.status == base::Status::ok && loaded.save == next_save) return {};
  return {Violation::no_next, base::cat("after a save of step ", next_step, ", step ", loaded.step, " was found ", loaded.message)};
}

}  // namespace

Finding ObjectEnumerator::examine(const Crash& crash) {
  const auto bucket = crash.bucket();
  state::CheckpointOptions read_only;
  read_only.read_only = true;
  state::Checkpoint reader(std::make_shared<BucketClient>(bucket), read_only);
  for (const state::Found& found : reader.list()) {
    if (found.condition == state::Condition::complete || found.condition == state::Condition::unfinished) continue;
    return {Violation::damaged, base::cat(found.name, ": ", found.problem)};
  }
  const Loaded loaded = load_newest(reader);
  if (loaded.status == base::Status::ok) {
    ++count_.loaded;
    if (!crash.has(loaded.save, loaded.step))
      return {Violation::wrong_bytes, base::cat("step ", loaded.step, " has values that were never saved")};
    if (rank(crash.scenario, loaded.save) < rank(crash.scenario, crash.best))
      return {Violation::lost, base::cat("save ", loaded.save, " of step ", loaded.step, " was found")};
    if (loaded.save != crash.best && !crash.committing.contains(loaded.save))
      return {Violation::early, base::cat("save ", loaded.save, " was found before its record was put")};
    if (loaded.skipped > 0) return {Violation::damaged, "a newer one was skipped"};
  } else if (loaded.status != base::Status::not_found || crash.best != 0) {
    return {Violation::lost, loaded.message};
  }
  return continues_normally(bucket, crash.scenario.puts);
}

// A reader and then a writer with delayed listings: they may fail, but must not remove anything that was acknowledged.
Finding ObjectEnumerator::continues_with_delayed_listings(const Crash& crash, std::uint64_t seed) {
  const auto bucket = crash.bucket();
  const auto requests = requests_of(Puts::conditional);
  DelayedListings delayed(bucket, crash.history, options_.listing_delay, seed);
  delayed.attach(requests);
  const Loaded seen = load_newest(bucket, requests);
  const bool is_seen = seen.status == base::Status::ok;
  if (is_seen && !crash.has(seen.save, seen.step))
    return {Violation::wrong_bytes, base::cat("a delayed listing led to step ", seen.step, ", with values that were never saved")};
  if (bucket->objects != crash.objects) return {Violation::lost, "loading with delayed listings changed the store"};

  std::pair<std::int64_t, int> best = rank(crash.scenario, crash.best);
  const std::int64_t step = is_seen ? seen.step + 1 : 1;
  bool is_acknowledged = false;
  try {
    state::Checkpoint writer(std::make_shared<BucketClient>(bucket, requests), writer_options(1));
    requests->puts = options_.delayed_puts;
    is_acknowledged = saves_next(writer, step, next_save);
    if (is_acknowledged) best = std::max(best, {step, next_save});
  } catch (const base::Error&) {  // the listing was inconsistent
  }
  const Loaded loaded = load_newest(bucket);
  // If the writer's listings showed a higher step than the reader has seen, its save begins a new run. That save is then the
  // newest, whatever its step. Retention may have removed the abandoned checkpoints only if the save was acknowledged.
  if (loaded.save == next_save && has_rolled_back(bucket)) {
    if (!is_acknowledged && !holds_step(bucket, best.first))
      return {Violation::lost, "a save that was not acknowledged removed it"};
    return continues_normally(bucket, Puts::conditional);
  }
  const std::pair<std::int64_t, int> found{loaded.step, loaded.save};
  if (loaded.status == base::Status::ok ? found < best : best.second != 0)
    return {Violation::lost, base::cat("after a writer with delayed listings, step ", loaded.step, " was found ", loaded.message,
                                       "; acknowledged: step ", best.first)};
  if (loaded.status == base::Status::ok && loaded.save < 1) return {Violation::wrong_bytes, "after a writer with delayed listings"};
  return continues_normally(bucket, Puts::conditional);
}

void ObjectEnumerator::look(const Crash& crash) {
  ++count_.images;
  ++count_.examined;
  Finding finding = examine(crash);
  // Delayed listings are harmless only if the store refuses an existing name: docs/reference/file-format.md.
  const int views = crash.scenario.puts == Puts::conditional ? options_.listing_views : 0;
  for (int view = 0; view < views && finding.violation == Violation::none; ++view) {
    ++count_.examined;
    finding = continues_with_delayed_listings(crash, crash.moment * 1000 + static_cast<std::uint64_t>(view));
  }
  if (finding.violation == Violation::none) return;
  ++count_.violations[static_cast<int>(finding.violation)];
  if (!count_.first.empty()) return;
  const bool is_end = crash.moment == crash.scenario.requests.size();
  count_.first = base::cat("scenario '", crash.scenario.name, "', crash at request ", crash.moment, ": ",
                           is_end ? "the end" : crash.scenario.requests[crash.moment].line, "; acknowledged: save ", crash.best,
                           "; ", finding.text, "\nthe store:\n");
  for (const auto& [path, text] : crash.objects) count_.first += base::cat("  ", path, ": ", text.size(), " bytes\n");
}

void ObjectEnumerator::run(const ObjectScenario& scenario) {
  Objects now = scenario.base;
  std::vector<Change> history;
  std::set<int> committing;
  int best = 0;
  for (std::size_t moment = 0; moment <= scenario.requests.size(); ++moment) {
    const Request none;
    const Request& request = moment < scenario.requests.size() ? scenario.requests[moment] : none;
    if (request.save != 0) committing.insert(request.save);
    const std::size_t changes = request.changes.size();
    // Each subset of the request's effects; the full set is the start of the next request.
    const std::uint64_t subsets = changes == 0 ? 1 : (std::uint64_t{1} << std::min<std::size_t>(changes, 6)) - 1;
    const bool is_new = moment == scenario.requests.size() || changes > 0 || request.acknowledged != 0;
    for (std::uint64_t subset = 0; moment >= scenario.watched_from && is_new && subset < subsets; ++subset) {
      Objects left = now;
      std::vector<Change> done = history;
      for (std::size_t i = 0; i < changes; ++i) {
        if ((subset >> i & 1) == 0) continue;
        apply(left, request.changes[i]);
        done.push_back(request.changes[i]);
      }
      look({scenario, moment, left, done, committing, best});
    }
    for (const Change& change : request.changes) apply(now, change);
    history.insert(history.end(), request.changes.begin(), request.changes.end());
    if (request.acknowledged != 0 && rank(scenario, best) < rank(scenario, request.acknowledged)) best = request.acknowledged;
  }
}

}  // namespace ckpt::tests
