// tree.hpp - the C++17 interface of tree.h: one type for nested values, created from and converted to types of the standard
// library.
//
//   state.set("extra", ckpt::Value::dict({{"epoch", 3}, {"rates", std::vector<double>{0.1, 0.01}}, {"note", "warm-up"}}));
//   ...
//   const auto extra = reader.get<ckpt::Value>("extra");
//   const int epoch = extra["epoch"].get<int>();
//   const auto rates = extra["rates"].get<std::vector<double>>();
#ifndef CKPT_TREE_HPP
#define CKPT_TREE_HPP

#include <ckpt/tree.h>
#include <ckpt/base.hpp>
#include <ckpt/tensor.hpp>
#include <ckpt/values/tree.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <variant>

namespace ckpt {

class Value;

namespace detail {

// ---- Types of values ----

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

// Whether T may be an element of a tensor.
template <class T>
inline constexpr bool is_element = (std::is_arithmetic_v<T> && !std::is_same_v<T, long double>) ||
                                   std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T, class = void>
struct Pointed {
  using type = void;
};
template <class T>
struct Pointed<T, std::void_t<decltype(*std::declval<const T&>().data()), decltype(std::declval<const T&>().size())>> {
  using type = std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<const T&>().data())>>;
};
// The type of its contiguous elements; void if it has none.
template <class T>
using pointed = typename Pointed<T>::type;

template <class T, class = void>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<T, std::void_t<typename T::key_type, typename T::mapped_type>> = true;

template <class T, class = void>
inline constexpr bool is_sequence = false;
template <class T>
inline constexpr bool is_sequence<T, std::void_t<typename T::value_type, decltype(std::declval<const T&>().begin())>> = true;

// A variant that can be copied when memory runs out. In libstdc++ 12 the constructor of std::variant that copies runs the
// destructor of no alternative if an allocation fails, and crashes.
template <class... Types>
struct CopiedVariant : std::variant<Types...> {
  using Variant = std::variant<Types...>;
  using Variant::Variant;

  CopiedVariant() = default;
  CopiedVariant(const CopiedVariant& other) : Variant() {
    std::visit(
        [this](const auto& each) {
          auto copy = each;
          this->template emplace<std::decay_t<decltype(each)>>(std::move(copy));
        },
        static_cast<const Variant&>(other));
  }
  CopiedVariant(CopiedVariant&&) noexcept = default;
  CopiedVariant& operator=(const CopiedVariant& other) {
    *this = CopiedVariant(other);
    return *this;
  }
  CopiedVariant& operator=(CopiedVariant&&) noexcept = default;
};

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t count>
inline constexpr bool is_array<std::array<T, count>> = true;

template <class T>
inline constexpr bool is_text = std::is_convertible_v<const T&, std::string_view> && !std::is_null_pointer_v<T>;

template <class T>
using GivenAs = std::conditional_t<is_text<T>, std::string_view, T>;  // also for arrays of char

template <class T>
constexpr bool can_be_value() {
  if constexpr (std::is_same_v<T, Value> || std::is_same_v<T, std::nullptr_t> || std::is_same_v<T, Tensor> || is_element<T> ||
                is_text<T> || std::is_same_v<T, std::filesystem::path> || is_element<pointed<T>> ||
                std::is_same_v<pointed<T>, std::byte>) {
    return true;
  } else if constexpr (is_map<T>) {
    return can_be_value<typename T::key_type>() && can_be_value<typename T::mapped_type>();
  } else if constexpr (is_sequence<T>) {
    return can_be_value<typename T::value_type>();
  } else {
    return false;
  }
}

// The dtype of elements in memory. For complex numbers of two doubles it is the dtype of one double, with an additional dimension.
template <class T>
constexpr DType element_dtype() {
  static_assert(is_element<T>);
  if constexpr (std::is_same_v<T, bool>) return DType::bool_;
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>) return DType::f64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return DType::c64;
  constexpr DType with_sign[] = {DType::i8, DType::i16, DType::i32, DType::i64};
  constexpr DType without[] = {DType::u8, DType::u16, DType::u32, DType::u64};
  constexpr int place = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return std::is_signed_v<T> ? with_sign[place] : without[place];
}

inline std::string_view tree_kind_name(TreeKind kind) noexcept {
  constexpr std::string_view names[] = {"nothing",        "truth value",  "integer",   "big integer", "number",
                                        "complex number", "text",         "bytes",     "bytearray",   "path",
                                        "POSIX path",     "Windows path", "list",      "tuple",       "dict",
                                        "ordered dict",   "named tuple",  "dataclass", "tensor",      "value with attributes"};
  const auto number = static_cast<std::size_t>(kind);
  return number < std::size(names) ? names[number] : "value of an unknown kind";
}

}  // namespace detail

// A null, a truth value, a number, a string, bytes, a tensor, a list of values, or an ordered dict of values;
// docs/reference/state.md has the table of conversions. It stores properties of types of other languages (a tuple, a dataclass,
// ...), so that a value that was read is written unchanged. A copy copies lists and dicts, and shares tensors.
class Value {
 public:
  using List = std::vector<Value>;
  using Item = std::pair<Value, Value>;
  using Dict = std::vector<Item>;  // keys and values

  Value() = default;
  // Creates a value from numbers, truth values, nullptr, strings, paths, tensors (shared), maps, and sequences. Contiguous numbers
  // (std::vector<float>, std::array, Span, std::vector<bool>) are copied into a tensor, std::byte into bytes; other sequences
  // become lists.
  template <class T, class = std::enable_if_t<!std::is_same_v<T, Value> && detail::can_be_value<detail::GivenAs<T>>()>>
  Value(const T& given) {  // NOLINT(google-explicit-constructor)
    take<detail::GivenAs<T>>(given);
  }

  static Value list(std::initializer_list<Value> parts) { return Value(TreeKind::list, List(parts)); }
  static Value list(List parts = {}) { return Value(TreeKind::list, std::move(parts)); }
  static Value dict(std::initializer_list<Item> items) { return Value(TreeKind::dict, Dict(items)); }
  static Value dict(Dict items = {}) { return Value(TreeKind::dict, std::move(items)); }
  static Value bytes(const void* data, std::size_t size) {
    return Value(TreeKind::bytes, std::string(static_cast<const char*>(data), size));
  }

  TreeKind kind() const noexcept { return kind_; }
  bool is_null() const noexcept { return kind_ == TreeKind::null; }
  bool is_text() const noexcept { return kind_ == TreeKind::text; }
  bool is_tensor() const noexcept { return kind_ == TreeKind::tensor; }
  // Whether it is a list or a tuple.
  bool is_list() const noexcept { return std::holds_alternative<List>(data_); }
  // Whether it is a dict, an ordered dict, a named tuple or a dataclass.
  bool is_dict() const noexcept { return std::holds_alternative<Dict>(data_); }
  // Returns the class name of a named tuple or dataclass; "" for others.
  const std::string& class_name() const noexcept { return class_name_; }

  // Returns the value as a T, any type from which a Value can be created; throws Error with Status::invalid_argument if it is of
  // another kind or does not fit. A scalar of NumPy is a number; a big integer is a string ("0x1f..."); a vector of numbers is read
  // from a tensor of exactly this type, flattened, or from a list.
  template <class T>
  T get() const;

  // For lists, dicts and tuples; throws Error with Status::invalid_argument for others.
  std::size_t size() const { return is_dict() ? items().size() : parts().size(); }
  const List& parts() const& { return of<List>("a list"); }
  List& parts() & { return const_cast<List&>(of<List>("a list")); }
  List parts() && { return std::move(parts()); }  // for a loop over the parts of a temporary value
  const Dict& items() const& { return of<Dict>("a dict"); }
  Dict& items() & { return const_cast<Dict&>(of<Dict>("a dict")); }
  Dict items() && { return std::move(items()); }
  // Returns a part of a list; throws Error with Status::out_of_range.
  const Value& operator[](std::size_t index) const {
    if (index >= parts().size()) {
      throw Error(Status::out_of_range,
                  "index is " + std::to_string(index) + "; the list has " + std::to_string(parts().size()) + " parts");
    }
    return parts()[index];
  }
  // Returns the value of a key; throws Error with Status::not_found.
  const Value& operator[](const Value& key) const {
    if (const Value* found = find(key)) return *found;
    throw Error(Status::not_found, "key " + key.shown() + " is not in the dict");
  }
  // Returns nullptr if the key does not exist.
  const Value* find(const Value& key) const {
    for (const Item& item : items()) {
      if (item.first == key) return &item.second;
    }
    return nullptr;
  }
  bool has(const Value& key) const { return find(key) != nullptr; }
  // Sets the value of a key, replacing an earlier value.
  void set(const Value& key, Value value) {
    if (const Value* found = find(key)) {
      *const_cast<Value*>(found) = std::move(value);
    } else {
      items().emplace_back(key, std::move(value));
    }
  }
  void push_back(Value value) { parts().push_back(std::move(value)); }

  // Attributes of the value in another language, by name: "_metadata" of a state_dict of PyTorch, "requires_grad" of a tensor. Keys
  // are strings; empty for most values.
  const Dict& attributes() const& { return attributes_; }
  Dict& attributes() & { return attributes_; }
  Dict attributes() && { return std::move(attributes_); }

  // Whether both have the same kind and are equal bit for bit, tensors and attributes included.
  friend bool operator==(const Value& left, const Value& right) { return left.equals(right); }
  friend bool operator!=(const Value& left, const Value& right) { return !left.equals(right); }

  // Appends the value to a tree.
  void write(ckpt_tree* tree) const;
  // Returns the value of a tree's node; 0 is the root.
  static Value read(ckpt_tree* tree, std::int64_t index = 0) {
    std::map<std::string, SharedTensor> tensors;
    return read(tree, index, tensors);
  }

 private:
  using SharedTensor = std::shared_ptr<Tensor>;
  using Complex = std::complex<double>;
  using Data = detail::CopiedVariant<std::monostate, bool, std::int64_t, double, Complex, std::string, List, Dict, SharedTensor>;

  Value(TreeKind kind, Data data) : kind_(kind), data_(std::move(data)) {}

  template <class T>
  void take(const T& given);
  template <class T>
  void take_elements(const T& given);
  void take_integer(std::uint64_t magnitude, bool negative);
  static Value read(ckpt_tree* tree, std::int64_t& index, std::map<std::string, SharedTensor>& tensors);
  void read_tensor(ckpt_tree* tree, std::int64_t index, std::map<std::string, SharedTensor>& tensors);
  void write_contents(ckpt_tree* tree) const;
  void write_container(ckpt_tree* tree) const;
  bool equals(const Value& other) const;
  Value of_scalar() const;
  template <class T>
  T whole_number() const;
  template <class T>
  T floating() const;
  template <class T>
  std::vector<T> elements() const;

  template <class T>
  const T& of(const char* wanted) const {
    const T* found = std::get_if<T>(&data_);
    if (found == nullptr) mismatch(wanted);
    return *found;
  }
  [[noreturn]] void mismatch(const std::string& wanted) const {
    throw Error(Status::invalid_argument,
                "the value is of kind '" + std::string(detail::tree_kind_name(kind_)) + "'; expected " + wanted);
  }
  [[noreturn]] static void misfit(const std::string& value, const char* wanted) {
    throw Error(Status::invalid_argument, "the value " + value + " does not fit the requested " + wanted + " type");
  }
  std::string shown() const {
    if (kind_ == TreeKind::text) return "'" + std::get<std::string>(data_) + "'";
    if (kind_ == TreeKind::integer) return std::to_string(std::get<std::int64_t>(data_));
    return "(" + std::string(detail::tree_kind_name(kind_)) + ")";
  }

  TreeKind kind_ = TreeKind::null;
  TreeForm form_ = TreeForm::array;  // this and the next two apply to a tensor
  bool big_endian_ = false;
  bool complex128_ = false;
  std::string class_name_;
  Data data_;
  Dict attributes_;
};

// ---- From C++ ----

inline void Value::take_integer(std::uint64_t magnitude, bool negative) {
  constexpr std::uint64_t most = std::uint64_t{1} << 63;
  if (magnitude < most + (negative ? 1 : 0)) {
    kind_ = TreeKind::integer;
    data_ = static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
    return;
  }
  std::string digits;
  for (; magnitude != 0; magnitude >>= 4) digits.insert(digits.begin(), "0123456789abcdef"[magnitude & 15]);
  kind_ = TreeKind::big_integer;
  data_ = "0x" + digits;
}

template <class T>
void Value::take_elements(const T& given) {
  using Element = std::decay_t<decltype(*std::begin(given))>;
  const auto count = static_cast<std::int64_t>(given.size());
  complex128_ = std::is_same_v<Element, std::complex<double>>;
  auto tensor =
      std::make_shared<Tensor>(detail::element_dtype<Element>(), complex128_ ? Tensor::Shape{count, 2} : Tensor::Shape{count});
  auto* to = static_cast<Element*>(tensor->data());
  for (const Element each : given) *to++ = each;
  kind_ = TreeKind::tensor;
  data_ = std::move(tensor);
}

template <class T>
void Value::take(const T& given) {
  if constexpr (std::is_same_v<T, std::nullptr_t>) {
    kind_ = TreeKind::null;
  } else if constexpr (std::is_same_v<T, bool>) {
    *this = Value(TreeKind::boolean, given);
  } else if constexpr (std::is_integral_v<T>) {
    using Widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const auto bits = static_cast<std::uint64_t>(Widest{given});
    const bool negative = given < T{0};
    take_integer(negative ? ~bits + 1 : bits, negative);
  } else if constexpr (std::is_floating_point_v<T>) {
    *this = Value(TreeKind::number, static_cast<double>(given));
  } else if constexpr (detail::is_complex<T>) {
    *this = Value(TreeKind::complex, Complex(given));
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    *this = Value(TreeKind::path, given.string());
  } else if constexpr (detail::is_text<T>) {
    *this = Value(TreeKind::text, std::string(given));
  } else if constexpr (std::is_same_v<T, Tensor>) {
    *this = Value(TreeKind::tensor, std::make_shared<Tensor>(given.share()));
    form_ = TreeForm::tensor;
  } else if constexpr (std::is_same_v<detail::pointed<T>, std::byte>) {
    *this = bytes(given.data(), given.size());
  } else if constexpr (detail::is_map<T>) {
    Dict items;
    for (const auto& [key, value] : given) items.emplace_back(Value(key), Value(value));
    *this = Value(TreeKind::dict, std::move(items));
  } else if constexpr (detail::is_element<detail::pointed<T>> || std::is_same_v<T, std::vector<bool>>) {
    take_elements(given);
  } else {
    List parts;
    for (const auto& part : given) parts.emplace_back(part);
    *this = Value(TreeKind::list, std::move(parts));
  }
}

// ---- To C++ ----

// Returns a scalar of a numeric library as a value of the language; any other value unchanged.
inline Value Value::of_scalar() const {
  const auto* const tensor = std::get_if<SharedTensor>(&data_);
  if (tensor == nullptr || (*tensor)->element_count() != (complex128_ ? 2 : 1) ||
      (*tensor)->shape().size() != (complex128_ ? 1U : 0U))
    return *this;
  const void* const data = std::as_const(**tensor).data();
  const auto as = [&](auto zero) {
    std::memcpy(&zero, data, sizeof zero);
    return Value(zero);
  };
  if (complex128_) return as(std::complex<double>());
  switch ((*tensor)->dtype()) {
    case DType::bool_: return Value(*static_cast<const char*>(data) != 0);
    case DType::i8: return as(std::int8_t{});
    case DType::u8: return as(std::uint8_t{});
    case DType::i16: return as(std::int16_t{});
    case DType::u16: return as(std::uint16_t{});
    case DType::i32: return as(std::int32_t{});
    case DType::u32: return as(std::uint32_t{});
    case DType::i64: return as(std::int64_t{});
    case DType::u64: return as(std::uint64_t{});
    case DType::f32: return as(float{});
    case DType::f64: return as(double{});
    case DType::c64: return as(std::complex<float>());
    default: return *this;
  }
}

template <class T>
T Value::whole_number() const {
  if (kind_ == TreeKind::big_integer) {
    const auto& text = std::get<std::string>(data_);
    if constexpr (std::is_same_v<std::make_unsigned_t<T>, T> && sizeof(T) == 8) {
      if (text[0] != '-' && text.size() <= 18) return static_cast<T>(std::stoull(text, nullptr, 16));
    }
    misfit(text, "integer");
  }
  const std::int64_t value = of<std::int64_t>("an integer");
  const bool fits = std::is_signed_v<T> ? value >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
                                              value <= static_cast<std::int64_t>(std::numeric_limits<T>::max())
                                        : value >= 0 && static_cast<std::uint64_t>(value) <=
                                                            static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  if (!fits) misfit(std::to_string(value), "integer");
  return static_cast<T>(value);
}

// Converts with rounding, but fails outside the range of the type; whole numbers are converted exactly.
template <class T>
T Value::floating() const {
  const auto* const whole = std::get_if<std::int64_t>(&data_);
  const double value = whole != nullptr ? static_cast<double>(*whole) : of<double>("a number");
  const bool fits = !std::isfinite(value) || std::abs(value) <= static_cast<double>(std::numeric_limits<T>::max());
  const T created = fits ? static_cast<T>(value) : T{};
  // 2^63 as a double does not fit in 64 bits.
  const bool exact = whole == nullptr || (static_cast<double>(created) < 0x1p63 && static_cast<std::int64_t>(created) == *whole);
  if (!fits || !exact) misfit(whole != nullptr ? std::to_string(*whole) : std::to_string(value), "floating-point");
  return created;
}

template <class T>
std::vector<T> Value::elements() const {
  const auto* const tensor = std::get_if<SharedTensor>(&data_);
  constexpr bool pairs = std::is_same_v<T, std::complex<double>>;
  if (tensor == nullptr || (*tensor)->dtype() != detail::element_dtype<T>() || pairs != complex128_) {
    mismatch("numbers of dtype " + std::string(dtype_name(detail::element_dtype<T>())) +
             (tensor == nullptr ? "" : "; it is of " + std::string(dtype_name((*tensor)->dtype()))));
  }
  const std::int64_t count = (*tensor)->element_count() / (pairs ? 2 : 1);
  const T* const first = static_cast<const T*>(std::as_const(**tensor).data());
  return std::vector<T>(first, first + count);
}

template <class T>
T Value::get() const {
  if constexpr (std::is_same_v<T, Value>) {
    return *this;
  } else if constexpr (std::is_same_v<T, bool>) {
    return of_scalar().of<bool>("a truth value");
  } else if constexpr (std::is_integral_v<T>) {
    return of_scalar().whole_number<T>();
  } else if constexpr (std::is_floating_point_v<T>) {
    return of_scalar().floating<T>();
  } else if constexpr (detail::is_complex<T>) {
    const Value plain = of_scalar();
    const auto* const complex = std::get_if<Complex>(&plain.data_);
    return complex != nullptr ? T(*complex) : T(Complex(plain.get<double>()));
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (kind_ == TreeKind::bytes || kind_ == TreeKind::bytearray) mismatch("a text");
    return of<std::string>("a text");
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return std::filesystem::path(get<std::string>());
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return of<SharedTensor>("a tensor")->share();
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
    if (kind_ != TreeKind::bytes && kind_ != TreeKind::bytearray) mismatch("bytes");
    const auto& text = std::get<std::string>(data_);
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return T(first, first + text.size());
  } else if constexpr (detail::is_map<T>) {
    T created;
    for (const Item& item : items())
      created.emplace(item.first.get<typename T::key_type>(), item.second.get<typename T::mapped_type>());
    return created;
  } else {
    static_assert(detail::is_sequence<T>, "a Value cannot be read as this type");
    using Part = typename T::value_type;
    if constexpr (detail::is_array<T>) {
      const auto all = get<std::vector<Part>>();
      T created{};
      if (all.size() != created.size()) {
        throw Error(Status::invalid_argument, "the value has " + std::to_string(all.size()) + " parts; expected an array of " +
                                                  std::to_string(created.size()));
      }
      std::copy(all.begin(), all.end(), created.begin());
      return created;
    } else {
      if constexpr (std::is_same_v<T, std::vector<Part>> && detail::is_element<Part>) {
        if (!is_list()) return elements<Part>();
      }
      T created;
      for (const Value& part : parts()) created.insert(created.end(), part.get<Part>());
      return created;
    }
  }
}

// Elements of std::vector<bool> have no addresses.
template <>
inline std::vector<bool> Value::elements<bool>() const {
  const auto* const tensor = std::get_if<SharedTensor>(&data_);
  if (tensor == nullptr || (*tensor)->dtype() != DType::bool_) mismatch("truth values");
  const auto* const first = static_cast<const char*>(std::as_const(**tensor).data());
  return std::vector<bool>(first, first + (*tensor)->element_count());
}

inline bool Value::equals(const Value& other) const {
  if (attributes_ != other.attributes_) return false;
  if (kind_ != other.kind_ || class_name_ != other.class_name_) return false;
  const auto same_bits = [](double left, double right) { return std::memcmp(&left, &right, sizeof left) == 0; };  // NOLINT: by bits
  switch (kind_) {
    case TreeKind::number: return same_bits(std::get<double>(data_), std::get<double>(other.data_));
    case TreeKind::complex: {
      const auto left = std::get<Complex>(data_);
      const auto right = std::get<Complex>(other.data_);
      return same_bits(left.real(), right.real()) && same_bits(left.imag(), right.imag());
    }
    case TreeKind::tensor: {
      const auto& left = std::get<SharedTensor>(data_);
      const auto& right = std::get<SharedTensor>(other.data_);
      return form_ == other.form_ && big_endian_ == other.big_endian_ && complex128_ == other.complex128_ &&
             left->dtype() == right->dtype() && left->shape() == right->shape() && left->bit_equal(*right);
    }
    default: return data_ == other.data_;
  }
}

// ---- Trees ----

namespace detail {

inline ckpt_tree_node tree_node(TreeKind kind) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  node.kind = static_cast<ckpt_tree_kind>(kind);
  return node;
}
inline void set_bytes(ckpt_tree_node& node, const std::string& bytes) {
  node.data = bytes.data();
  node.bytes = static_cast<std::int64_t>(bytes.size());
}
inline std::string bytes_of(const ckpt_tree_node& node) {
  return {static_cast<const char*>(node.data), static_cast<std::size_t>(node.bytes)};
}
inline ckpt_tree_node node_at(const ckpt_tree* tree, std::int64_t index) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  check(ckpt_tree_get(tree, index, &node));
  return node;
}

}  // namespace detail

inline void Value::write_container(ckpt_tree* tree) const {
  ckpt_tree_node node = detail::tree_node(kind_);
  if (kind_ == TreeKind::named_tuple || kind_ == TreeKind::dataclass) detail::set_bytes(node, class_name_);
  node.count = static_cast<std::int64_t>(size());
  check(ckpt_tree_add(tree, &node));
  if (is_dict()) {
    for (const Item& item : items()) {
      item.first.write(tree);
      item.second.write(tree);
    }
  } else {
    for (const Value& part : parts()) part.write(tree);
  }
}

inline void Value::write(ckpt_tree* tree) const {
  if (attributes_.empty()) return write_contents(tree);
  ckpt_tree_node node = detail::tree_node(TreeKind::attributes);
  node.count = 2;
  check(ckpt_tree_add(tree, &node));
  write_contents(tree);
  Value::dict(attributes_).write(tree);
}

inline void Value::write_contents(ckpt_tree* tree) const {
  if (is_list() || is_dict()) return write_container(tree);
  ckpt_tree_node node = detail::tree_node(kind_);
  switch (kind_) {
    case TreeKind::null: break;
    case TreeKind::boolean: node.integer = std::get<bool>(data_) ? 1 : 0; break;
    case TreeKind::integer: node.integer = std::get<std::int64_t>(data_); break;
    case TreeKind::number: node.real = std::get<double>(data_); break;
    case TreeKind::complex:
      node.real = std::get<Complex>(data_).real();
      node.imaginary = std::get<Complex>(data_).imag();
      break;
    case TreeKind::tensor:
      node.form = static_cast<ckpt_tree_form>(form_);
      node.is_big_endian = big_endian_ ? 1 : 0;
      node.is_complex128 = complex128_ ? 1 : 0;
      node.tensor = std::get<SharedTensor>(data_)->handle();
      break;
    default: detail::set_bytes(node, std::get<std::string>(data_));
  }
  check(ckpt_tree_add(tree, &node));
}

inline void Value::read_tensor(ckpt_tree* tree, std::int64_t index, std::map<std::string, SharedTensor>& tensors) {
  const ckpt_tree_node node = detail::node_at(tree, index);
  form_ = static_cast<TreeForm>(node.form);
  big_endian_ = node.is_big_endian != 0;
  complex128_ = node.is_complex128 != 0;
  SharedTensor& known = tensors[detail::bytes_of(node)];
  if (known == nullptr) {
    known = std::make_shared<Tensor>(Tensor::adopt(detail::result_of<ckpt_tensor*>(ckpt_tree_get_tensor, tree, index)));
  }
  data_ = known;
}

// index: of the node; on return, of the node after it and its parts.
inline Value Value::read(ckpt_tree* tree, std::int64_t& index, std::map<std::string, SharedTensor>& tensors) {
  const ckpt_tree_node node = detail::node_at(tree, index);
  const std::int64_t here = index++;
  Value created;
  created.kind_ = static_cast<TreeKind>(node.kind);
  switch (created.kind_) {
    case TreeKind::null: break;
    case TreeKind::boolean: created.data_ = node.integer != 0; break;
    case TreeKind::integer: created.data_ = node.integer; break;
    case TreeKind::number: created.data_ = node.real; break;
    case TreeKind::complex: created.data_ = Complex(node.real, node.imaginary); break;
    case TreeKind::list:
    case TreeKind::tuple: {
      List parts;
      for (std::int64_t i = 0; i < node.count; ++i) parts.push_back(read(tree, index, tensors));
      created.data_ = std::move(parts);
      break;
    }
    case TreeKind::named_tuple:
    case TreeKind::dataclass: created.class_name_ = detail::bytes_of(node); [[fallthrough]];
    case TreeKind::dict:
    case TreeKind::ordered_dict: {
      Dict items;
      for (std::int64_t i = 0; i < node.count; ++i) {
        Value key = read(tree, index, tensors);
        items.emplace_back(std::move(key), read(tree, index, tensors));
      }
      created.data_ = std::move(items);
      break;
    }
    case TreeKind::tensor: created.read_tensor(tree, here, tensors); break;
    case TreeKind::attributes:
      created = read(tree, index, tensors);
      created.attributes_ = read(tree, index, tensors).items();
      break;
    default: created.data_ = detail::bytes_of(node);
  }
  return created;
}

namespace detail {

using Tree = Handle<ckpt_tree, ckpt_tree_release>;

inline Value value_of_state(const ckpt_state* state, const std::string& group) {
  const Tree tree(result_of<ckpt_tree*>(ckpt_tree_create_from_state, state, group.c_str()));
  return Value::read(tree.get());
}
// Creates the tree of a value.
inline Tree tree_of(const Value& value) {
  Tree tree(result_of<ckpt_tree*>(ckpt_tree_create));
  value.write(tree.get());
  return tree;
}
// key: reads only the value of this key of a dict; nullptr: all keys.
inline Value value_of_reader(ckpt_reader* reader, const std::string& group, const char* key) {
  const Tree tree(result_of<ckpt_tree*>(ckpt_tree_create_from_reader, reader, group.empty() ? nullptr : group.c_str()));
  const std::int64_t index = key == nullptr ? 0 : result_of<std::int64_t>(ckpt_tree_find, tree.get(), std::int64_t{0}, key);
  return Value::read(tree.get(), index);
}
inline void set_value(ckpt_state* state, const std::string& group, const Value& value) {
  check(ckpt_state_set_tree(state, group.c_str(), tree_of(value).get()));
}

}  // namespace detail

// Returns the text of tree format 1 (docs/reference/file-format.md) for a value: for inspection, and for other programs.
inline std::string tree_text(const Value& value) {
  const detail::Tree tree = detail::tree_of(value);
  return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
    return ckpt_tree_get_text(tree.get(), buffer, capacity, needed);
  });
}
// Returns the value of a text without tensors; throws Error with Status::corrupt for an invalid text.
inline Value value_of_tree_text(std::string_view text) {
  const auto bytes = static_cast<std::int64_t>(text.size());
  const detail::Tree tree(detail::result_of<ckpt_tree*>(ckpt_tree_create_from_text, text.data(), bytes));
  return Value::read(tree.get());
}

}  // namespace ckpt

#endif  // CKPT_TREE_HPP
