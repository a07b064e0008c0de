// States of the ranks of a run, and the contents of their checkpoints, read without a load.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "scratch.h"
#include "state/manager/checkpoint.h"
#include "state/ranks/part.h"
#include "storage/file_system.h"
#include "thread_ranks.h"

namespace ckpt::tests {

using state::Lengths;

inline std::shared_ptr<storage::Storage> disk_at(const std::string& path) {
  return storage::open_file_system(path, storage::Root::make);
}

constexpr std::int64_t second = 1'000'000'000;

inline std::shared_ptr<tensor::Tensor> numbers(const Lengths& shape, float first) {
  auto tensor = tensor::Tensor::create(tensor::Dtype::f32, tensor::Shape(std::span(shape)));
  std::iota(tensor->data_as<float>(), tensor->data_as<float>() + tensor->shape().elements(), first);
  return tensor;
}

// Returns rows [begin, end) of a tensor of numbers.
inline std::shared_ptr<tensor::Tensor> rows(const Lengths& shape, std::int64_t begin, std::int64_t end, float first) {
  Lengths lengths = shape;
  lengths[0] = end - begin;
  const std::int64_t row = state::whole_box(shape).elements() / shape[0];
  return numbers(lengths, first + static_cast<float>(begin * row));
}

// Returns a rank's state: "weight" by rows, "bias" and "table" complete.
inline state::State state_of(std::int64_t rank, std::int64_t ranks, float first = 0) {
  state::State state;
  const Lengths shape{13, 4};
  state.add_sharded("model", "weight", tensor::Dtype::f32, tensor::Shape(std::span(shape)));
  const std::int64_t begin = 13 * rank / ranks;
  const std::int64_t end = 13 * (rank + 1) / ranks;
  state.add_block("model", "weight", {begin, 0}, rows(shape, begin, end, first));
  state.add_tensor("model", "bias", numbers({5}, first));
  state.add_tensor("optimizer", "table", numbers({300, 400}, first));
  state.set_json("epoch", "3");
  state.set_json("data_position", base::cat(100 + rank));
  return state;
}

inline state::CheckpointOptions of_rank(ThreadRanks& ranks, std::int64_t rank, std::int64_t timeout_ns = 30 * second) {
  state::CheckpointOptions options;
  options.coordinator = ranks.coordinator(rank);
  options.timeout_ns = timeout_ns;
  return options;
}

inline state::SaveOptions of_step(std::int64_t step) {
  state::SaveOptions options;
  options.step = step;
  return options;
}

// Assembles a tensor from the blocks in a checkpoint, as described by its manifest.
inline std::vector<float> saved_tensor(storage::Storage& storage, const std::string& name, const std::string& group,
                                       const std::string& tensor) {
  const state::Manifest manifest = state::parsed_manifest(name, state::manifest_text(storage, name));
  for (const state::GroupRecord& record : manifest.groups) {
    for (const state::TensorRecord& item : record.tensors) {
      if (record.name != group || item.name != tensor) continue;
      const state::Box whole = state::whole_box(item.shape);
      std::vector<float> values(static_cast<std::size_t>(whole.elements()), -1);
      item.placement->for_each_block([&](const state::Box& box, std::int64_t part) {
        const state::Part read = state::read_part(storage, name, manifest, part);
        for (const state::GroupRecord& in_part : read.groups) {
          for (const state::TensorRecord& block : in_part.tensors) {
            if (in_part.name != group || state::tensor_of(block) != tensor || state::box_of(block) != box) continue;
            const auto file = storage.open(state::path_in(name, block.file));
            const state::Header header = state::read_header(*file);
            const auto entry = std::ranges::find(header.tensors, block.name, &state::TensorEntry::name);
            std::vector<float> bytes(static_cast<std::size_t>(box.elements()));
            file->read(header.data_start + entry->offset, std::as_writable_bytes(std::span(bytes)));
            state::for_each_run(box, whole, 0, box.elements(), [&](const state::Run& run) {
              std::copy_n(bytes.begin() + run.from, run.elements, values.begin() + run.to);
            });
          }
        }
      });
      return values;
    }
  }
  return {};
}

inline std::vector<float> counted(std::int64_t elements, float first) {
  std::vector<float> values(static_cast<std::size_t>(elements));
  std::iota(values.begin(), values.end(), first);
  return values;
}

inline void expect_saved(storage::Storage& storage, const std::string& name, float first) {
  EXPECT_EQ(saved_tensor(storage, name, "model", "weight"), counted(13 * 4, first));
  EXPECT_EQ(saved_tensor(storage, name, "model", "bias"), counted(5, first));
  EXPECT_EQ(saved_tensor(storage, name, "optimizer", "table"), counted(300 * 400, first));
}

}  // namespace ckpt::tests
