// The return values of callbacks of custom storages and schemes.
#pragma once

#include <cstdint>
#include <string>

#include <ckpt/base.h>

#include "base/error.h"

namespace ckpt::capi {

// Throws unless code is CKPT_OK. Keeps a status of the library, so that callers can distinguish "missing" from "damaged"; any other
// number is Error(callback). name_of: returns the name of the function for the message.
template <class NameOf>
void require_ok(std::int32_t code, NameOf&& name_of) {
  if (code == CKPT_OK) return;
  if (!base::is_error_status(code)) base::fail_callback(name_of(), code);
  const auto status = static_cast<base::Status>(code);
  const std::string reason = base::take_callback_error();
  base::fail(status, name_of(), ": ", reason.empty() ? std::string(base::status_name(status)) : reason);
}

}  // namespace ckpt::capi
