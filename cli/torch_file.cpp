#include "torch_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "archive.h"
#include "pickle.h"
#include "pickle_tree.h"
#include "strided.h"
#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;
using Kind = PickleValue::Kind;
using Lengths = std::vector<std::int64_t>;

// Limits the expansion of tensors and values relative to the file: tensors can expand one element, and values can share one string.
constexpr std::uint64_t max_times = 16;
constexpr std::uint64_t always_allowed = std::uint64_t{64} << 20;

constexpr std::string_view rebuild_tensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view rebuild_tensor_with_dtype = "torch._utils._rebuild_tensor_v3";
constexpr std::string_view rebuild_parameter = "torch._utils._rebuild_parameter";
constexpr std::string_view size_class = "torch.Size";

struct ElementType {
  std::string_view storage;  // class of its storages; "": untyped
  std::string_view dtype;
  DType stored;
  bool pairs = false;  // complex128: two F64 per element
};
constexpr std::array<ElementType, 20> element_types = {{{"torch.DoubleStorage", "torch.float64", DType::f64},
                                                        {"torch.FloatStorage", "torch.float32", DType::f32},
                                                        {"torch.HalfStorage", "torch.float16", DType::f16},
                                                        {"torch.BFloat16Storage", "torch.bfloat16", DType::bf16},
                                                        {"torch.LongStorage", "torch.int64", DType::i64},
                                                        {"torch.IntStorage", "torch.int32", DType::i32},
                                                        {"torch.ShortStorage", "torch.int16", DType::i16},
                                                        {"torch.CharStorage", "torch.int8", DType::i8},
                                                        {"torch.ByteStorage", "torch.uint8", DType::u8},
                                                        {"torch.BoolStorage", "torch.bool", DType::bool_},
                                                        {"torch.ComplexFloatStorage", "torch.complex64", DType::c64},
                                                        {"torch.ComplexDoubleStorage", "torch.complex128", DType::f64, true},
                                                        {"", "torch.uint16", DType::u16},
                                                        {"", "torch.uint32", DType::u32},
                                                        {"", "torch.uint64", DType::u64},
                                                        {"", "torch.float8_e4m3fn", DType::f8_e4m3},
                                                        {"", "torch.float8_e5m2", DType::f8_e5m2},
                                                        {"", "torch.float8_e8m0fnu", DType::f8_e8m0},
                                                        {"", "torch.float8_e4m3fnuz", DType::f8_e4m3fnuz},
                                                        {"", "torch.float8_e5m2fnuz", DType::f8_e5m2fnuz}}};

bool is_untyped_storage(std::string_view name) { return name == "torch.UntypedStorage" || name == "torch.storage.UntypedStorage"; }

const ElementType* type_of(std::string_view name) {
  const auto* const found = std::find_if(element_types.begin(), element_types.end(),
                                         [&](const ElementType& type) { return type.storage == name || type.dtype == name; });
  return found == element_types.end() ? nullptr : found;
}

bool is_known(std::string_view global) {
  return global == rebuild_tensor || global == rebuild_tensor_with_dtype || global == rebuild_parameter || global == size_class ||
         is_untyped_storage(global) || type_of(global) != nullptr;
}

std::int64_t element_bytes(const ElementType& type) { return dtype_bits(type.stored) / 8 * (type.pairs ? 2 : 1); }

// ---- Tensors in the pickle ----

// A view of a storage; equal for tensors that share their elements.
struct View {
  std::string key;  // key of the storage
  const ElementType* type = nullptr;
  std::int64_t storage_elements = 0;
  std::int64_t offset = 0;
  Lengths shape;
  Lengths strides;

  auto identity() const { return std::tie(key, type, offset, shape, strides); }
};

[[noreturn]] void refuse_at(const PickleValue& value, const std::string& why) {
  throw std::runtime_error(cat("data.pkl at byte ", value.at, ": ", why));
}

std::int64_t product(std::int64_t a, std::int64_t b, const PickleValue& where) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) refuse_at(where, "the tensor is too large");
  return result;
}

std::int64_t sum(std::int64_t a, std::int64_t b, const PickleValue& where) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) refuse_at(where, "the tensor is too large");
  return result;
}

// Interprets the recorded calls of a pickle without making them.
class Calls {
 public:
  explicit Calls(const Pickle& pickle) : pickle_(pickle) {}

  bool is_tensor(const PickleValue& value) const {
    if (value.kind != Kind::call) return false;
    const std::string& function = function_of(value);
    return function == rebuild_tensor || function == rebuild_tensor_with_dtype || function == rebuild_parameter;
  }

  std::string name(const PickleValue& value) const {
    return value.kind == Kind::call ? "a call of " + printable(function_of(value)) : name_of(value);
  }

  // Returns whether the call creates a parameter.
  bool is_parameter(const PickleValue& call) const { return function_of(call) == rebuild_parameter; }
  bool requires_grad(const PickleValue& call) const {
    const PickleValue& flag = argument(call, is_parameter(call) ? 1 : 4);
    if (flag.kind != Kind::boolean) refuse_at(call, "requires_grad: expected a bool");
    return std::get<bool>(flag.content);
  }

  bool is_size(const PickleValue& value) const { return value.kind == Kind::call && function_of(value) == size_class; }

  // Returns the lengths of a torch.Size.
  Lengths size_of(const PickleValue& call) const { return lengths(call, argument(call, 0)); }

  View view_of(const PickleValue& call) const {
    if (function_of(call) == rebuild_parameter) {
      const PickleValue& data = argument(call, 0);
      if (data.kind != Kind::call || !is_tensor(data) || function_of(data) == rebuild_parameter)
        refuse_at(call, "a parameter's data: expected a tensor");
      if (arguments(call).size() > 2) require_none(call, argument(call, 2), "hooks");
      return view_of(data);
    }
    const bool with_dtype = function_of(call) == rebuild_tensor_with_dtype;
    View view;
    const std::int64_t bytes = read_storage(argument(call, 0), view);
    view.offset = length(call, argument(call, 1));
    view.shape = lengths(call, argument(call, 2));
    view.strides = lengths(call, argument(call, 3));
    require_none(call, argument(call, 5), "hooks");
    if (with_dtype) {
      const PickleValue& dtype = argument(call, 6);
      view.type = dtype.kind == Kind::global ? type_of(dtype.text()) : nullptr;
    }
    if (view.type == nullptr) refuse_at(call, "the tensor has an unknown dtype");
    view.storage_elements = bytes / element_bytes(*view.type);
    const std::size_t metadata = with_dtype ? 7 : 6;
    if (arguments(call).size() > metadata)
      require_none(call, argument(call, metadata), "a conjugated or negated view: call resolve_conj() and resolve_neg() on it, or");
    require_inside(call, view);
    return view;
  }

 private:
  const PickleValue& at(PickleValue::Index index) const { return pickle_.values[index]; }
  const std::string& function_of(const PickleValue& call) const { return at(call.parts()[0]).text(); }
  const PickleValue::Parts& arguments(const PickleValue& call) const { return at(call.parts()[1]).parts(); }

  const PickleValue& argument(const PickleValue& call, std::size_t number) const {
    if (number >= arguments(call).size()) refuse_at(call, function_of(call) + " has too few arguments");
    return at(arguments(call)[number]);
  }

  static std::int64_t length(const PickleValue& call, const PickleValue& value) {
    const auto* const number = std::get_if<std::int64_t>(&value.content);
    if (number == nullptr || *number < 0) refuse_at(call, "an offset, length or stride: expected a number of elements");
    return *number;
  }

  Lengths lengths(const PickleValue& call, const PickleValue& value) const {
    if (is_size(value)) return lengths_in(call, argument(value, 0));
    return lengths_in(call, value);
  }

  Lengths lengths_in(const PickleValue& call, const PickleValue& value) const {
    if (value.kind != Kind::tuple) refuse_at(call, "a shape or strides: expected a tuple");
    Lengths lengths;
    for (const PickleValue::Index part : value.parts()) lengths.push_back(length(call, at(part)));
    return lengths;
  }

  static void require_none(const PickleValue& call, const PickleValue& value, const std::string& what) {
    if (value.kind == Kind::none || (value.is_dict() && value.parts().empty())) return;
    refuse_at(call, "the tensor has " + what + (what == "hooks" ? "; save it without" : " save it as a plain tensor"));
  }

  // Reads ("storage", class, key, device, elements); returns the storage's bytes.
  std::int64_t read_storage(const PickleValue& value, View& view) const {
    const PickleValue* const id = value.kind == Kind::persistent ? &at(value.parts()[0]) : nullptr;
    if (id == nullptr || id->kind != Kind::tuple || id->parts().size() < 5) refuse_at(value, "a tensor has no storage");
    const auto part = [&](std::size_t i) -> const PickleValue& { return at(id->parts()[i]); };
    const bool is_storage = part(0).kind == Kind::text && part(0).text() == "storage" && part(2).kind == Kind::text;
    if (!is_storage || part(1).kind != Kind::global) refuse_at(value, "a persistent id: expected a storage");
    view.key = part(2).text();
    const std::int64_t elements = length(value, part(4));
    if (is_untyped_storage(part(1).text())) return elements;
    view.type = type_of(part(1).text());
    if (view.type == nullptr) refuse_at(value, part(1).text() + ": expected a storage class");
    return product(elements, element_bytes(*view.type), value);
  }

  static void require_inside(const PickleValue& call, const View& view) {
    if (view.shape.size() != view.strides.size()) refuse_at(call, "the shape and the strides have different ranks");
    std::int64_t last = view.offset;
    std::int64_t elements = 1;
    const bool empty = std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end();
    for (std::size_t d = 0; d < view.shape.size() && !empty; ++d) {
      last = sum(last, product(view.shape[d] - 1, view.strides[d], call), call);
      elements = product(elements, view.shape[d], call);
    }
    static_cast<void>(product(elements, element_bytes(*view.type), call));
    if (!empty && last >= view.storage_elements) {
      refuse_at(call, cat("the tensor reaches to element ", last, " of storage ", printable(view.key), ", which has ",
                          view.storage_elements));
    }
  }

  const Pickle& pickle_;
};

// ---- The archive ----

class TorchArchive {
 public:
  explicit TorchArchive(const std::string& path) : archive_(open_archive(path, ZIP_RDONLY)), mapping_(path) {
    for (ArchiveEntry& entry : entries_of(archive_.get(), path, "entry")) {
      const std::string name = entry.name;
      if (!entries_.emplace(name, std::move(entry)).second)
        throw std::runtime_error("the archive has two entries " + printable(name));
    }
    for (const auto& [name, entry] : entries_) {
      const std::size_t slash = name.find('/');
      if (slash != std::string::npos && name.substr(slash) == "/data.pkl") root_ = name.substr(0, slash + 1);
    }
    if (root_.empty()) throw std::runtime_error("data.pkl is missing: torch.save did not write the file");
    if (entries_.contains(root_ + "constants.pkl"))
      throw std::runtime_error("the file is a TorchScript program (torch.jit.save); save its state_dict() with torch.save");
    if (entries_.contains(root_ + "byteorder")) {
      if (const std::string order = text("byteorder"); order != "little")
        throw std::runtime_error("byteorder " + printable(order.substr(0, 20)) + ": expected little");
    }
  }

  std::string text(const std::string& name) {
    const ArchiveEntry& entry = require(name);
    std::string text(entry.bytes, '\0');
    read(entry, text.data());
    return text;
  }

  std::uint64_t bytes_of(const std::string& name) const { return require(name).bytes; }

  // The bytes stay valid while in use; they are mapped from the file where possible.
  std::shared_ptr<const char> contents(const std::string& name) {
    const ArchiveEntry& entry = require(name);
    if (const char* const mapped = checked(entry, [&] { return mapping_.find(archive_.get(), entry); }); mapped != nullptr)
      return {mapped, [held = mapping_](const char*) { static_cast<void>(held); }};
    std::shared_ptr<char[]> bytes(new char[entry.bytes]);
    read(entry, bytes.get());
    return {bytes, bytes.get()};
  }

 private:
  const ArchiveEntry& require(const std::string& name) const {
    const auto found = entries_.find(root_ + name);
    if (found == entries_.end()) throw std::runtime_error("the entry " + printable(name) + " is missing");
    if (found->second.compressed)
      throw std::runtime_error("the entry " + printable(name) + " is compressed; expected it stored, as by torch.save");
    return found->second;
  }

  void read(const ArchiveEntry& entry, char* to) {
    checked(entry, [&] {
      EntryReader reader(archive_.get(), entry.index);
      reader.read(to, entry.bytes);
      reader.finish();
    });
  }

  // Adds the entry's name to errors of work.
  template <class Work>
  static std::invoke_result_t<Work> checked(const ArchiveEntry& entry, Work&& work) {
    try {
      return work();
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("entry " + printable(entry.name) + ": " + error.what());
    }
  }

  Archive archive_;
  ArchiveMapping mapping_;
  std::map<std::string, ArchiveEntry> entries_;
  std::string root_;  // "name/": torch.save puts all entries into one folder
};

// ---- Tensors ----

bool is_row_major(const View& view) {
  std::int64_t expected = 1;
  for (std::size_t d = view.shape.size(); d-- > 0;) {
    if (view.shape[d] != 1 && view.strides[d] != expected) return false;
    expected *= view.shape[d];
  }
  return true;
}

class Tensors {
 public:
  Tensors(TorchArchive& archive, std::uint64_t max_bytes) : archive_(archive), left_(max_bytes) {}

  Tensor make(const View& view) {
    Lengths shape = view.shape;
    if (view.type->pairs) shape.push_back(2);
    const auto size = static_cast<std::size_t>(element_bytes(*view.type));
    std::uint64_t bytes = size;
    for (const std::int64_t length : view.shape) bytes *= static_cast<std::uint64_t>(length);
    if (bytes > left_) throw std::runtime_error(cat("its tensors exceed ", max_times, " times the file's size"));
    left_ -= bytes;
    if (bytes == 0) return Tensor(view.type->stored, shape);
    const std::shared_ptr<const char> storage = storage_of(view);
    const char* const begin = storage.get() + static_cast<std::size_t>(view.offset) * size;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(begin) % size == 0;
    if (is_row_major(view) && is_aligned) return Tensor::borrow(const_cast<char*>(begin), view.type->stored, shape, [storage] {});
    Tensor tensor(view.type->stored, shape);
    copy_strided(begin, view.shape, view.strides, size, static_cast<char*>(tensor.data()));
    return tensor;
  }

 private:
  std::shared_ptr<const char> storage_of(const View& view) {
    const std::string name = "data/" + view.key;
    const std::int64_t needed = view.storage_elements * element_bytes(*view.type);
    if (archive_.bytes_of(name) < static_cast<std::uint64_t>(needed)) {
      throw std::runtime_error(
          cat("storage ", printable(view.key), " has ", archive_.bytes_of(name), " bytes; data.pkl requires ", needed));
    }
    std::shared_ptr<const char>& storage = storages_[view.key];
    if (storage == nullptr) storage = archive_.contents(name);
    return storage;
  }

  TorchArchive& archive_;
  std::uint64_t left_;
  std::map<std::string, std::shared_ptr<const char>> storages_;
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// ---- The file ----

class Contents {
 public:
  Contents(const Pickle& pickle, TorchArchive& archive, std::uint64_t max_bytes)
      : pickle_(pickle), calls_(pickle), tensors_(archive, max_bytes), max_bytes_(max_bytes) {}

  Foreign read() {
    if (is_state_dict()) return state_dict();
    const std::string text = text_of(pickle_.root);
    Tensor bytes(DType::u8, {static_cast<std::int64_t>(text.size())});
    std::memcpy(bytes.data(), text.data(), text.size());
    named_.emplace_back(tree_tensor, std::move(bytes));
    return {std::move(named_)};
  }

 private:
  // Returns whether it contains only tensors, under names that a safetensors file allows.
  bool is_state_dict() const {
    const PickleValue& root = pickle_.values[pickle_.root];
    if (!root.is_dict()) return false;
    std::set<std::string> names;
    for (std::size_t i = 0; i < root.parts().size(); i += 2) {
      const PickleValue& key = pickle_.values[root.parts()[i]];
      const PickleValue& value = pickle_.values[root.parts()[i + 1]];
      if (key.kind != Kind::text || TensorNames::name_for(key.text()) != key.text() || !names.insert(key.text()).second)
        return false;
      if (!calls_.is_tensor(value) || calls_.view_of(value).type->pairs) return false;
    }
    return true;
  }

  std::string text_of(PickleValue::Index root) {
    return tree_text(
        pickle_, root, [this](const PickleValue& value, const std::string& path) { return node_of(value, path); }, max_bytes_);
  }

  Foreign state_dict() {
    const PickleValue& root = pickle_.values[pickle_.root];
    const PickleValue::Parts& parts = root.parts();
    for (std::size_t i = 0; i < parts.size(); i += 2)
      add(pickle_.values[parts[i]].text(), calls_.view_of(pickle_.values[parts[i + 1]]));
    Foreign all{std::move(named_)};
    named_.clear();
    if (root.attributes.has_value()) all.metadata.emplace(kept_attribute, metadata_of(pickle_.values[*root.attributes]));
    return all;
  }

  // Returns the text of the only attribute, which must not contain tensors.
  std::string metadata_of(const PickleValue& attributes) {
    const PickleValue& name = pickle_.values[attributes.parts()[0]];
    if (attributes.parts().size() != 2 || name.kind != Kind::text || name.text() != kept_attribute)
      refuse_at(attributes, cat("the state dict has attributes other than '", kept_attribute, "', which would be lost"));
    const std::string text = text_of(attributes.parts()[1]);
    if (!named_.empty()) refuse_at(attributes, cat("the state dict's ", kept_attribute, " contains tensors"));
    return text;
  }

  TreeNodes node_of(const PickleValue& value, const std::string& path) {
    if (calls_.is_size(value)) return size_node(calls_.size_of(value));
    if (!calls_.is_tensor(value)) {
      throw std::runtime_error(cat(path.empty() ? "" : printable(path) + ": ", calls_.name(value), " at byte ", value.at,
                                   " of data.pkl is neither a tensor nor a plain value"));
    }
    const View view = calls_.view_of(value);
    std::string& name = names_of_views_[view_key(view)];
    if (name.empty()) {
      name = names_.take(path);
      add(name, view);
    }
    const bool is_parameter = calls_.is_parameter(value);
    const bool requires_grad = calls_.requires_grad(value);
    json node = {"tensor", name, is_parameter ? "parameter" : "torch"};
    if (view.type->pairs) node.push_back("complex128");
    if (is_parameter == requires_grad) return {node.dump(), is_parameter ? 2 : 1};
    return {cat(R"(["attributes"],)", node.dump(), R"(,["dict",1],"requires_grad",)", requires_grad ? "true" : "false"), 2};
  }

  // Encodes it as a tuple of numbers.
  static TreeNodes size_node(const Lengths& lengths) {
    std::string node = json{"tuple", lengths.size()}.dump();
    for (const std::int64_t length : lengths) node += cat(",", length);
    return {node};
  }

  using ViewKey = std::tuple<std::string, const ElementType*, std::int64_t, Lengths, Lengths>;
  static ViewKey view_key(const View& view) { return view.identity(); }

  void add(const std::string& name, const View& view) {
    try {
      named_.emplace_back(name, tensors_.make(view));
    } catch (const std::exception& error) {
      throw std::runtime_error("tensor " + printable(name) + ": " + error.what());
    }
  }

  const Pickle& pickle_;
  Calls calls_;
  Tensors tensors_;
  std::uint64_t max_bytes_;
  TensorNames names_;
  std::map<ViewKey, std::string> names_of_views_;
  NamedTensors named_;
};

// Rejects files from before PyTorch 1.6: a sequence of pickles, the first of which is this number.
void refuse_old_format(const std::string& path) {
  constexpr std::string_view number("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 12);
  std::array<char, 2 + number.size()> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  if (begin[0] == '\x80' && std::string_view(begin.data() + 2, number.size()) == number) {
    throw std::runtime_error(
        path + ": the format of torch.save before PyTorch 1.6 (not a zip archive); load it with PyTorch and save it again");
  }
}

}  // namespace

Foreign read_torch_file(const std::string& path) {
  refuse_old_format(path);
  try {
    TorchArchive archive(path);
    const std::string bytes = archive.text("data.pkl");
    Pickle pickle;
    try {
      pickle = read_pickle(bytes, is_known);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(cat("data.pkl ", error.what()));
    }
    const std::uint64_t max_bytes = always_allowed + max_times * std::filesystem::file_size(path);
    return Contents(pickle, archive, max_bytes).read();
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    throw std::runtime_error(what.starts_with(path) ? what : path + ": " + what);
  }
}

}  // namespace ckpt::cli
