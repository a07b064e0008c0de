#include "npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "strided.h"

namespace ckpt::cli {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

struct NamedType {
  std::string_view name;  // without the byte-order character
  DType dtype;
};
constexpr std::array<NamedType, 13> types = {{{"b1", DType::bool_},
                                              {"u1", DType::u8},
                                              {"i1", DType::i8},
                                              {"u2", DType::u16},
                                              {"i2", DType::i16},
                                              {"f2", DType::f16},
                                              {"u4", DType::u32},
                                              {"i4", DType::i32},
                                              {"f4", DType::f32},
                                              {"u8", DType::u64},
                                              {"i8", DType::i64},
                                              {"f8", DType::f64},
                                              {"c8", DType::c64}}};

[[noreturn]] void refuse_npy(const std::string& why) { throw std::invalid_argument(why); }

// Parses the header's dictionary. NumPy defines its keys and the types of its values.
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : rest_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = text();
      expect(':');
      read_value(key);
      if (!accept(',') && peek() != '}') refuse_npy("the header is not a dictionary");
    }
    if (seen_ != 7) refuse_npy("the header must contain descr, fortran_order and shape");
    return header_;
  }

 private:
  char peek() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
    if (rest_.empty()) refuse_npy("the header is truncated");
    return rest_.front();
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) refuse_npy(std::string("the header: expected '") + wanted + "'");
  }
  bool accept_word(std::string_view word) {
    peek();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string text() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') refuse_npy("structured and nested dtypes are not supported");
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) refuse_npy("the header is truncated");
    std::string out(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return out;
  }

  void read_value(const std::string& key) {
    if (key == "descr") {
      read_dtype(text());
      seen_ |= 1;
    } else if (key == "fortran_order") {
      header_.column_major = accept_word("True");
      if (!header_.column_major && !accept_word("False")) refuse_npy("fortran_order: expected True or False");
      seen_ |= 2;
    } else if (key == "shape") {
      read_shape();
      seen_ |= 4;
    } else {
      refuse_npy("the header has an unknown key");
    }
  }

  void read_dtype(const std::string& descr) {
    const bool has_order = !descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
    const std::string_view name = std::string_view(descr).substr(has_order ? 1 : 0);
    const auto* const found = std::find_if(types.begin(), types.end(), [&](const NamedType& type) { return type.name == name; });
    if (found == types.end()) refuse_npy("dtype " + descr + " has no counterpart in safetensors");
    header_.dtype = found->dtype;
    header_.swapped = has_order && descr.front() == '>';
  }

  void read_shape() {
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t length = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
      if (error != std::errc() || length < 0) refuse_npy("shape: expected a tuple of lengths");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      header_.shape.push_back(length);
      if (!accept(',') && peek() != ')') refuse_npy("shape: expected a tuple of lengths");
    }
  }

  std::string_view rest_;
  NpyHeader header_;
  int seen_ = 0;
};

std::size_t element_bytes(DType dtype) { return static_cast<std::size_t>(dtype_bits(dtype)) / 8; }

// Returns the bytes that are swapped as a unit: a complex element consists of two numbers.
std::size_t number_bytes(DType dtype) { return dtype == DType::c64 ? 4 : element_bytes(dtype); }

std::size_t bytes_of(const NpyHeader& header) {
  std::int64_t bytes = static_cast<std::int64_t>(element_bytes(header.dtype));
  for (const std::int64_t length : header.shape) {
    if (length > 0 && bytes > std::numeric_limits<std::int64_t>::max() / length) refuse_npy("the shape has too many elements");
    bytes *= length;
  }
  return static_cast<std::size_t>(bytes);
}

void copy_column_major(const NpyHeader& header, const char* from, char* to) {
  std::vector<std::int64_t> strides(header.shape.size(), 1);
  for (std::size_t d = 1; d < strides.size(); ++d) strides[d] = strides[d - 1] * header.shape[d - 1];
  copy_strided(from, header.shape, strides, element_bytes(header.dtype), to);
}

void swap_numbers(char* bytes, std::size_t count, std::size_t size) {
  for (std::size_t at = 0; at < count; at += size) std::reverse(bytes + at, bytes + at + size);
}

}  // namespace

std::size_t npy_header_bytes(std::string_view prefix, std::uint64_t bytes) {
  // Far more than the header of the longest possible shape.
  constexpr std::size_t longest = std::size_t{1} << 20;
  if (prefix.size() < 10 || !prefix.starts_with(magic)) refuse_npy("not a NumPy array: wrong magic");
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(prefix[at])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) refuse_npy("format version " + std::to_string(version) + ": expected 1 .. 3");
  const std::size_t start = version == 1 ? 10 : 12;
  if (prefix.size() < start) refuse_npy("the header is truncated");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes - start) refuse_npy("the header is truncated");
  if (length > longest)
    refuse_npy("the header has " + std::to_string(length) + " bytes; expected at most " + std::to_string(longest));
  return start + length;
}

NpyHeader parse_npy(std::string_view header_text, std::uint64_t bytes) {
  const std::size_t start = header_text[6] == '\1' ? 10 : 12;
  NpyHeader header = Dictionary(header_text.substr(start)).parse();
  header.data_start = header_text.size();
  if (bytes - header.data_start != bytes_of(header)) {
    refuse_npy("its shape and its length do not agree: " + std::to_string(bytes_of(header)) + " bytes and " +
               std::to_string(bytes - header.data_start));
  }
  return header;
}

std::string npy_header(DType dtype, const std::vector<std::int64_t>& shape) {
  const auto* const type = std::find_if(types.begin(), types.end(), [&](const NamedType& known) { return known.dtype == dtype; });
  if (type == types.end()) refuse_npy("NumPy has no equivalent of dtype " + std::string(dtype_name(dtype)));
  std::string text = "{'descr': '";
  text += element_bytes(dtype) == 1 ? '|' : '<';
  text += type->name;
  text += "', 'fortran_order': False, 'shape': (";
  for (std::size_t d = 0; d < shape.size(); ++d) {
    text += std::to_string(shape[d]);
    if (d + 1 < shape.size() || shape.size() == 1) text += shape.size() == 1 ? "," : ", ";
  }
  text += "), }";
  const auto padded = [&](std::size_t start) { return (start + text.size() + 1 + 63) / 64 * 64 - start; };
  const bool is_long = padded(10) > 65535;
  const std::size_t length = padded(is_long ? 12 : 10);
  std::string out(magic);
  out += is_long ? '\2' : '\1';
  out += '\0';
  for (int shift = 0; shift < (is_long ? 32 : 16); shift += 8) out += static_cast<char>(length >> shift & 255);
  text.resize(length - 1, ' ');
  return out + text + '\n';
}

bool is_row_major(const NpyHeader& header) { return !header.column_major || header.shape.size() < 2; }

void to_native_order(const NpyHeader& header, Tensor& tensor) {
  if (!header.swapped) return;
  swap_numbers(static_cast<char*>(tensor.data()), static_cast<std::size_t>(tensor.bytes()), number_bytes(header.dtype));
}

void copy_elements(const NpyHeader& header, std::string_view data, Tensor& tensor) {
  auto* const to = static_cast<char*>(tensor.data());
  if (data.empty()) return;
  if (is_row_major(header)) {
    std::memcpy(to, data.data(), data.size());
  } else {
    copy_column_major(header, data.data(), to);
  }
  to_native_order(header, tensor);
}

}  // namespace ckpt::cli
