// Progress lines: their contents, and how one is drawn on a terminal and removed.
#include "progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

namespace ckpt::cli {
namespace {

const ProgressState half{0.5, {"step 5/10", "loss 1.2500", "12 tokens/s"}};

TEST(ProgressLine, OmitsFieldsThatDoNotFit) {
  EXPECT_EQ(progress_line(half, 61, false, {}), " 50%  1:01 left  step 5/10  loss 1.2500  12 tokens/s");
  EXPECT_EQ(progress_line(half, 61, false, {80, false}), "[#######........]  50%  1:01 left  step 5/10  loss 1.2500  12 tokens/s");
  EXPECT_EQ(progress_line(half, 61, false, {50, false}), "[####.....]  50%  1:01 left  step 5/10");
  EXPECT_EQ(progress_line(half, 61, false, {25, false}), "[##..]  50%  1:01 left");
  EXPECT_EQ(progress_line(half, 61, false, {15, false}), " 50%  1:01 lef");
  for (std::size_t columns = 1; columns < 200; ++columns)
    EXPECT_LT(progress_line(half, 61, false, {columns, false}).size(), columns);
}

TEST(ProgressLine, ShowsKnownFields) {
  const auto line = [](double share, double seconds, bool ended) { return progress_line({share, {}}, seconds, ended, {}); };
  EXPECT_EQ(line(0, -1, false), "  0%");
  EXPECT_EQ(line(0.999, 0.1, false), " 99%  0:01 left");
  EXPECT_EQ(line(1, 3723, true), "100%  in 1:02:03");
  EXPECT_EQ(line(2, -5, true), "100%");  // more steps than requested
  EXPECT_EQ(line(0.1, 86400.0 * 5, false), " 10%  5 days left");
  EXPECT_EQ(line(0.1, 1e300, false), " 10%  over 100 days left");
}

TEST(ProgressLine, ColoursTheFullPartOnly) {
  EXPECT_EQ(progress_line(half, 61, false, {25, true}), "[\033[32m##\033[0m..]  50%  1:01 left");
  EXPECT_EQ(progress_line({0, {}}, -1, false, {25, true}), "[....]   0%");
}

// A terminal of 60 columns that replaces standard error.
class Terminal {
 public:
  Terminal() : error_(dup(STDERR_FILENO)) {
    winsize size{};
    size.ws_row = 10;
    size.ws_col = 60;
    int other = -1;
    if (openpty(&reader_, &other, nullptr, nullptr, &size) != 0) return;
    dup2(other, STDERR_FILENO);
    close(other);
  }
  ~Terminal() {
    restore();
    close(reader_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void restore() {
    if (error_ < 0) return;
    dup2(error_, STDERR_FILENO);
    close(error_);
    error_ = -1;
  }

  // Returns all output up to and including text.
  std::string until(const std::string& text) {
    std::array<char, 256> bytes{};
    while (seen_.find(text) == std::string::npos) {
      const ssize_t count = read(reader_, bytes.data(), bytes.size());
      if (count <= 0) break;
      seen_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return std::exchange(seen_, {});
  }

 private:
  int error_;
  int reader_ = -1;
  std::string seen_;
};

TEST(Progress, OfLongWorkIsShownAndRemoved) {
  Terminal terminal;
  std::string shown;
  std::string beside;
  {
    ByteProgress progress("copied", 4096);
    progress.add(1024);
    shown = terminal.until("copied 1.00 KiB of 4.00 KiB");
    progress.aside([] { (void)std::fprintf(stderr, "a line\n"); });
    beside = terminal.until("a line");
  }
  (void)std::fprintf(stderr, "end\n");
  const std::string after = terminal.until("end");
  terminal.restore();
  EXPECT_NE(shown.find(" 25%  "), std::string::npos) << shown;
  // The line was blanked before the next one.
  const std::size_t blanks = beside.find("\r     ");
  EXPECT_NE(blanks, std::string::npos) << beside;
  EXPECT_LT(blanks, beside.find("a line"));
  EXPECT_EQ(after.find("copied") == std::string::npos || after.rfind("\r     ") > after.rfind("copied"), true) << after;
}

TEST(Progress, OfWorkWithoutATotalShowsNothing) {
  Terminal terminal;
  { ByteProgress progress("copied", 0); }
  (void)std::fprintf(stderr, "end\n");
  const std::string shown = terminal.until("end");
  terminal.restore();
  EXPECT_EQ(shown, "end\r\n");
}

}  // namespace
}  // namespace ckpt::cli
