// States of the ranks of a run: tensors with known bytes, split in many ways.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "state/box.h"
#include "state/state.h"
#include "thread_ranks.h"

namespace ckpt::tests {

using Blocks = std::function<std::vector<state::Box>(const state::Lengths& shape, std::int64_t rank, std::int64_t ranks)>;

// A tensor of all ranks; without blocks every rank has all of it.
struct WholeTensor {
  std::string name;
  tensor::Dtype dtype{};
  state::Lengths shape;
  Blocks blocks;
};

inline std::pair<std::int64_t, std::int64_t> share(std::int64_t length, std::int64_t rank, std::int64_t ranks,
                                                   std::int64_t step = 1) {
  const std::int64_t each = ((length + step - 1) / step + ranks - 1) / ranks * step;
  const std::int64_t begin = std::min(length, rank * each);
  return {begin, std::min(length, begin + each) - begin};
}

// One block per rank along an axis, in multiples of step; the last ranks may have none or an empty one.
inline Blocks along(std::size_t axis, std::int64_t step = 1) {
  return [=](const state::Lengths& shape, std::int64_t rank, std::int64_t ranks) {
    state::Box box = state::whole_box(shape);
    std::tie(box.offsets[axis], box.lengths[axis]) = share(shape[axis], rank, ranks, step);
    return std::vector{box};
  };
}
// A grid of two columns if possible, otherwise of one.
inline Blocks in_grid() {
  return [](const state::Lengths& shape, std::int64_t rank, std::int64_t ranks) {
    const std::int64_t columns = ranks % 2 == 0 ? 2 : 1;
    state::Box box = state::whole_box(shape);
    std::tie(box.offsets[0], box.lengths[0]) = share(shape[0], rank / columns, ranks / columns);
    std::tie(box.offsets[1], box.lengths[1]) = share(shape[1], rank % columns, columns);
    return std::vector{box};
  };
}
// Rows dealt round-robin.
inline Blocks dealt() {
  return [](const state::Lengths& shape, std::int64_t rank, std::int64_t ranks) {
    std::vector<state::Box> boxes;
    for (std::int64_t row = rank; row < shape[0]; row += ranks) {
      boxes.push_back(state::whole_box(shape));
      boxes.back().offsets[0] = row;
      boxes.back().lengths[0] = 1;
    }
    return boxes;
  };
}
// All on one rank.
inline Blocks all_on_last() {
  return [](const state::Lengths& shape, std::int64_t rank, std::int64_t ranks) {
    return rank + 1 == ranks ? std::vector{state::whole_box(shape)} : std::vector<state::Box>();
  };
}

inline std::vector<std::byte> new_bytes_of(const WholeTensor& tensor) {
  const std::int64_t bytes = state::whole_box(tensor.shape).elements() * tensor::dtype_bits(tensor.dtype) / 8;
  std::vector<std::byte> all(static_cast<std::size_t>(bytes));
  const bool is_boolean = tensor.dtype == tensor::Dtype::boolean;
  std::uint64_t number = std::hash<std::string>()(tensor.name);
  for (std::byte& byte : all) {
    number = number * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    byte = static_cast<std::byte>(number >> 56) & (is_boolean ? std::byte{1} : std::byte{255});
  }
  return all;
}
// Returns the bytes of a tensor, the same for every rank; computed once.
inline const std::vector<std::byte>& bytes_of(const WholeTensor& tensor) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, tensor::Dtype, state::Lengths>, std::vector<std::byte>> created;
  const std::lock_guard lock(mutex);
  std::vector<std::byte>& bytes = created[{tensor.name, tensor.dtype, tensor.shape}];
  if (bytes.empty()) bytes = new_bytes_of(tensor);
  return bytes;
}
// Returns a block's bytes of the tensor.
inline std::vector<std::byte> bytes_of(const WholeTensor& tensor, const state::Box& box) {
  const std::vector<std::byte>& all = bytes_of(tensor);
  const std::int64_t bits = tensor::dtype_bits(tensor.dtype);
  std::vector<std::byte> part(static_cast<std::size_t>(box.elements() * bits / 8));
  state::for_each_run(state::whole_box(tensor.shape), box, 0, state::whole_box(tensor.shape).elements(),
                      [&](const state::Run& run) {
                        std::memcpy(part.data() + run.to * bits / 8, all.data() + run.from * bits / 8,
                                    static_cast<std::size_t>(run.elements * bits / 8));
                      });
  return part;
}

// One rank's state with such tensors, in the group "model".
class RankState {
 public:
  RankState(std::vector<WholeTensor> tensors, std::int64_t rank, std::int64_t ranks) : tensors_(std::move(tensors)) {
    for (const WholeTensor& item : tensors_) {
      if (!item.blocks) {
        add(item, state::whole_box(item.shape));
        state.add_tensor("model", item.name, memory_.back().tensor);
        continue;
      }
      state.add_sharded("model", item.name, item.dtype, tensor::Shape(std::span(item.shape)));
      for (const state::Box& box : item.blocks(item.shape, rank, ranks)) {
        add(item, box);
        state.add_block("model", item.name, box.offsets, memory_.back().tensor);
      }
    }
  }

  RankState& fill() {
    for (const Memory& memory : memory_) std::ranges::copy(bytes_of(*memory.of, memory.box), memory.tensor->byte_span().begin());
    return *this;
  }
  RankState& clear() {
    for (const Memory& memory : memory_) {
      if (memory.tensor->bytes() > 0) std::memset(memory.tensor->data(), 0xEE, memory.tensor->byte_span().size());
    }
    return *this;
  }
  // Returns whether all bytes are those of fill(), or of clear().
  bool is_filled() const {
    return std::ranges::all_of(memory_, [](const Memory& memory) {
      const std::vector<std::byte> expected = bytes_of(*memory.of, memory.box);
      const bool is_alike = expected.empty() || std::memcmp(expected.data(), memory.tensor->data(), expected.size()) == 0;
      EXPECT_TRUE(is_alike) << memory.of->name << ' ' << state::to_text(memory.box);
      return is_alike;
    });
  }
  bool is_clear() const {
    return std::ranges::all_of(memory_, [](const Memory& memory) {
      const auto bytes = memory.tensor->byte_span();
      // The first byte is right, and each byte equals the one before it.
      return bytes.empty() || (bytes[0] == std::byte{0xEE} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
    });
  }
  std::int64_t bytes() const {
    std::int64_t bytes = 0;
    for (const Memory& memory : memory_) bytes += memory.tensor->bytes();
    return bytes;
  }

  state::State state;

 private:
  struct Memory {
    const WholeTensor* of;
    state::Box box;
    std::shared_ptr<tensor::Tensor> tensor;
  };
  void add(const WholeTensor& item, const state::Box& box) {
    memory_.push_back({&item, box, tensor::Tensor::create(item.dtype, tensor::Shape(std::span(box.lengths)))});
  }

  const std::vector<WholeTensor> tensors_;
  std::vector<Memory> memory_;
};

}  // namespace ckpt::tests
