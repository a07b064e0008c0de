#include "state/safetensors.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json_sax.h"
#include "base/json_text.h"
#include "base/json_writer.h"
#include "state/name_table.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// Parses the header without building a JSON tree. Depth 1 is the header's object, depth 2 a tensor or the metadata, depth 3 a
// tensor's list; unknown values are skipped by counting brackets.
class HeaderReader {
 public:
  // usual_bytes: estimated header bytes per tensor, used to reserve the lists.
  static constexpr std::size_t usual_bytes = 64;
  explicit HeaderReader(std::size_t text_bytes) : names_(text_bytes / usual_bytes) {
    header.tensors.reserve(text_bytes / usual_bytes);
  }

  Header header;
  std::string problem;

  bool null() { return scalar("null"); }
  bool boolean(bool) { return scalar("a boolean"); }
  bool number_integer(std::int64_t) { return scalar("a negative number"); }
  bool number_float(const std::string& digits) {
    if (!base::double_from_digits(digits)) return refuse(cat("not JSON: ", digits, " is too large for a double"));
    return scalar("a number that is not a 64-bit integer");
  }

  bool number_unsigned(std::uint64_t number) {
    if (place_ == Place::skipped) return skip_scalar();
    if (place_ != Place::shape && place_ != Place::offsets) return scalar("a number");
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return refuse(cat(number, " is too large"));
    auto& list = place_ == Place::shape ? *shape_ : *offsets_;
    if (place_ == Place::offsets && list.size() == 2) return refuse("data_offsets has more than two numbers");
    list.push_back(static_cast<std::int64_t>(number));
    return true;
  }

  bool string(const std::string& text) {
    if (place_ == Place::skipped) return skip_scalar();
    if (place_ == Place::metadata) {
      header.metadata.emplace_back(key_, text);
      return true;
    }
    if (place_ != Place::tensor || key_ != "dtype") return scalar("a string");
    dtype_ = tensor::dtype_from_name(text);
    return dtype_.has_value() || refuse(cat("unknown dtype ", base::quote(text)));
  }

  bool key(const std::string& name) {
    if (place_ == Place::skipped) return true;
    if (name.find('\0') != std::string::npos) return refuse(cat("name ", base::quote(name), " contains a NUL"));
    if (!(place_ == Place::top ? add_tensor_name(name) : inner_names_.add(name)))
      return refuse(cat("name ", base::quote(name), " is duplicated"));
    (place_ == Place::top ? tensor_ : key_) = name;
    const bool unknown = place_ == Place::tensor && name != "dtype" && name != "shape" && name != "data_offsets";
    if (unknown) {
      place_ = Place::skipped;
      skipped_depth_ = 0;
    }
    return true;
  }

  bool start_object() {
    if (place_ == Place::skipped) return deeper();
    if (place_ == Place::outside) {
      place_ = Place::top;
      return true;
    }
    if (place_ != Place::top) return scalar("an object");
    inner_names_.clear();
    place_ = tensor_ == metadata_name ? Place::metadata : Place::tensor;
    dtype_.reset();
    shape_.reset();
    offsets_.reset();
    return true;
  }

  bool end_object() {
    if (place_ == Place::skipped) return shallower();
    if (place_ == Place::tensor && !finish_tensor()) return false;
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }

  bool start_array() {
    if (place_ == Place::skipped) return deeper();
    if (place_ != Place::tensor || (key_ != "shape" && key_ != "data_offsets")) return scalar("a list");
    place_ = key_ == "shape" ? Place::shape : Place::offsets;
    (place_ == Place::shape ? shape_ : offsets_).emplace();
    return true;
  }

  bool end_array() {
    if (place_ == Place::skipped) return shallower();
    place_ = Place::tensor;
    return true;
  }

  bool syntax_error(std::size_t position) { return refuse(cat("not JSON at byte ", position, " of the header")); }

 private:
  enum class Place { outside, top, metadata, tensor, shape, offsets, skipped };
  static constexpr std::int64_t deepest = 128;  // limit of the reference reader
  static constexpr std::string_view metadata_name = "__metadata__";

  // Returns false if the name exists. Its number is that of the next tensor.
  bool add_tensor_name(const std::string& name) {
    if (name == metadata_name) return !std::exchange(has_metadata_, true);
    if (names_.any(name, [&](std::size_t number) { return header.tensors[number].name == name; })) return false;
    names_.add(name, header.tensors.size());
    return true;
  }

  bool refuse(const std::string& what) {
    if (problem.empty()) problem = tensor_.empty() ? what : cat("tensor ", base::quote(tensor_), ": ", what);
    return false;
  }

  // Rejects a value that is not allowed here, unless it is inside a skipped value.
  bool scalar(const char* kind) {
    if (place_ == Place::outside) return refuse(cat("the header is ", kind, ", not an object"));
    if (place_ != Place::skipped)
      return refuse(cat(kind, " is not allowed ", place_ == Place::top ? "as a tensor" : cat("in ", base::quote(key_))));
    return skip_scalar();
  }
  bool skip_scalar() { return skipped_depth_ > 0 || end_skip(); }

  bool deeper() { return ++skipped_depth_ <= deepest || refuse("nested too deeply"); }
  bool shallower() { return --skipped_depth_ > 0 || end_skip(); }
  bool end_skip() {
    place_ = Place::tensor;
    return true;
  }

  bool finish_tensor() {
    if (!dtype_) return refuse("dtype is missing");
    if (!shape_) return refuse("shape is missing");
    if (!offsets_ || offsets_->size() != 2) return refuse("data_offsets: expected two numbers");
    const std::int64_t begin = (*offsets_)[0];
    const std::int64_t end = (*offsets_)[1];
    if (end < begin) return refuse(cat("data_offsets: end ", end, " is less than begin ", begin));
    header.tensors.push_back({tensor_, *dtype_, std::move(*shape_), begin, end - begin});
    return true;
  }

  Place place_ = Place::outside;
  std::int64_t skipped_depth_ = 0;
  std::string tensor_;
  std::string key_;
  NameTable names_;
  bool has_metadata_ = false;
  base::JsonKeys inner_names_;
  std::optional<tensor::Dtype> dtype_;
  std::optional<std::vector<std::int64_t>> shape_;
  std::optional<std::vector<std::int64_t>> offsets_;
};

// The data must have no holes, overlaps or trailing bytes, and each tensor the length of its shape.
void check_layout(const Header& header) {
  std::int64_t expected = 0;
  for (const TensorEntry& entry : header.tensors) {
    const auto refuse = [&](const std::string& what) { fail_corrupt(cat("tensor ", base::quote(entry.name), ": ", what)); };
    if (entry.offset != expected) refuse(cat("its data begins at ", entry.offset, "; expected ", expected));
    std::int64_t bytes = 0;
    try {
      bytes = tensor_bytes(entry.dtype, entry.shape);
    } catch (const base::Error& error) {
      refuse(error.message());
    }
    if (entry.bytes != bytes) refuse(cat("data_offsets span ", entry.bytes, " bytes; expected for its dtype and shape: ", bytes));
    expected += entry.bytes;  // cannot overflow: begin and end were both read as int64_t
  }
  if (expected != header.data_bytes)
    fail_corrupt(cat("the tensors have ", expected, " bytes; the file has ", header.data_bytes, " after the header"));
}

void append_json(std::string& out, const std::string& text) { out += base::json_string(text); }

std::string header_json(const std::vector<TensorEntry>& tensors, const Metadata& metadata) {
  std::string out = "{";
  const auto comma = [&out] {
    if (out.back() != '{') out += ',';
  };
  if (!metadata.empty()) {
    out += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      comma();
      append_json(out, key);
      out += ':';
      append_json(out, value);
    }
    out += '}';
  }
  for (const TensorEntry& entry : tensors) {
    comma();
    append_json(out, entry.name);
    base::append_piece(out, R"(:{"dtype":")");
    base::append_piece(out, tensor::dtype_name(entry.dtype));
    out += R"(","shape":[)";
    for (std::size_t i = 0; i < entry.shape.size(); ++i) {
      if (i > 0) out += ',';
      base::append_piece(out, entry.shape[i]);
    }
    out += cat(R"(],"data_offsets":[)", entry.offset, ',', entry.offset + entry.bytes, "]}");
  }
  return out + '}';
}

}  // namespace

std::int64_t tensor_bytes(tensor::Dtype dtype, const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  std::int64_t bits = 0;
  bool fits = true;
  for (const std::int64_t dimension : shape) fits = fits && !__builtin_mul_overflow(elements, dimension, &elements);
  fits = fits && !__builtin_mul_overflow(elements, tensor::dtype_bits(dtype), &bits);
  if (!fits) base::fail(Status::out_of_range, "its shape and dtype exceed INT64_MAX bits");
  base::require(bits % 8 == 0, "its size of ", bits, " bits is not a whole number of bytes");
  return bits / 8;
}

Header parse_header(std::string_view text, std::int64_t data_bytes) {
  if (!text.starts_with('{')) fail_corrupt("the header does not begin with '{'");
  if (text.find('\0') != std::string_view::npos) fail_corrupt("the header contains a NUL byte");
  HeaderReader reader(text.size());
  if (!base::read_json(text, reader)) fail_corrupt(reader.problem.empty() ? "the header is not JSON" : reader.problem);
  Header header = std::move(reader.header);
  header.data_bytes = data_bytes;
  header.data_start = length_bytes + static_cast<std::int64_t>(text.size());
  std::ranges::stable_sort(header.tensors, {}, [](const TensorEntry& entry) { return std::pair(entry.offset, entry.bytes); });
  check_layout(header);
  return header;
}

Header read_header(storage::File& file) {
  const std::int64_t size = file.size();
  unsigned char raw[length_bytes] = {};
  if (size < length_bytes || file.read(0, std::as_writable_bytes(std::span(raw))) != length_bytes) {
    fail_corrupt(cat("the file has ", size, " bytes; expected at least ", length_bytes));
  }
  std::uint64_t length = 0;
  for (int i = length_bytes - 1; i >= 0; --i) length = length << 8 | raw[i];
  if (length > static_cast<std::uint64_t>(largest_header_bytes)) {
    fail_corrupt(cat("the header's length is ", length, "; expected at most ", largest_header_bytes));
  }
  const auto header_bytes = static_cast<std::int64_t>(length);
  if (header_bytes > size - length_bytes) {
    fail_corrupt(cat("the header's length is ", length, " but ", size - length_bytes, " bytes follow: the file is truncated"));
  }
  std::string text(length, '\0');
  if (file.read(length_bytes, std::as_writable_bytes(std::span(text))) != header_bytes)
    fail_corrupt("the file was truncated during the read");
  return parse_header(text, size - length_bytes - header_bytes);
}

std::string make_header(std::vector<TensorEntry>& tensors, const Metadata& metadata) {
  std::ranges::sort(tensors, [](const TensorEntry& a, const TensorEntry& b) {
    const std::int64_t bits_a = tensor::dtype_bits(a.dtype);
    const std::int64_t bits_b = tensor::dtype_bits(b.dtype);
    return bits_a != bits_b ? bits_a > bits_b : a.name < b.name;
  });
  std::int64_t offset = 0;
  for (TensorEntry& entry : tensors) {
    entry.offset = offset;
    entry.bytes = tensor_bytes(entry.dtype, entry.shape);
    if (__builtin_add_overflow(offset, entry.bytes, &offset))
      base::fail(Status::out_of_range, "the tensors exceed INT64_MAX bytes");
  }
  std::string text = header_json(tensors, metadata);
  const std::size_t unpadded = static_cast<std::size_t>(length_bytes) + text.size();
  text.append((data_alignment - unpadded % data_alignment) % data_alignment, ' ');
  if (static_cast<std::int64_t>(text.size()) > largest_header_bytes) {
    base::fail(Status::out_of_range, tensors.size(), " tensors need a header of ", text.size(), " bytes; expected at most ",
               largest_header_bytes);
  }
  std::string out;
  for (int i = 0; i < length_bytes; ++i) out += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return out + text;
}

}  // namespace ckpt::state
