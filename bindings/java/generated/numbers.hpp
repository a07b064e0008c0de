// Generated from include/ckpt by tools/api: do not edit.
#ifndef CKPT_JAVA_NUMBERS_HPP
#define CKPT_JAVA_NUMBERS_HPP

#include <ckpt/ckpt.h>

#include <array>
#include <cstdint>

namespace ckpt_java {

inline std::array<std::int64_t, 9> numbers_of(const ckpt_schedule_action& from) {
  std::array<std::int64_t, 9> numbers;
  numbers[0] = static_cast<std::int64_t>(from.kind);
  numbers[1] = static_cast<std::int64_t>(from.micro_batch);
  numbers[2] = static_cast<std::int64_t>(from.first);
  numbers[3] = static_cast<std::int64_t>(from.last);
  numbers[4] = static_cast<std::int64_t>(from.option);
  numbers[5] = static_cast<std::int64_t>(from.item);
  numbers[6] = static_cast<std::int64_t>(from.tier);
  numbers[7] = static_cast<std::int64_t>(from.slot);
  numbers[8] = static_cast<std::int64_t>(from.transfer);
  return numbers;
}
inline void read(const std::int64_t* from, ckpt_schedule_action* into) {
  into->kind = static_cast<ckpt_action_kind>(from[0]);
  into->micro_batch = static_cast<int32_t>(from[1]);
  into->first = static_cast<int64_t>(from[2]);
  into->last = static_cast<int64_t>(from[3]);
  into->option = static_cast<int32_t>(from[4]);
  into->item = static_cast<ckpt_item>(from[5]);
  into->tier = static_cast<int32_t>(from[6]);
  into->slot = static_cast<int32_t>(from[7]);
  into->transfer = static_cast<int64_t>(from[8]);
}

inline std::array<std::int64_t, 3> numbers_of(const ckpt_layer_option& from) {
  std::array<std::int64_t, 3> numbers;
  numbers[0] = static_cast<std::int64_t>(from.tape_bytes);
  numbers[1] = static_cast<std::int64_t>(from.forward_workspace_bytes);
  numbers[2] = static_cast<std::int64_t>(from.backward_workspace_bytes);
  return numbers;
}
inline void read(const std::int64_t* from, ckpt_layer_option* into) {
  into->tape_bytes = static_cast<int64_t>(from[0]);
  into->forward_workspace_bytes = static_cast<int64_t>(from[1]);
  into->backward_workspace_bytes = static_cast<int64_t>(from[2]);
}

inline std::array<std::int64_t, 6> numbers_of(const ckpt_pipeline_interval& from) {
  std::array<std::int64_t, 6> numbers;
  numbers[0] = static_cast<std::int64_t>(from.kind);
  numbers[1] = static_cast<std::int64_t>(from.stage);
  numbers[2] = static_cast<std::int64_t>(from.chunk);
  numbers[3] = static_cast<std::int64_t>(from.micro_batch);
  numbers[4] = static_cast<std::int64_t>(from.begin_at_ns);
  numbers[5] = static_cast<std::int64_t>(from.end_at_ns);
  return numbers;
}

inline std::array<std::int64_t, 12> numbers_of(const ckpt_drive_call& from) {
  std::array<std::int64_t, 12> numbers;
  numbers[0] = static_cast<std::int64_t>(from.kind);
  numbers[1] = static_cast<std::int64_t>(from.flags);
  numbers[2] = static_cast<std::int64_t>(from.first);
  numbers[3] = static_cast<std::int64_t>(from.last);
  numbers[4] = static_cast<std::int64_t>(from.option);
  numbers[5] = static_cast<std::int64_t>(from.micro_batch);
  numbers[6] = static_cast<std::int64_t>(from.item);
  numbers[7] = static_cast<std::int64_t>(from.tier);
  numbers[8] = static_cast<std::int64_t>(from.slot);
  numbers[9] = static_cast<std::int64_t>(from.transfer);
  numbers[10] = static_cast<std::int64_t>(from.action);
  numbers[11] = static_cast<std::int64_t>(from.layers);
  return numbers;
}

inline std::array<std::int64_t, 10> numbers_of(const ckpt_program_buffer& from) {
  std::array<std::int64_t, 10> numbers;
  numbers[0] = static_cast<std::int64_t>(from.bytes);
  numbers[1] = static_cast<std::int64_t>(from.offset);
  numbers[2] = static_cast<std::int64_t>(from.first);
  numbers[3] = static_cast<std::int64_t>(from.last);
  numbers[4] = static_cast<std::int64_t>(from.index);
  numbers[5] = static_cast<std::int64_t>(from.item);
  numbers[6] = static_cast<std::int64_t>(from.tier);
  numbers[7] = static_cast<std::int64_t>(from.option);
  numbers[8] = static_cast<std::int64_t>(from.micro_batch);
  numbers[9] = static_cast<std::int64_t>(from.slot);
  return numbers;
}

inline std::array<std::int64_t, 16> numbers_of(const ckpt_program_operation& from) {
  std::array<std::int64_t, 16> numbers;
  numbers[0] = static_cast<std::int64_t>(from.kind);
  numbers[1] = static_cast<std::int64_t>(from.flags);
  numbers[2] = static_cast<std::int64_t>(from.layer);
  numbers[3] = static_cast<std::int64_t>(from.option);
  numbers[4] = static_cast<std::int64_t>(from.micro_batch);
  numbers[5] = static_cast<std::int64_t>(from.stream);
  numbers[6] = static_cast<std::int64_t>(from.transfer);
  numbers[7] = static_cast<std::int64_t>(from.input);
  numbers[8] = static_cast<std::int64_t>(from.output);
  numbers[9] = static_cast<std::int64_t>(from.tape);
  numbers[10] = static_cast<std::int64_t>(from.workspace);
  numbers[11] = static_cast<std::int64_t>(from.grad_output);
  numbers[12] = static_cast<std::int64_t>(from.grad_input);
  numbers[13] = static_cast<std::int64_t>(from.ambient);
  numbers[14] = static_cast<std::int64_t>(from.present_ambient);
  numbers[15] = static_cast<std::int64_t>(from.action);
  return numbers;
}

}  // namespace ckpt_java

#endif  // CKPT_JAVA_NUMBERS_HPP
