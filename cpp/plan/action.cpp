#include "plan/action.h"

#include "base/text.h"

namespace ckpt::plan {

const char* kind_name(Kind kind) noexcept {
  switch (kind) {
    case Kind::forward: return "FORWARD";
    case Kind::forward_tape: return "FORWARD_TAPE";
    case Kind::backward: return "BACKWARD";
    case Kind::store_begin: return "STORE_BEGIN";
    case Kind::load_begin: return "LOAD_BEGIN";
    case Kind::await: return "AWAIT";
    case Kind::drop: return "DROP";
    case Kind::send: return "SEND";
    case Kind::receive: return "RECEIVE";
    case Kind::turn: return "TURN";
    case Kind::end: return "END";
    case Kind::record: return "RECORD";
    case Kind::advance: return "ADVANCE";
  }
  return "UNKNOWN";
}

bool is_kind(std::int32_t number) noexcept {
  return number >= static_cast<std::int32_t>(Kind::forward) && number <= static_cast<std::int32_t>(Kind::advance);
}

std::string item_text(Item item, std::int64_t index, std::int32_t option) {
  switch (item) {
    case Item::input: return base::cat("INPUT(", index, ")");
    case Item::tape: return base::cat("TAPE(", index, ", option ", option, ")");
    case Item::grad: return base::cat("GRAD(", index, ")");
    case Item::none: break;
  }
  return base::cat("item ", static_cast<std::int32_t>(item));
}

}  // namespace ckpt::plan
