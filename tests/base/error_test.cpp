// Error, a thread's last error, and the reason set by a callback.
#include "base/error.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace ckpt::base {
namespace {

TEST(BaseError, FailConcatenatesItsArguments) {
  try {
    fail(Status::out_of_range, "index is ", 9, "; at most ", 8);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::out_of_range);
    EXPECT_EQ(error.message(), "index is 9; at most 8");
    EXPECT_STREQ(error.what(), "index is 9; at most 8");
    return;
  }
  FAIL() << "fail() returned";
}

TEST(BaseError, RequireThrowsOnlyWhenTheConditionDoesNotHold) {
  EXPECT_NO_THROW(require(true, "never"));
  EXPECT_THROW(require(false, "always"), Error);
}

TEST(BaseError, StatusNamesAreKnown) {
  EXPECT_STREQ(status_name(Status::ok), "OK");
  EXPECT_STREQ(status_name(Status::internal), "INTERNAL");
  EXPECT_STREQ(status_name(static_cast<Status>(-22)), "UNKNOWN");
  EXPECT_STREQ(status_name(static_cast<Status>(1)), "UNKNOWN");
}

TEST(BaseError, TheCurrentErrorOfEveryKindOfException) {
  const auto error_of = [](auto&& thrower) {
    try {
      thrower();
    } catch (...) {
      const CurrentError error = current_error();
      return std::pair(error.status, std::string(error.message));
    }
    return std::pair(Status::ok, std::string());
  };
  using Found = std::pair<Status, std::string>;
  EXPECT_EQ(error_of([] { fail(Status::no_space, "the disk is full"); }), Found(Status::no_space, "the disk is full"));
  EXPECT_EQ(error_of([] { throw std::bad_alloc(); }), Found(Status::out_of_memory, "out of memory"));
  EXPECT_EQ(error_of([] { throw std::length_error("vector"); }).first, Status::out_of_memory);
  EXPECT_EQ(error_of([] { throw std::runtime_error("odd"); }), Found(Status::internal, "odd"));
  EXPECT_EQ(error_of([] { throw 7; }), Found(Status::internal, "an exception of unknown type"));
}

TEST(BaseError, LastErrorBelongsToItsThread) {
  set_last_error("mine");
  std::string seen = "unset";
  std::string set = "unset";
  std::thread other([&] {
    seen = last_error();
    set_last_error("theirs");
    set = last_error();
  });
  other.join();
  EXPECT_EQ(seen, "");
  EXPECT_EQ(set, "theirs");
  EXPECT_STREQ(last_error(), "mine");
}

TEST(BaseError, LastErrorIsOneLine) {
  set_last_error("first\nsecond\r\nthird");
  EXPECT_STREQ(last_error(), "first second  third");
}

TEST(BaseError, LastErrorIsAlwaysUtf8) {
  set_last_error("a\xFF\xC3z \xE2\x82\xAC \xED\xA0\x80");
  EXPECT_STREQ(last_error(), "a??z \xE2\x82\xAC ???");
  EXPECT_TRUE(is_utf8(last_error()));
}

TEST(BaseError, LongTextIsTruncatedAtACharacter) {
  for (std::size_t lead = 0; lead < 4; ++lead) {
    std::string text(lead, 'x');
    for (int i = 0; i < 600; ++i) text += "\xE2\x82\xAC";  // three bytes each
    set_last_error(text.c_str());
    const std::string shown = last_error();
    EXPECT_TRUE(is_utf8(shown));
    EXPECT_LT(shown.size(), 1024U);
    EXPECT_GE(shown.size(), 1021U);
    EXPECT_EQ(text.compare(0, shown.size(), shown), 0);
  }
}

TEST(BaseError, LastErrorMayBeSetToItself) {
  set_last_error("the same");
  set_last_error(last_error());
  EXPECT_STREQ(last_error(), "the same");
}

TEST(BaseError, CallbackReasonIsTakenOnce) {
  set_callback_error("disk on fire");
  try {
    fail_callback("layer 'fc1' forward", 7);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::callback);
    EXPECT_EQ(error.message(), "layer 'fc1' forward: disk on fire");
  }
  try {
    fail_callback("layer 'fc1' forward", 7);
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "layer 'fc1' forward: the callback returned 7");
  }
  set_callback_error("gone");
  set_callback_error(nullptr);
  EXPECT_EQ(take_callback_error(), "");
}

}  // namespace
}  // namespace ckpt::base
