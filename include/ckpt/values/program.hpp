// Generated from include/ckpt by tools/api: do not edit.
// program.hpp - the values of program.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_PROGRAM_HPP
#define CKPT_VALUES_PROGRAM_HPP

#include <ckpt/program.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/plan.hpp>

namespace ckpt {

// How an operation runs: a sum of flags.
enum class OperationFlag : std::uint32_t {
  // the layer ran before in this step: its ambient state is restored first, from the buffer ambient
  again = CKPT_OPERATION_FLAG_AGAIN,
  // the result overwrites the operand: both buffers have the same offset
  in_place = CKPT_OPERATION_FLAG_IN_PLACE,
};
template <>
struct IsFlags<OperationFlag> : std::true_type {};

// A buffer, and the operations between which it is live.
struct ProgramBuffer {
  // number of bytes, >= 0
  std::int64_t bytes = 0;
  // offset in its tier's arena in bytes, a multiple of 64; negative for a buffer of 0 bytes
  std::int64_t offset = 0;
  // index of the operation that writes it first; negative for x_0, which exists from the start
  std::int64_t first = 0;
  // index of the last operation that uses it; the number of operations for GRAD(0), which outlives the step
  std::int64_t last = 0;
  // index i of INPUT(i) and GRAD(i); else the layer
  std::int64_t index = 0;
  // item that it holds: one of Item; NONE for workspace and ambient state
  Item item = Item::none;
  // tier of its arena: 0 memory; 1 .. 3 slower places
  std::int32_t tier = 0;
  // option of the layer, for a TAPE
  std::int32_t option = 0;
  // number of the micro-batch, from 0
  std::int32_t micro_batch = 0;
  // slot within the tier, for a tier above 0
  std::int32_t slot = 0;
};
namespace detail {
inline ProgramBuffer from_c(const ckpt_program_buffer& from) {
  ProgramBuffer to;
  take(to.bytes, from.bytes);
  take(to.offset, from.offset);
  take(to.first, from.first);
  take(to.last, from.last);
  take(to.index, from.index);
  take(to.item, from.item);
  take(to.tier, from.tier);
  take(to.option, from.option);
  take(to.micro_batch, from.micro_batch);
  take(to.slot, from.slot);
  return to;
}
}  // namespace detail

// One operation. Buffers are indices into the list of buffers; -1 for none.
struct ProgramOperation {
  // kind of operation: ActionKind::forward, _FORWARD_TAPE (with output), _RECORD, _BACKWARD, _TURN, _SEND, _RECEIVE,
  // _STORE_BEGIN, _LOAD_BEGIN or _AWAIT
  ActionKind kind = ActionKind{0};
  // sum of OperationFlag
  OperationFlag flags = OperationFlag{0};
  // layer that runs; or the index of the item that is moved
  std::int64_t layer = 0;
  // option of the layer that runs; or of a TAPE that is moved
  std::int32_t option = 0;
  // number of the micro-batch, from 0
  std::int32_t micro_batch = 0;
  // stream to which it is issued: 0 computes, 2 t - 1 writes to tier t, 2 t reads from it
  std::int32_t stream = 0;
  // id of the transfer, of STORE_BEGIN, LOAD_BEGIN and AWAIT
  std::int64_t transfer = 0;
  // buffer that is read: the layer's input, or the source of a copy; for a BACKWARD if the layer needs it
  std::int64_t input = 0;
  // buffer that is written: the layer's output, or the target of a copy; a BACKWARD reads it if the layer needs it
  std::int64_t output = 0;
  // buffer that a recording forward writes and a BACKWARD reads
  std::int64_t tape = 0;
  // scratch buffer of the operation
  std::int64_t workspace = 0;
  // buffer of the output's gradient: BACKWARD reads it, TURN writes it
  std::int64_t grad_output = 0;
  // buffer of the input's gradient, which a BACKWARD writes
  std::int64_t grad_input = 0;
  // buffer of the layer's ambient state: written by its first forward, read when it runs again
  std::int64_t ambient = 0;
  // buffer that keeps the current ambient state while the layer runs again
  std::int64_t present_ambient = 0;
  // index of the schedule's action that contains the operation, from 0
  std::int64_t action = 0;
};
namespace detail {
inline ProgramOperation from_c(const ckpt_program_operation& from) {
  ProgramOperation to;
  take(to.kind, from.kind);
  take(to.flags, from.flags);
  take(to.layer, from.layer);
  take(to.option, from.option);
  take(to.micro_batch, from.micro_batch);
  take(to.stream, from.stream);
  take(to.transfer, from.transfer);
  take(to.input, from.input);
  take(to.output, from.output);
  take(to.tape, from.tape);
  take(to.workspace, from.workspace);
  take(to.grad_output, from.grad_output);
  take(to.grad_input, from.grad_input);
  take(to.ambient, from.ambient);
  take(to.present_ambient, from.present_ambient);
  take(to.action, from.action);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
