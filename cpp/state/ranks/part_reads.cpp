#include "state/ranks/part_reads.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/thread_pool.h"
#include "state/checkpoint_files.h"
#include "state/rank_names.h"

namespace ckpt::state {
namespace {

// Reader threads mostly wait for the storage.
constexpr std::int64_t max_at_once = 16;
// Limit of the JSON bytes read concurrently; in memory they take several times their size.
constexpr std::int64_t max_bytes_at_once = std::int64_t{256} << 10;

// Storages implemented by callbacks are only called on the caller's thread.
bool allows_threads(storage::Storage& storage, const std::string& directory, std::int64_t world_size) {
  return storage.is_objects() || storage.open(path_in(directory, part_name(0, world_size)))->is_cached();
}

std::unique_ptr<base::ThreadPool> pool_for(storage::Storage& storage, const std::string& directory, std::int64_t world_size) {
  const bool many = world_size > 2 && allows_threads(storage, directory, world_size);
  return std::make_unique<base::ThreadPool>(static_cast<std::int32_t>(many ? std::min(max_at_once, world_size - 1) : 1));
}

}  // namespace

std::vector<PartTail> read_part_tails(storage::Storage& storage, const std::string& directory, const PartTail& own,
                                      std::int64_t world_size) {
  std::vector<PartTail> tails(static_cast<std::size_t>(world_size));
  tails[0] = own;
  pool_for(storage, directory, world_size)->run(world_size - 1, [&](std::int64_t number) {
    tails[static_cast<std::size_t>(number + 1)] = read_part_tail(storage, directory, number + 1, world_size);
  });
  return tails;
}

void for_each_part(storage::Storage& storage, const std::string& directory, const Manifest& manifest,
                   const std::function<void(const Part& part)>& take) {
  const auto pool = pool_for(storage, directory, manifest.world_size);
  std::vector<std::optional<Part>> parts;
  for (std::int64_t begin = 0; begin < manifest.world_size; begin += std::ssize(parts)) {
    std::int64_t end = begin;
    for (std::int64_t bytes = 0; end < manifest.world_size && end - begin < max_at_once; ++end) {
      bytes += manifest.parts[static_cast<std::size_t>(end)].bytes;
      if (end > begin && bytes > max_bytes_at_once) break;
    }
    parts.assign(static_cast<std::size_t>(end - begin), std::nullopt);
    pool->run(end - begin, [&](std::int64_t number) {
      parts[static_cast<std::size_t>(number)] = read_part(storage, directory, manifest, begin + number);
    });
    for (std::optional<Part>& part : parts) {
      take(*part);
      part.reset();
    }
  }
}

}  // namespace ckpt::state
