// Generated from include/ckpt by tools/api: do not edit.
// drive.hpp - the values of drive.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_DRIVE_HPP
#define CKPT_VALUES_DRIVE_HPP

#include <ckpt/drive.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/plan.hpp>

namespace ckpt {

// Flags of a call of the driver: a sum of flags.
enum class DriveFlag : std::uint32_t {
  // the layers ran before in this step: restore the ambient state (random numbers, statistics) of the start of their first run
  again = CKPT_DRIVE_FLAG_AGAIN,
  // only the layer's backward reads its output: a layer with a backward that reads it returns it, other layers return none
  no_output = CKPT_DRIVE_FLAG_NO_OUTPUT,
  // last use of the input: the callback owns the handle, also if it fails; an in-place step overwrites it
  take_input = CKPT_DRIVE_FLAG_TAKE_INPUT,
  // last use of the output that a backward reads: the callback owns the handle, also if it fails
  take_output = CKPT_DRIVE_FLAG_TAKE_OUTPUT,
};
template <>
struct IsFlags<DriveFlag> : std::true_type {};

// One call of the driver: the operation to do. Fields that a kind does not use are 0.
struct DriveCall {
  // the operation: FORWARD, RECORD, BACKWARD, TURN, STORE_BEGIN, LOAD_BEGIN, AWAIT or DROP of ActionKind
  ActionKind kind = ActionKind{0};
  // sum of DriveFlag
  DriveFlag flags = DriveFlag{0};
  // first layer of the call; or the index i of the item
  std::int64_t first = 0;
  // one past the last layer of the call
  std::int64_t last = 0;
  // option of the layers; or of the item, for a TAPE
  std::int32_t option = 0;
  // number of the micro-batch: 0
  std::int32_t micro_batch = 0;
  // kind of item of STORE_BEGIN, LOAD_BEGIN, AWAIT and DROP
  Item item = Item::none;
  // tier of the item: 0 memory; 1 .. 3 slower places
  std::int32_t tier = 0;
  // place within the tier, >= 0; of FORWARD: the buffer of the result, as the schedule's action names it
  std::int32_t slot = 0;
  // id of the transfer, from its STORE_BEGIN or LOAD_BEGIN to its AWAIT
  std::int64_t transfer = 0;
  // index of the schedule's action that causes the call, from 0
  std::int64_t action = 0;
  // number of layers of the chain; 0 while it is unknown in an open-ended schedule
  std::int64_t layers = 0;
};
namespace detail {
inline DriveCall from_c(const ckpt_drive_call& from) {
  DriveCall to;
  take(to.kind, from.kind);
  take(to.flags, from.flags);
  take(to.first, from.first);
  take(to.last, from.last);
  take(to.option, from.option);
  take(to.micro_batch, from.micro_batch);
  take(to.item, from.item);
  take(to.tier, from.tier);
  take(to.slot, from.slot);
  take(to.transfer, from.transfer);
  take(to.action, from.action);
  take(to.layers, from.layers);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
