#include "last_error.h"

#include <new>
#include <string>

#include <ckpt/s3.h>

namespace {

thread_local std::string last_error;

}  // namespace

void ckpt::s3::set_last_error(const char* text) noexcept {
  try {
    last_error = text;
  } catch (const std::bad_alloc&) {
    last_error.clear();
  }
}

const char* ckpt_s3_last_error(void) { return last_error.c_str(); }
