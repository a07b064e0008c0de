#include "state/lineage.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"

namespace ckpt::state {
namespace {

// Returns the line with the current first sequences of its lower generations. Omits generations without a commit.
Line line_now(const Generation& generation) {
  Line line = generation.line;
  for (EarlierGeneration& each : line.earlier) {
    for (const Generation* base = generation.base.get(); base != nullptr; base = base->base.get()) {
      if (base->line.generation == each.generation) each.first_sequence = base->line.first_sequence;
    }
  }
  std::erase_if(line.earlier, [](const EarlierGeneration& each) { return each.generation > 0 && each.first_sequence == 0; });
  return line;
}

}  // namespace

// ---- One save ----

AcceptedSave::~AcceptedSave() {
  if (lineage_->fork_generation_ != base::fork_generation()) return;
  const std::lock_guard lock(lineage_->mutex_);
  std::erase(lineage_->queued_, this);
  if (is_committed_) return;
  if (epoch_ == lineage_->epoch_) --lineage_->accepted_since_load_;
  if (has_tried_) lineage_->mark_newest_unknown();  // a failed commit may still have taken effect
}

std::shared_ptr<const Line> AcceptedSave::line_at(std::int64_t commit_sequence) {
  const std::lock_guard lock(lineage_->mutex_);
  has_tried_ = lineage_->has_tried_ = true;
  if (generation() == 0) return lineage_->next_generation_ > 1 ? std::make_shared<const Line>() : nullptr;
  if (generation_->line.first_sequence == 0) generation_->line.first_sequence = commit_sequence;
  return std::make_shared<const Line>(line_now(*generation_));
}

void AcceptedSave::note_committed(const std::string& name, std::int64_t commit_sequence) {
  const std::lock_guard lock(lineage_->mutex_);
  is_committed_ = true;
  std::erase(lineage_->queued_, this);
  auto& newest = lineage_->newest_;
  const bool is_newer = !newest || std::tuple(generation(), step_, commit_sequence) >
                                       std::tuple(newest->generation->line.generation, newest->step, newest->commit_sequence);
  if (is_above_all_) lineage_->is_known_ = true;
  if (is_newer) newest = {name, step_, commit_sequence, generation_};
}

std::string AcceptedSave::warning() const {
  if (!rolled_back_) return "";
  const auto& parent = generation_->line.parent;
  const std::string from = parent ? base::cat("continues from ", base::quote(parent->name), " (step ", parent->step, ')')
                                  : std::string("is a new run: no checkpoint was loaded");
  return base::cat(
      "step ", step_, " is saved although step ", newest_step_, " exists: generation ", generation(), ' ', from,
      ". Checkpoints outside its line are abandoned: loads without a name skip them, and retention removes them first");
}

// ---- All saves ----

bool Lineage::is_known() const {
  const std::lock_guard lock(mutex_);
  return is_known_;
}

bool Lineage::has_tried() const {
  const std::lock_guard lock(mutex_);
  return has_tried_;
}

std::int64_t Lineage::unknown_count() const {
  const std::lock_guard lock(mutex_);
  return unknown_count_;
}

// Marks the newest as unknown until the storage is read again.
void Lineage::mark_newest_unknown() {
  is_known_ = false;
  ++unknown_count_;
  for (AcceptedSave* const save : queued_) save->is_above_all_ = false;
}

void Lineage::note_found(const std::vector<Found>& all, std::int64_t unknown_count) {
  const std::lock_guard lock(mutex_);
  is_known_ = unknown_count == unknown_count_;
  for (const Found& found : all)
    next_generation_ = std::max(next_generation_, std::max(found.generation, found.mark.generation) + 1);
  const auto is_newest = [](const Found& found) { return found.condition != Condition::unfinished && !found.abandoned; };
  const auto newest = std::ranges::find_if(all, is_newest);
  if (newest == all.end()) return;
  auto generation = std::make_shared<Generation>();
  generation->line = current_line(all).line();
  if (auto& parent = generation->line.parent; parent && parent->name.empty()) {
    const auto is_parent = [&](const Found& found) {
      return !found.abandoned && found.generation < generation->line.generation && found.step == parent->step;
    };
    if (const auto found = std::ranges::find_if(all, is_parent); found != all.end())
      *parent = {found->name, found->step, std::max<std::int64_t>(0, found->commit_sequence)};
  }
  // A save that was committed after the scan remains the newest.
  const auto order = [](const Newest& each) {
    return std::tuple(each.generation->line.generation, each.step, each.commit_sequence);
  };
  Newest listed{newest->name, newest->step, newest->commit_sequence, std::move(generation)};
  if (!newest_ || order(listed) > order(*newest_)) newest_ = std::move(listed);
}

void Lineage::note_removed(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!newest_ || newest_->name != name) return;
  newest_.reset();
  mark_newest_unknown();
}

void Lineage::note_load(const LineParent& loaded, std::shared_ptr<const Line> line) {
  const std::lock_guard lock(mutex_);
  ++epoch_;
  accepted_since_load_ = 0;
  loaded_ = loaded;
  line_of_loaded_ = std::move(line);
}

// Returns the highest generation among the queued saves and the newest committed one.
std::shared_ptr<Generation> Lineage::current() const {
  std::shared_ptr<Generation> highest = newest_ ? newest_->generation : first_;
  for (const AcceptedSave* const save : queued_) {
    if (save->generation() > highest->line.generation) highest = save->generation_;
  }
  return highest;
}

std::optional<std::int64_t> Lineage::newest_queued(std::int64_t generation) const {
  std::optional<std::int64_t> newest;
  for (const AcceptedSave* const save : queued_) {
    if (save->generation() == generation) newest = std::max(newest.value_or(save->step_), save->step_);
  }
  return newest;
}

std::shared_ptr<AcceptedSave> Lineage::accept(std::int64_t step, bool is_above_all) {
  const std::lock_guard lock(mutex_);
  if (!is_known_ && (has_tried_ || !is_above_all)) return nullptr;
  std::shared_ptr<Generation> generation = current();
  const std::int64_t number = generation->line.generation;
  const std::optional<std::int64_t> queued = newest_queued(number);
  std::optional<std::int64_t> newest_step = queued;
  const bool has_newest = is_known_ && newest_ && newest_->generation->line.generation == number;
  if (has_newest) newest_step = std::max(newest_step.value_or(newest_->step), newest_->step);
  const bool is_newest_loaded = loaded_ && has_newest && newest_->name == loaded_->name && (!queued || *queued < newest_->step);
  const bool begins = begins_generation(accepted_since_load_ == 0, step, newest_step, loaded_.has_value() && !is_newest_loaded);
  if (begins) {
    auto begun = std::make_shared<Generation>();
    begun->line = line_after(next_generation_, generation->line, loaded_, line_of_loaded_.get());
    begun->base = std::move(generation);
    generation = std::move(begun);
  }
  queued_.reserve(queued_.size() + 1);
  auto save = std::make_shared<AcceptedSave>(shared_from_this(), step, std::move(generation), begins, epoch_);
  save->newest_step_ = newest_step.value_or(step);
  save->is_above_all_ = !is_known_;
  queued_.push_back(save.get());
  next_generation_ += begins ? 1 : 0;
  ++accepted_since_load_;
  return save;
}

}  // namespace ckpt::state
