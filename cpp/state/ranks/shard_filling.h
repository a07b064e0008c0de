// Loads tensors of any checkpoint into tensors or blocks of this rank: the counterpart of Filling for sharded checkpoints and
// states.
//
// A single process, or a rank alone, reads from each block of the checkpoint the range that its own blocks need. Ranks that load
// together do the same for tensors of which they need contiguous rows. Tensors that all ranks load completely, and those of which a
// rank would read much unneeded data, are read only once, by all ranks together (Exchange).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "state/filling.h"
#include "state/load_options.h"
#include "state/manifest.h"
#include "state/name_map.h"
#include "state/ranks/block_files.h"
#include "state/ranks/block_reads.h"
#include "state/ranks/collective.h"
#include "state/ranks/exchange.h"
#include "state/state.h"
#include "storage/storage.h"

namespace ckpt::state {

class ShardFilling final : public Filler {
 public:
  // As for Filling. is_alone: no other rank loads together with this one; cached files are then read twice instead of being kept in
  // memory in between.
  ShardFilling(storage::Storage& storage, std::string directory, const LoadOptions& options, const NameMap& names,
               base::Progress& progress, bool& has_begun, bool is_alone);

  // The manifest must outlive this object, also for plan.
  void read(const Manifest& manifest, const State& state) override;
  void require_fit() const override;
  void write() override;

  // For several ranks, call in this order. Determines the targets; reads nothing.
  void plan(const Manifest& manifest, const State& state);
  // Collective: checks that all ranks have the same plan, and selects what they read together.
  void agree(Collective& collective);
  // Collective. Throws only errors of the collective; require_read throws those of the checkpoint and of this rank, require_intact
  // those of bytes that changed between ranks.
  void read_together(Collective& collective);
  void require_read() const;
  void require_intact() const;

 private:
  struct Target {
    Box box;
    std::shared_ptr<tensor::Tensor> tensor;
    std::unique_ptr<std::byte[]> copy = {};  // allocated when needed
  };
  // A tensor in both the checkpoint and the state.
  struct Wanted {
    const std::string& group;
    const TensorRecord& record;
    bool is_sharded = false;
    bool is_shared = false;  // read by all ranks together
    tensor::Dtype to{};
    Converter convert = nullptr;
    std::vector<Target> targets = {};
  };
  // A block of the checkpoint that intersects a target.
  struct Link {
    std::int64_t part = 0;
    std::uint32_t wanted = 0;
    std::uint32_t target = 0;
    std::int64_t number = 0;
  };
  struct Need {
    std::uint32_t wanted = 0;
    Placement::Block block;
    std::vector<std::uint32_t> targets = {};
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges = {};  // ranges of its bytes, ascending
  };
  struct Kept {
    std::shared_ptr<const Need> need;
    StoredBlock stored;
  };

  void add_wanted(const std::string& group, const TensorRecord& record, bool is_sharded, tensor::Dtype to,
                  std::vector<Target> targets);
  Digest plan_digest() const;
  bool reads_much(const Wanted& wanted) const;
  TensorPlace place_of(const Wanted& wanted, const Box& box) const;
  void link_own();
  void share_rest(const Collective& collective);
  void for_each_need(const std::function<void(Need&& need)>& take) const;
  std::int64_t own_bytes() const;
  void read_own();
  void begin_in_place();
  void make_copies(const Need& need);
  void make_shared_copies();
  bool may_keep(const std::shared_ptr<const BlockFile>& file) const;
  void read_pieces(std::span<const Exchange::Piece> pieces, std::span<std::byte> into);
  void take_piece(const Exchange::Piece& piece, std::span<const std::byte> bytes);
  // Returns where the elements of a target are written; nullptr if they are only checked.
  std::byte* destination(const Target& target, bool is_kept, bool is_second) const;
  void take(const Need& need, bool is_kept, bool is_second, std::int64_t at, std::span<const std::byte> bytes);
  void note_misfit(const Wanted& wanted, const Box& box, std::int64_t position);
  bool targets_overlap() const;

  storage::Storage& storage_;
  const std::string directory_;
  const LoadOptions& options_;
  const NameMap& names_;
  base::Progress& progress_;
  bool& has_begun_;
  const bool is_alone_;
  bool is_serial_ = false;  // targets share memory
  std::vector<Wanted> wanted_;
  std::vector<Link> links_;  // in the order of their blocks in the checkpoint
  std::optional<Exchange> exchange_;
  std::optional<BlockFiles> files_;
  std::vector<Kept> kept_;
  std::set<std::shared_ptr<const BlockFile>> kept_files_;
  std::exception_ptr failure_;
  std::mutex misfits_;
  std::string misfit_;                                 // description of the first element that cannot be converted, "" if all can
  std::pair<std::ptrdiff_t, std::int64_t> misfit_at_;  // lowest tensor and element that cannot be converted
};

}  // namespace ckpt::state
