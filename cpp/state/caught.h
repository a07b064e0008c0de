// Runs code and keeps or logs its exceptions instead of throwing them.
#pragma once

#include <exception>
#include <optional>

#include "base/error.h"
#include "base/log.h"

namespace ckpt::state {

// Returns the exception of body as an error, so that a rank can send it to the other ranks before it throws it.
template <class Body>
std::optional<base::Error> error_of(Body&& body) {
  try {
    body();
    return std::nullopt;
  } catch (...) {
    const base::CurrentError error = base::current_error();
    return base::Error(error.status, error.message);
  }
}

// Runs body and logs its exception as a warning after prefix; drops it if memory for the warning is lacking.
template <class Body, class... Prefix>
void log_error_of(Body&& body, const Prefix&... prefix) noexcept {
  try {
    body();
  } catch (...) {
    try {
      base::warn("state", base::cat(prefix..., base::current_error().message));
    } catch (const std::exception&) {  // no memory for the warning
    }
  }
}

// Runs step; returns false if it threw.
template <class Step>
bool attempted(Step&& step) noexcept {
  try {
    step();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace ckpt::state
