// The data source of a background save: the staged bytes, with checksums from another thread than the writer's.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "async/hash_lane.h"
#include "async/staging.h"
#include "state/save.h"
#include "state/tensor_writer.h"
#include "storage/rate_limit.h"

namespace ckpt::async {

class StagedSource final : public state::SaveSource {
 public:
  struct Events {
    std::function<void(std::int64_t bytes)> written;  // called with the number of additional bytes
    std::function<void()> commit_point;               // may throw Error(cancelled)
    std::function<void()> acknowledged;
  };

  // limit may be nullptr.
  StagedSource(Staging& staging, HashLane& lane, std::shared_ptr<storage::RateLimit> limit,
               std::shared_ptr<const std::atomic<bool>> stop_flag, Events events);

  std::int64_t file_bytes(const state::StateGroup& group) override;
  state::WrittenFile write(storage::File& file, const std::string& file_name, const state::StateGroup& group) override;
  bool holds_same(const state::GroupRecord& recorded, const state::StateGroup& group) override;
  void commit_point() override { events_.commit_point(); }
  void acknowledged() override { events_.acknowledged(); }

 private:
  void write_copied(state::TensorFileWriter& writer, const Staging::GroupPlan& plan);

  Staging& staging_;
  HashLane& lane_;
  state::TensorCopier copier_;  // for borrowed bytes
  std::shared_ptr<storage::RateLimit> limit_;
  Events events_;
};

}  // namespace ckpt::async
