#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <ckpt/ckpt.hpp>

#include "text.h"

namespace ckpt::cli {
namespace {

constexpr std::chrono::milliseconds redraw_interval{100};
constexpr std::chrono::milliseconds line_interval{2000};
constexpr std::chrono::milliseconds passing_delay{500};  // shorter work shows nothing on a terminal
constexpr double min_measured_share = 0.002;             // below it, the estimate of the time left is too inaccurate
constexpr std::size_t usual_columns = 80;
constexpr std::string_view green = "\033[32m";
constexpr std::string_view no_colour = "\033[0m";

double seconds_since(std::chrono::nanoseconds begin) { return std::chrono::duration<double>(Clock::monotonic() - begin).count(); }

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
  return size.ws_col;
}

// https://no-color.org: any value that is not empty disables colour.
bool wants_colour() {
  const char* const refused = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  const char* const terminal = std::getenv("TERM");     // NOLINT(concurrency-mt-unsafe)
  return (refused == nullptr || *refused == '\0') && terminal != nullptr && std::string_view(terminal) != "dumb";
}

// "0:07", "12:34", "1:02:03", "5 days"
std::string duration_text(double seconds) {
  constexpr std::int64_t day = std::int64_t{24} * 3600;
  constexpr double longest = 100.0 * day;
  const auto whole = static_cast<std::int64_t>(std::ceil(std::clamp(seconds, 0.0, longest)));
  const auto two_digits = [](std::int64_t number) { return cat(number < 10 ? "0" : "", number); };
  if (whole >= 2 * day) return cat(seconds > longest ? "over " : "", whole / day, " days");
  const std::string minutes_and_seconds = two_digits(whole % 60);
  if (whole < 3600) return cat(whole / 60, ":", minutes_and_seconds);
  return cat(whole / 3600, ":", two_digits(whole / 60 % 60), ":", minutes_and_seconds);
}

std::string percent_text(double share) {
  // 100 only when all is done.
  const auto percent = static_cast<std::int64_t>(std::floor(std::clamp(share, 0.0, 1.0) * 100));
  return cat(percent < 10 ? "  " : percent < 100 ? " " : "", percent, "%");
}

std::string time_text(double seconds, bool ended) {
  if (seconds < 0) return "";
  return ended ? "  in " + duration_text(seconds) : "  " + duration_text(seconds) + " left";
}

}  // namespace

std::string progress_line(const ProgressState& state, double seconds, bool ended, const ProgressLook& look) {
  const std::string figures = percent_text(state.share) + time_text(seconds, ended);
  if (look.columns == 0) {
    std::string line = figures;
    for (const std::string& detail : state.details) line += "  " + detail;
    return line;
  }
  const std::size_t room = look.columns - 1;  // some terminals wrap after the last column
  const std::size_t width = std::clamp<std::size_t>(room / 5, 4, 24);
  const auto full = static_cast<std::size_t>(std::clamp(state.share, 0.0, 1.0) * static_cast<double>(width));
  std::string rest = "] " + figures;
  for (const std::string& detail : state.details) {
    if (1 + width + rest.size() + 2 + detail.size() > room) break;
    rest += "  " + detail;
  }
  std::string bar(full, '#');
  if (look.colour && full > 0) bar = cat(green, bar, no_colour);
  if (1 + width + rest.size() > room) return figures.substr(0, room);
  return "[" + bar + std::string(width - full, '.') + rest;
}

Progress::Progress(Kind kind, std::function<ProgressState()> state)
    : kind_(kind),
      state_(std::move(state)),
      terminal_(isatty(STDERR_FILENO) != 0),
      colour_(terminal_ && wants_colour()),
      begin_(Clock::monotonic()),
      first_share_(state_().share) {
  if (kind != Kind::silent) drawer_ = std::thread([this] { draw_until_stopped(); });
}

Progress::~Progress() {
  if (!drawer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stop_asked_.notify_all();
  drawer_.join();
  if (kind_ == Kind::lasting) {
    draw(true);
  } else {
    erase_line();
  }
}

void Progress::aside(const std::function<void()>& print) {
  const std::lock_guard lock(mutex_);
  erase_line();
  print();
  (void)std::fflush(stdout);
}

void Progress::erase_line() {
  if (drawn_ > 0) (void)std::fprintf(stderr, "\r%*s\r", static_cast<int>(drawn_), "");
  drawn_ = 0;
}

void Progress::draw_until_stopped() {
  const auto interval = terminal_ ? redraw_interval : line_interval;
  auto wait = terminal_ && kind_ == Kind::passing ? passing_delay : interval;
  std::unique_lock lock(mutex_);
  while (!stop_asked_.wait_for(lock, wait, [this] { return stop_; })) {
    draw(false);
    wait = interval;
  }
}

void Progress::draw(bool ended) {
  const ProgressState state = state_();
  if (state.details.empty()) return;  // no values yet
  const double elapsed = seconds_since(begin_);
  const double done = state.share - first_share_;
  const double left = done < min_measured_share ? -1 : elapsed / done * (1 - state.share);
  const double seconds = ended ? elapsed : left;
  if (!terminal_) {
    (void)std::fprintf(stderr, "%s\n", progress_line(state, seconds, ended, {}).c_str());
    return;
  }
  const std::size_t columns = terminal_columns();
  const std::string line = progress_line(state, seconds, ended, {columns, colour_});
  const std::size_t shown = progress_line(state, seconds, ended, {columns, false}).size();
  // Overwrites the part of the previous line beyond this one, if it is on the same terminal line.
  const std::size_t blanks = std::min(drawn_, columns - 1) > shown ? std::min(drawn_, columns - 1) - shown : 0;
  // If the window became narrower, its last column may contain remains that blanks cannot reach.
  const char* const rest = colour_ ? "\033[K" : "";
  (void)std::fprintf(stderr, "\r%s%*s%s%s", line.c_str(), static_cast<int>(blanks), "", rest, ended ? "\n" : "");
  (void)std::fflush(stderr);
  drawn_ = shown;
}

ByteProgress::ByteProgress(std::string verb, std::int64_t total_bytes)
    : verb_(std::move(verb)), total_bytes_(total_bytes), progress_(Progress::Kind::passing, [this] { return state(); }) {}

ProgressState ByteProgress::state() const {
  const std::int64_t total = total_bytes_.load(std::memory_order_relaxed);
  if (total == 0) return {};
  const std::int64_t done = std::min(done_bytes_.load(std::memory_order_relaxed), total);
  return {static_cast<double>(done) / static_cast<double>(total), {cat(verb_, " ", bytes_text(done), " of ", bytes_text(total))}};
}

}  // namespace ckpt::cli
