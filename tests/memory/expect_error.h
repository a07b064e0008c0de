// EXPECT_ERROR(call, status, text): the call throws base::Error with that status and a message that contains text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

#define EXPECT_ERROR(call, expected_status, text)                                                 \
  do {                                                                                            \
    try {                                                                                         \
      static_cast<void>(call);                                                                    \
      ADD_FAILURE() << #call << " did not throw";                                                 \
    } catch (const ckpt::base::Error& expected_error) {                                           \
      EXPECT_EQ(expected_error.status(), expected_status) << expected_error.what();               \
      EXPECT_NE(expected_error.message().find(text), std::string::npos) << expected_error.what(); \
    }                                                                                             \
  } while (false)
