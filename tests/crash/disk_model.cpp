#include "disk_model.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "base/error.h"
#include "storage/memory.h"

namespace ckpt::tests {
namespace {

// The contents of one modified block after the crash.
enum BlockOutcome : std::uint64_t { old_bytes, new_bytes, torn, stale, outcomes };

std::string leaf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Returns bytes left over from a deleted file.
char stale_byte(std::size_t at) { return static_cast<char>(0xA5 ^ (at * 7)); }

void put_block(std::string& out, const std::string& now, const std::string& before, std::size_t block, std::uint64_t outcome) {
  const std::size_t begin = block * DiskModel::block_bytes;
  const std::size_t end = std::min(begin + DiskModel::block_bytes, out.size());
  for (std::size_t i = begin; i < end; ++i) {
    const bool is_new = outcome == new_bytes || (outcome == torn && i - begin < DiskModel::block_bytes / 2);
    if (outcome == stale) {
      out[i] = stale_byte(i);
    } else {
      out[i] = is_new ? now[i] : i < before.size() ? before[i] : '\0';
    }
  }
}

}  // namespace

std::string describe(const Image& image) {
  std::string out;
  for (const auto& [path, bytes] : image) {
    out += bytes ? base::cat("  ", path, ": ", bytes->size(), " bytes\n") : base::cat("  ", path, "/\n");
  }
  return out;
}

std::shared_ptr<storage::Storage> disk_of(const Image& image) {
  auto disk = storage::make_memory_storage();
  for (const auto& [path, bytes] : image) {
    if (bytes) {
      disk->create(path)->write(0, std::as_bytes(std::span(*bytes)));
    } else {
      disk->make_directory(path);
    }
  }
  return disk;
}

DiskModel::DiskModel(const Image& image) {
  make(true);
  for (const auto& [path, bytes] : image) {
    const std::size_t node = make(!bytes.has_value());
    nodes_[node].bytes = nodes_[node].durable_bytes = bytes.value_or("");
    Node& above = nodes_[find(std::string(storage::parent(path)))];
    above.names[leaf(path)] = above.durable_names[leaf(path)] = node;
  }
}

std::size_t DiskModel::find(const std::string& path) const {
  std::size_t node = 0;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    node = nodes_[node].names.at(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return node;
}

std::size_t DiskModel::make(bool is_directory) {
  nodes_.emplace_back().is_directory = is_directory;
  return nodes_.size() - 1;
}

void DiskModel::change(const std::string& directory, NameChange given) {
  Node& node = nodes_[find(directory)];
  given.time = time_++;
  if (!given.erased.empty()) node.names.erase(given.erased);
  if (!given.set.empty()) node.names[given.set] = given.node;
  node.changes.push_back(std::move(given));
}

void DiskModel::apply(const Operation& operation) {
  const std::string above(storage::parent(operation.path));
  switch (operation.kind) {
    case Kind::create:
    case Kind::make_directory: change(above, {"", leaf(operation.path), make(operation.kind == Kind::make_directory)}); break;
    case Kind::write: {
      Node& node = nodes_[find(operation.path)];
      const auto begin = static_cast<std::size_t>(operation.offset);
      const std::size_t end = begin + operation.bytes.size();
      node.bytes.resize(std::max(node.bytes.size(), end));
      node.bytes.replace(begin, operation.bytes.size(), operation.bytes);
      for (std::size_t block = begin / block_bytes; block * block_bytes < end; ++block) node.touched[block] = true;
      break;
    }
    case Kind::sync: {
      Node& node = nodes_[find(operation.path)];
      node.durable_bytes = node.bytes;
      node.touched.clear();
      break;
    }
    case Kind::rename:
      if (storage::parent(operation.to) != above) throw std::logic_error("renames between directories are not modelled");
      change(above, {leaf(operation.path), leaf(operation.to), find(operation.path)});
      break;
    case Kind::link: change(std::string(storage::parent(operation.to)), {"", leaf(operation.to), find(operation.path)}); break;
    case Kind::remove:
    case Kind::remove_directory: change(above, {leaf(operation.path), "", 0}); break;
    case Kind::sync_directory: {
      Node& node = nodes_[find(operation.path)];
      node.durable_names = node.names;
      node.changes.clear();
      break;
    }
    case Kind::acknowledge:
    case Kind::pin:
    case Kind::watch: break;
  }
}

// Returns one digit for each change of a name (0: lost), then for each file with unsynced bytes one for its length and one per
// block.
std::vector<std::uint64_t> DiskModel::radices() const {
  std::vector<std::uint64_t> out;
  for (const Node& node : nodes_) out.insert(out.end(), node.changes.size(), 2);
  for (const Node& node : nodes_) {
    if (node.touched.empty()) continue;
    out.push_back(node.touched.size() + 1);
    out.insert(out.end(), node.touched.size(), outcomes);
  }
  return out;
}

std::string DiskModel::bytes_of(const Node& node, const std::uint64_t*& digit) const {
  if (node.touched.empty()) return node.durable_bytes;
  std::string out = node.bytes;
  const std::uint64_t length = *digit++;
  for (const auto& [block, touched] : node.touched) put_block(out, node.bytes, node.durable_bytes, block, *digit++);
  // 0: the full length; otherwise the file ends at the start of one of the blocks, but never before the durable length.
  if (length > 0) {
    const std::size_t block = std::next(node.touched.begin(), static_cast<std::ptrdiff_t>(length - 1))->first;
    out.resize(std::max(node.durable_bytes.size(), block * block_bytes));
  }
  return out;
}

Image DiskModel::image_of(const std::vector<std::uint64_t>& digits) const {
  const std::uint64_t* digit = digits.data();
  std::vector<std::map<std::string, std::size_t>> names(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    names[i] = nodes_[i].durable_names;
    for (const NameChange& change : nodes_[i].changes) {
      if (*digit++ == 0) continue;
      if (!change.erased.empty()) names[i].erase(change.erased);
      if (!change.set.empty()) names[i][change.set] = change.node;
    }
  }
  std::vector<std::string> bytes(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) bytes[i] = bytes_of(nodes_[i], digit);

  Image image;
  const std::function<void(std::size_t, const std::string&)> walk = [&](std::size_t node, const std::string& path) {
    for (const auto& [name, below] : names[node]) {
      const std::string full = storage::join(path, name);
      if (nodes_[below].is_directory) {
        image.emplace_back(full, std::nullopt);
        walk(below, full);
      } else {
        image.emplace_back(full, bytes[below]);
      }
    }
  };
  walk(0, "");
  return image;
}

// In chronological order: for every k, the first k changes of names are durable; of unsynced bytes, either none or all.
std::vector<std::vector<std::uint64_t>> DiskModel::regular(const std::vector<std::uint64_t>& radices) const {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (const Node& node : nodes_) {
    for (const NameChange& change : node.changes) order.emplace_back(change.time, order.size());
  }
  const std::size_t changes = order.size();
  std::ranges::sort(order);
  std::vector<std::vector<std::uint64_t>> out;
  for (std::size_t lasted = 0; lasted <= changes; ++lasted) {
    for (const std::uint64_t outcome : {std::uint64_t{old_bytes}, std::uint64_t{new_bytes}}) {
      std::vector<std::uint64_t> digits(radices.size(), 0);
      for (std::size_t i = 0; i < lasted; ++i) digits[order[i].second] = 1;
      std::size_t at = changes;
      for (const Node& node : nodes_) {
        if (node.touched.empty()) continue;
        digits[at++] = 0;
        for (std::size_t i = 0; i < node.touched.size(); ++i) digits[at++] = outcome;
      }
      out.push_back(std::move(digits));
    }
  }
  return out;
}

void DiskModel::crash(std::uint64_t max, std::uint64_t seed, const std::function<void(const Image&)>& visit) const {
  const std::vector<std::uint64_t> radix = radices();
  std::uint64_t total = 1;
  for (const std::uint64_t r : radix) total = std::min(total * r, max + 1);
  if (total <= max) {
    std::vector<std::uint64_t> digits(radix.size(), 0);
    for (std::uint64_t i = 0; i < total; ++i) {
      visit(image_of(digits));
      for (std::size_t at = 0; at < digits.size() && ++digits[at] == radix[at]; ++at) digits[at] = 0;
    }
    return;
  }
  const auto first = regular(radix);
  for (const auto& digits : first) visit(image_of(digits));
  std::size_t changes = 0;
  for (const Node& node : nodes_) changes += node.changes.size();
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> digits(radix.size());
  for (std::uint64_t i = first.size(); i < max; ++i) {
    // Names are kept with high probability: if the name of a directory is lost, its contents make no difference.
    for (std::size_t at = 0; at < digits.size(); ++at) digits[at] = at < changes && random() % 8 != 0 ? 1 : random() % radix[at];
    visit(image_of(digits));
  }
}

Image DiskModel::now() const {
  const std::vector<std::uint64_t> radix = radices();
  return image_of(regular(radix).back());
}

}  // namespace ckpt::tests
