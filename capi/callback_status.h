// What the functions return that open and are storages: storages and schemes of the caller's.
#pragma once

#include <cstdint>
#include <string>

#include <ckpt/base.h>

#include "base/error.h"

namespace ckpt::capi {

// Throws unless code is CKPT_OK. A status of the library stays what it is, so that what calls can distinguish "not there" from
// "broken"; any other number is Error(callback). who: returns what the function is called in the message.
template <class Who>
void require_ok(std::int32_t code, Who&& who) {
  if (code == CKPT_OK) return;
  if (!base::is_error_status(code)) base::fail_callback(who(), code);
  const auto status = static_cast<base::Status>(code);
  const std::string reason = base::take_callback_error();
  base::fail(status, who(), ": ", reason.empty() ? std::string(base::status_name(status)) : reason);
}

}  // namespace ckpt::capi
