#include "diff.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "open_reader.h"
#include "text.h"

namespace ckpt::cli {
namespace {

bool has_groups(const Reader& reader) { return reader.tensor_count() > 0 && !reader.tensor(0).group.empty(); }

// Maps "group/name" to the index; only the name if one side has no groups.
std::map<std::string, std::int64_t> names_of(const Reader& reader, bool with_groups) {
  std::map<std::string, std::int64_t> names;
  for (std::int64_t i = 0; i < reader.tensor_count(); ++i) {
    const TensorInfo info = reader.tensor(i);
    const std::string name = with_groups ? info.group + '/' + info.name : info.name;
    if (!names.emplace(name, i).second)
      throw Error(Status::invalid_argument, "the tensor " + printable(name) + " is in two groups");
  }
  return names;
}

// IEEE half: 5 exponent bits, 10 fraction bits; bfloat16 is the upper half of a float.
double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan(""))
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

double bfloat_value(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return static_cast<double>(value);
}

template <class T, class Value>
double largest(const void* a, const void* b, std::int64_t bytes, Value&& value) {
  double max = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(bytes) / sizeof(T); ++i) {
    const char* at_a = static_cast<const char*>(a) + i * sizeof(T);
    const char* at_b = static_cast<const char*>(b) + i * sizeof(T);
    if (std::memcmp(at_a, at_b, sizeof(T)) == 0) continue;  // also equal NaNs
    T x{};
    T y{};
    std::memcpy(&x, at_a, sizeof(T));
    std::memcpy(&y, at_b, sizeof(T));
    const double apart = std::fabs(static_cast<double>(value(x)) - static_cast<double>(value(y)));
    if (std::isnan(apart)) return apart;
    if (apart > max) max = apart;
  }
  return max;
}

// Returns nothing for dtypes that are compared only by their bytes.
std::optional<double> largest_difference(DType dtype, const void* a, const void* b, std::int64_t bytes) {
  const auto same = [](auto x) { return x; };
  switch (dtype) {
    case DType::f64: return largest<double>(a, b, bytes, same);
    case DType::f32:
    case DType::c64: return largest<float>(a, b, bytes, same);  // over real and imaginary parts
    case DType::f16: return largest<std::uint16_t>(a, b, bytes, half_value);
    case DType::bf16: return largest<std::uint16_t>(a, b, bytes, bfloat_value);
    case DType::i8: return largest<std::int8_t>(a, b, bytes, same);
    case DType::u8: return largest<std::uint8_t>(a, b, bytes, same);
    case DType::i16: return largest<std::int16_t>(a, b, bytes, same);
    case DType::u16: return largest<std::uint16_t>(a, b, bytes, same);
    case DType::i32: return largest<std::int32_t>(a, b, bytes, same);
    case DType::u32: return largest<std::uint32_t>(a, b, bytes, same);
    case DType::i64: return largest<std::int64_t>(a, b, bytes, same);
    case DType::u64: return largest<std::uint64_t>(a, b, bytes, same);
    default: return std::nullopt;
  }
}

// Returns the beginning of a metadata string.
std::string shown_text(const std::string& text) {
  constexpr std::size_t longest = 60;
  const std::string shown = nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return shown.size() <= longest ? shown : shown.substr(0, longest) + "...";
}

// Describes the difference of two tensors; "" if they are equal.
std::string difference(Reader& a, std::int64_t at_a, Reader& b, std::int64_t at_b) {
  const TensorInfo in_a = a.tensor(at_a);
  const TensorInfo in_b = b.tensor(at_b);
  if (in_a.dtype != in_b.dtype) return std::string(dtype_name(in_a.dtype)) + " vs. " + std::string(dtype_name(in_b.dtype));
  if (in_a.shape != in_b.shape) return "different shapes";
  const Tensor left = a.read(at_a);
  const Tensor right = b.read(at_b);
  const void* const left_bytes = left.data();
  const void* const right_bytes = right.data();
  if (in_a.bytes == 0 || std::memcmp(left_bytes, right_bytes, static_cast<std::size_t>(in_a.bytes)) == 0) return "";
  const auto apart = largest_difference(in_a.dtype, left_bytes, right_bytes, in_a.bytes);
  if (!apart) return "different bytes";
  char text[64];
  (void)std::snprintf(text, sizeof text, "largest absolute difference %.9g", *apart);
  return text;
}

using Strings = std::map<std::string, std::string>;

// Returns the metadata of a file, or the versions of modules in a checkpoint: by group, or, without groups, as its converted file
// would hold them.
Strings metadata_of(const Opened& opened, bool with_groups) {
  Strings metadata;
  for (const auto& [key, value] : opened.reader.metadata()) metadata.emplace("__metadata__." + key, value);
  std::set<std::string> groups;
  for (std::int64_t i = 0; i < opened.reader.tensor_count(); ++i) groups.insert(opened.reader.tensor(i).group);
  for (const auto& [group, text] : opened.versions) {
    if (!groups.contains(group)) continue;
    if (with_groups) {
      metadata.emplace("values." + std::string(versions_key) + '.' + group, text);
    } else if (groups.size() == 1) {
      metadata.emplace("__metadata__." + std::string(versions_key), text);
    }
  }
  return metadata;
}

// Calls report for each string that differs.
void compare_metadata(const Strings& a, Strings b, const std::string& path_a, const std::string& path_b,
                      const std::function<void(const std::string& name, const std::string& what)>& report) {
  for (const auto& [name, value] : a) {
    const auto found = b.find(name);
    if (found == b.end()) {
      report(name, "only in " + path_a);
      continue;
    }
    if (found->second != value) report(name, shown_text(value) + " vs. " + shown_text(found->second));
    b.erase(found);
  }
  for (const auto& [name, value] : b) report(name, "only in " + path_b);
}

}  // namespace

bool diff(const std::string& path_a, const std::string& path_b, bool as_json) {
  Opened opened_a = open_reader(path_a);
  Opened opened_b = open_reader(path_b);
  Reader& a = opened_a.reader;
  Reader& b = opened_b.reader;
  const bool with_groups = has_groups(a) && has_groups(b);
  const auto names_a = names_of(a, with_groups);
  auto names_b = names_of(b, with_groups);
  std::int64_t different = 0;
  nlohmann::ordered_json differences = nlohmann::ordered_json::array();
  const auto report = [&](const std::string& name, const std::string& what) {
    if (as_json) {
      differences.push_back({{"name", name}, {"difference", what}});
    } else {
      std::printf("%s: %s\n", printable(name).c_str(), what.c_str());
    }
    ++different;
  };
  for (const auto& [name, index] : names_a) {
    const auto found = names_b.find(name);
    if (found == names_b.end()) {
      report(name, "only in " + path_a);
      continue;
    }
    if (const std::string what = difference(a, index, b, found->second); !what.empty()) report(name, what);
    names_b.erase(found);
  }
  for (const auto& [name, index] : names_b) report(name, "only in " + path_b);
  compare_metadata(metadata_of(opened_a, with_groups), metadata_of(opened_b, with_groups), path_a, path_b, report);
  const auto tensors = static_cast<std::int64_t>(names_a.size() + names_b.size());
  if (as_json) {
    const nlohmann::ordered_json document = {
        {"tensors", tensors}, {"different", different}, {"differences", std::move(differences)}};
    std::printf("%s\n", document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  } else {
    std::printf("%s, %lld different\n", counted(tensors, "tensor").c_str(), static_cast<long long>(different));
  }
  return different == 0;
}

}  // namespace ckpt::cli
