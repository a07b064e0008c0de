#include "async/source.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace ckpt::async {

StagedSource::StagedSource(Staging& staging, HashLane& lane, std::shared_ptr<storage::RateLimit> limit,
                           std::shared_ptr<const std::atomic<bool>> stop_flag, Events events)
    : staging_(staging), lane_(lane), copier_(lane, 2), limit_(std::move(limit)), events_(std::move(events)) {
  stop = std::move(stop_flag);
}

void StagedSource::write_copied(state::TensorFileWriter& writer, const Staging::GroupPlan& plan) {
  writer.append(std::as_bytes(std::span(plan.layout.header)));
  for (std::int64_t position = plan.begin; position < plan.end;) {
    if (staging_.released(position)) {
      base::fail(base::Status::io, "a sync failed, and a state larger than the staging memory cannot be written again");
    }
    const auto bytes = staging_.read(position, plan.end);
    staging_.repeatable() ? writer.append_borrowed(bytes) : writer.append(bytes);
    position += static_cast<std::int64_t>(bytes.size());
    events_.written(static_cast<std::int64_t>(bytes.size()));
    if (!staging_.repeatable()) {
      lane_.wait_for(lane_.added());
      staging_.release_before(position);
    }
  }
}

std::int64_t StagedSource::file_bytes(const state::StateGroup& group) {
  const Staging::GroupPlan& plan = staging_.plan_of(group);
  return static_cast<std::int64_t>(plan.layout.header.size()) + plan.end - plan.begin;
}

// Borrowed bytes are read again after they were written, to detect and report a caller that modified them during the save.
state::WrittenFile StagedSource::write(storage::File& file, const std::string& file_name, const state::StateGroup& group) {
  const Staging::GroupPlan& plan = staging_.plan_of(group);
  state::TensorFileWriter writer(file, plan.layout, lane_, stop.get(), limit_.get());
  if (staging_.mode() == StagingMode::borrow) {
    copier_.write(writer, plan.layout, true, events_.written);
  } else {
    write_copied(writer, plan);
  }
  std::string changed;
  state::WrittenFile written = writer.finish(file_name, &changed);
  if (!changed.empty()) {
    base::fail(base::Status::invalid_state, "tensor ", base::quote(changed), " of group ", base::quote(group.name),
               " was changed while the save borrowed it");
  }
  return written;
}

// Compares the staged copy, because the tensors' memory may have changed since. A stream that can be read only once is written
// without comparing.
bool StagedSource::holds_same(const state::GroupRecord& recorded, const state::StateGroup& group) {
  if (staging_.mode() == StagingMode::borrow) return state::holds_same_tensors(recorded, group);
  const Staging::GroupPlan& plan = staging_.plan_of(group);
  return staging_.repeatable() &&
         state::holds_same_tensors(recorded, plan.layout, [&](std::size_t tensor, std::int64_t offset, std::int64_t max) {
           storage::require_running(stop.get());
           const std::int64_t position = plan.begin + plan.layout.entries[tensor].offset + offset;
           return staging_.read(position, position + max);
         });
}

}  // namespace ckpt::async
