// Runs code and keeps or logs its exceptions instead of throwing them.
#pragma once

#include <exception>
#include <optional>
#include <string>

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

// Runs step; returns false if it threw. first: receives its exception unless it has one; nullptr: not wanted.
template <class Step>
bool attempted(Step&& step, std::optional<base::Error>* first = nullptr) noexcept {
  try {
    step();
    return true;
  } catch (...) {
    if (first == nullptr || *first) return false;
    try {
      const base::CurrentError error = base::current_error();
      first->emplace(error.status, error.message);
    } catch (const std::exception&) {  // no memory for the message
    }
    return false;
  }
}

// Returns the message of an error, for the end of another message; "" if there is none.
inline std::string after_colon(const std::optional<base::Error>& error) { return error ? base::cat(": ", error->message()) : ""; }

}  // namespace ckpt::state
