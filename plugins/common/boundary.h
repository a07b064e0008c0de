// The one barrier between C++ and C: nothing is thrown through it.
#pragma once

#include <exception>
#include <new>

#include "common/error.h"

namespace ckpt::plugin {

// Runs the body. A failure's status is returned, and its line goes to report, which must not throw.
template <class Body, class Report>
ckpt_status guard(Body&& body, Report&& report) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    report(error.message().c_str());
    return error.status();
  } catch (const std::bad_alloc&) {
    report("the system has no memory left");
    return CKPT_E_OUT_OF_MEMORY;
  } catch (...) {
    report("a defect of this plug-in: please report it");
    return CKPT_E_INTERNAL;
  }
}

}  // namespace ckpt::plugin
