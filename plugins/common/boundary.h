// The boundary between C++ and C: no exception passes it.
#pragma once

#include <exception>
#include <new>

#include "common/error.h"

namespace ckpt::plugin {

// Runs body. On failure returns the status and passes the message to report, which must not throw.
template <class Body, class Report>
ckpt_status guard(Body&& body, Report&& report) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    report(error.message().c_str());
    return error.status();
  } catch (const std::bad_alloc&) {
    report("out of memory");
    return CKPT_E_OUT_OF_MEMORY;
  } catch (...) {
    report("internal error of this plug-in: please report it");
    return CKPT_E_INTERNAL;
  }
}

}  // namespace ckpt::plugin
