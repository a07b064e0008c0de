// Small states, and helpers that modify the files of their checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "scratch.h"
#include "state/manager/checkpoint.h"
#include "storage/file_system.h"
#include "storage/memory.h"

namespace ckpt::tests {

// Two groups; every element of every tensor has the same value, so that a mixture of two checkpoints is detected.
class Model {
 public:
  explicit Model(float value) {
    add("model", "weight", {2, 3});
    add("model", "bias", {3});
    add("optimizer", "moment", {2, 3});
    fill(value);
  }

  void fill(float value) {
    for (const auto& tensor : tensors_) {
      for (std::int64_t i = 0; i < tensor->shape().elements(); ++i) tensor->data_as<float>()[i] = value;
    }
    state.set_json("value", base::cat(value));
  }

  // Returns the value of all elements; NaN if they differ.
  float value() const {
    const float first = tensors_.front()->data_as<float>()[0];
    for (const auto& tensor : tensors_) {
      for (std::int64_t i = 0; i < tensor->shape().elements(); ++i) {
        if (tensor->data_as<float>()[i] != first) return std::numeric_limits<float>::quiet_NaN();
      }
    }
    return state.json("value") == base::cat(first) ? first : std::numeric_limits<float>::quiet_NaN();
  }

  state::State state;

 private:
  void add(const char* group, const char* name, tensor::Shape shape) {
    tensors_.push_back(tensor::Tensor::create(tensor::Dtype::f32, shape));
    state.add_tensor(group, name, tensors_.back());
  }
  std::vector<std::shared_ptr<tensor::Tensor>> tensors_;
};

// Saves a Model with the step as its value.
inline state::SaveResult save_step(state::Checkpoint& checkpoint, int step) {
  Model model(static_cast<float>(step));
  state::SaveOptions options;
  options.step = step;
  return checkpoint.save(model.state, options);
}

inline std::shared_ptr<storage::Storage> disk_in(const Scratch& scratch) {
  return storage::open_file_system(scratch.path(), storage::Root::must_exist);
}

inline state::CheckpointOptions keeping(std::int64_t last) {
  state::CheckpointOptions options;
  options.keep_last = last;
  return options;
}

inline state::CheckpointOptions read_only() {
  state::CheckpointOptions options;
  options.read_only = true;
  return options;
}

// Returns the listed steps, such as "330 320? | 600 ": abandoned checkpoints follow the bar, '?' marks damaged ones.
inline std::string steps_in(state::Checkpoint& checkpoint) {
  std::string steps;
  bool has_bar = false;
  for (const state::Found& found : checkpoint.list()) {
    if (found.abandoned && !std::exchange(has_bar, true)) steps += "| ";
    steps += base::cat(found.step, found.condition == state::Condition::complete ? " " : "? ");
  }
  return steps;
}

inline std::string read_file(storage::Storage& storage, const std::string& path) {
  const auto file = storage.open(path);
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  file->read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

inline void replace_file(storage::Storage& storage, const std::string& path, const std::string& text) {
  storage.remove(path);
  const auto file = storage.create(path);
  file->write(0, std::as_bytes(std::span(text)));
  file->sync();
}

// Returns "name/ name " of everything in a directory; with short_names, attempts appear without their random digits.
inline std::string names_in(storage::Storage& storage, const std::string& directory) {
  std::string out;
  for (const auto& entry : storage.list(directory)) out += entry.name + (entry.is_directory ? "/ " : " ");
  return out;
}

// Collects warnings during its lifetime.
class Warnings {
 public:
  Warnings() {
    base::set_log(base::LogLevel::warning, [this](base::LogLevel, const char* component, const char* message) {
      text_ += base::cat(component, ": ", message, '\n');
    });
  }
  ~Warnings() { base::set_log(base::LogLevel::warning, {}); }
  const std::string& text() const { return text_; }
  bool mention(const std::string& what) const { return text_.find(what) != std::string::npos; }

 private:
  std::string text_;
};

}  // namespace ckpt::tests
