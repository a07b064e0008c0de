// Names of groups, which can be any string, and of files, which must be valid on every system.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "state/line.h"

namespace ckpt::state {

constexpr std::size_t longest_group_name = 64;

// Error(invalid_argument) for invalid names of groups, tensors and keys: blank, not UTF-8, or with a NUL.
void require_plain_name(std::string_view argument, std::string_view name);

// Returns a file name for a group that no system reserves or maps to one in used, which contains lower-case names and receives the
// new one. Keeps letters and digits and encodes other bytes as %XX: "model" -> "model.safetensors".
std::string group_file_name(std::string_view group, std::set<std::string>& used);

// Returns whether a checkpoint of another program may use it as a file name: one component, not hidden, without control characters,
// '/', '\' and ':'.
bool is_safe_file_name(std::string_view name);

constexpr std::size_t longest_prefix = 24;
// Error(invalid_argument) unless prefix is "" or 1 .. 24 characters a-z, 0-9 or '_', other than "step" and "torn".
void require_prefix(std::string_view prefix);
// The length of the longest name of an attempt; buffers in the C API have this size.
constexpr std::size_t longest_attempt_name = 63;
// Returns "step-000000001200-1a2b3c4d" or "<prefix>-step-000000001200-1a2b3c4d", followed by mark_text(mark). Truncates a prefix
// that leaves no room for the mark. Error(out_of_range) for a generation above max_generations.
std::string attempt_name(std::string_view prefix, std::int64_t step, std::uint32_t attempt, const LineMark& mark = {});
struct AttemptName {
  std::int64_t step = 0;
  LineMark mark = {};
};
// Parses a name of that form; returns nothing for any other.
std::optional<AttemptName> parse_attempt(std::string_view name);
// Returns the step of a name of that form, otherwise nothing.
std::optional<std::int64_t> step_of_attempt(std::string_view name);

constexpr std::int64_t max_generations = 999'999;
// Returns ".g2.300" for generation 2 resumed from step 300, ".g2.new" for one without a parent, and "" for generation 0.
std::string mark_text(const LineMark& mark);
// Returns "line.g2.300", the name of an empty file in a checkpoint's directory; used if the directory's name does not contain the
// mark.
std::string mark_file_name(const LineMark& mark);
std::optional<LineMark> mark_of_file(std::string_view name);

inline constexpr std::string_view torn_prefix = "torn-";
inline constexpr std::string_view manifest_name = "manifest.json";
inline constexpr std::string_view lock_name = ".lock";
inline constexpr std::string_view look_name = ".look";  // exists only temporarily

}  // namespace ckpt::state
