// For tests of errors.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

// Checks that the call throws base::Error with this status and a message that contains text.
template <class Call>
void expect_error(ckpt::base::Status status, const std::string& text, Call&& call) {
  try {
    call();
    ADD_FAILURE() << "no error; expected " << ckpt::base::status_name(status) << " '..." << text << "...'";
  } catch (const ckpt::base::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    EXPECT_TRUE(error.message().find(text) != std::string::npos) << "found: " << error.what() << "\nexpected: " << text;
  }
}

// The same as a statement: EXPECT_ERROR(call, status, text).
#define EXPECT_ERROR(call, status, text) expect_error((status), (text), [&] { static_cast<void>(call); })
