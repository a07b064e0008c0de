#include "plan/schedule.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace ckpt::plan {

using base::fail;
using base::require;
using base::Status;

namespace {

// A saved cursor. Written in the machine's byte order; the magic number rejects other byte orders.
struct SavedCursor {
  std::uint64_t magic = 0x3172737275636b63U;  // "ckcursr1", little endian
  std::uint64_t fingerprint = 0;
  std::int64_t layers = 0;
  Position position{};
  std::int32_t taken = 0;
  std::int32_t ended = 0;
  std::uint64_t check = 0;  // checksum of all bytes before
};
static_assert(sizeof(SavedCursor) == 72);

std::uint64_t check_of(const SavedCursor& saved) {
  Fingerprint check;
  check.add_bytes(std::as_bytes(std::span(&saved, 1)).first(offsetof(SavedCursor, check)));
  return check.value();
}

std::uint64_t fingerprint_of(const std::string& name, std::int64_t layers, const ActionSource& source) {
  Fingerprint fingerprint;
  fingerprint.add_bytes(std::as_bytes(std::span(name)));
  fingerprint.add(layers);
  source.describe(fingerprint);
  return fingerprint.value();
}

class PositionStream final : public ActionStream {
 public:
  PositionStream(const PositionSource& source, std::int64_t layers) : source_(source), layers_(layers), position_(source.start()) {}

  Position position() const override { return position_; }

  void next(ActionGroup& group) override {
    Position after{};
    source_.group_at(position_, layers_, group, after);
    position_ = after;
  }

  bool seek(const Position& position) override {
    position_ = position;
    return source_.is_position(position, layers_);
  }

 private:
  const PositionSource& source_;
  std::int64_t layers_;
  Position position_;
};

}  // namespace

std::unique_ptr<ActionStream> PositionSource::open(std::int64_t layers) const {
  return std::make_unique<PositionStream>(*this, layers);
}

std::int64_t StageRole::chunk_beginning_at(std::int64_t index) const {
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (chunks[c].begin == index) return static_cast<std::int64_t>(c);
  }
  return -1;
}

std::int64_t StageRole::chunk_ending_at(std::int64_t index) const {
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (chunks[c].end == index) return static_cast<std::int64_t>(c);
  }
  return -1;
}

Schedule::Schedule(std::string name, std::int64_t layers, std::unique_ptr<const ActionSource> source, StageRole role,
                   std::shared_ptr<const GraphEdges> graph)
    : name_(std::move(name)),
      layers_(layers),
      source_(std::move(source)),
      role_(std::move(role)),
      graph_(std::move(graph)),
      fingerprint_(fingerprint_of(name_, layers_, *source_)) {}

std::shared_ptr<const Schedule> with_left_out(const Schedule& schedule, std::string left_out) {
  auto noted = std::make_shared<Schedule>(schedule);
  noted->left_out_ = std::move(left_out);
  return noted;
}

Cursor::Cursor(std::shared_ptr<const Schedule> schedule)
    : schedule_(std::move(schedule)), layers_(schedule_->layers()), stream_(schedule_->source().open(layers_)) {
  take_group();
}

void Cursor::take_group() {
  position_ = stream_->position();
  group_.clear();
  stream_->next(group_);
}

Action Cursor::next() {
  if (taken_ == group_.size()) {
    if (ended_) return end();
    taken_ = 0;
    take_group();
  }
  const Action action = group_[taken_++];
  ended_ = ended_ || action.kind == Kind::end;
  return action;
}

std::int64_t Cursor::next_many(std::span<Action> actions) {
  std::int64_t count = 0;
  while (!ended_ && count < static_cast<std::int64_t>(actions.size())) actions[static_cast<std::size_t>(count++)] = next();
  return count;
}

void Cursor::finalize(std::int64_t layers) {
  if (layers_ >= 0) fail(Status::invalid_state, "layer_count is ", layers, "; the number of steps is already set to ", layers_);
  // The current group counts as handed out once one of its actions was.
  const std::int64_t steps = schedule_->source().steps_before(taken_ == 0 ? position_ : stream_->position());
  require(layers >= 1 && layers >= steps, "layer_count is ", layers, "; expected at least 1 and at least the ", steps,
          " steps handed out");
  auto stream = schedule_->source().open(layers);
  if (!stream->seek(position_)) fail(Status::internal, "the cursor's position does not exist with the number of steps ", layers);
  stream_ = std::move(stream);
  layers_ = layers;
  take_group();  // the actions already handed out of the current group do not depend on the number
}

std::vector<std::byte> Cursor::save() const {
  SavedCursor saved;
  saved.fingerprint = schedule_->fingerprint();
  saved.layers = layers_;
  saved.position = position_;
  saved.taken = taken_;
  saved.ended = ended_ ? 1 : 0;
  saved.check = check_of(saved);
  const auto bytes = std::as_bytes(std::span(&saved, 1));
  return {bytes.begin(), bytes.end()};
}

void Cursor::restore(std::span<const std::byte> bytes) {
  SavedCursor saved;
  const std::uint64_t magic = saved.magic;
  if (bytes.size() != sizeof saved)
    fail(Status::corrupt, "bytes is ", bytes.size(), "; expected ", sizeof saved, " bytes of a saved cursor");
  std::memcpy(&saved, bytes.data(), sizeof saved);
  if (saved.magic != magic || saved.check != check_of(saved)) fail(Status::corrupt, "bytes are not a saved cursor");
  require(saved.fingerprint == schedule_->fingerprint(), "bytes are a cursor of a different schedule; expected ",
          base::quote(schedule_->name()));
  const bool layers_fit = schedule_->layers() < 0 ? saved.layers >= -1 && saved.layers != 0 : saved.layers == schedule_->layers();
  std::unique_ptr<ActionStream> stream = layers_fit ? schedule_->source().open(saved.layers) : nullptr;
  if (stream == nullptr || !stream->seek(saved.position)) fail(Status::corrupt, "bytes contain a position outside the schedule");
  ActionGroup group;
  stream->next(group);
  if (saved.taken < 0 || saved.taken > group.size()) fail(Status::corrupt, "bytes contain a position outside the schedule");
  layers_ = saved.layers;
  stream_ = std::move(stream);
  position_ = saved.position;
  group_ = group;
  taken_ = saved.taken;
  ended_ = saved.ended != 0;
}

}  // namespace ckpt::plan
