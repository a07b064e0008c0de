#include "support.h"

#include <mutex>

namespace s3_test {
namespace {

std::mutex mutex;
std::vector<std::string> reasons;

}  // namespace

std::string& reason() {
  thread_local std::string text;
  return text;
}

std::vector<std::string> all_reasons() {
  const std::lock_guard lock(mutex);
  return reasons;
}

void expect_failure(std::int32_t code, ckpt_status status, std::string_view text) {
  EXPECT_EQ(code, status) << reason();
  EXPECT_NE(reason().find(text), std::string::npos) << "'" << reason() << "' has no '" << text << "'";
}

}  // namespace s3_test

// Replaces libckpt's function, through which the plug-in reports reasons.
void ckpt_callback_error(const char* text) {
  s3_test::reason() = text == nullptr ? "" : text;
  const std::lock_guard lock(s3_test::mutex);
  s3_test::reasons.push_back(s3_test::reason());
}
