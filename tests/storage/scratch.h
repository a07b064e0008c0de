// A directory for one test, and helpers for errors.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "expect_error.h"

namespace ckpt::tests {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ckpt-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path() const { return path_.string(); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Drops root's privileges for a scope, since permissions do not apply to root.
class Unprivileged {
 public:
  Unprivileged() : was_root_(::geteuid() == 0) { EXPECT_EQ(was_root_ ? ::seteuid(65534) : 0, 0); }
  ~Unprivileged() { EXPECT_EQ(was_root_ ? ::seteuid(0) : 0, 0); }

 private:
  bool was_root_;
};

// Returns the status and message of the Error that body throws; ok if it throws none.
template <class Body>
base::Status status_of(Body&& body, std::string* message = nullptr) {
  try {
    body();
    return base::Status::ok;
  } catch (const base::Error& error) {
    if (message != nullptr) *message = error.message();
    return error.status();
  }
}

}  // namespace ckpt::tests
