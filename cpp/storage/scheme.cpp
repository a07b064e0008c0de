#include "storage/scheme.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/fork_mutex.h"
#include "storage/file_system.h"
#include "storage/memory.h"
#include "storage/uri.h"

namespace ckpt::storage {
namespace {

using base::quote;
using base::Status;

struct Registry {
  base::ForkMutex mutex;
  std::map<std::string, std::shared_ptr<const SchemeFactory>, std::less<>> schemes;
  std::map<std::string, std::weak_ptr<Storage>, std::less<>> memories;  // by name
};

// Never destroyed: storages may be created during process exit.
Registry& registry() {
  static auto* const the_registry = new Registry;
  return *the_registry;
}
// Initialized at load: a child forked during a lazy first call would wait forever for that call to complete.
[[maybe_unused]] const Registry& schemes_initialized_at_load = registry();

// ---- Built-in schemes ----

void require_plain(const Uri& uri) {
  base::require(!uri.has_query, "uri ", quote(uri.text), " contains '?' or '#', which scheme ", uri.scheme,
                " does not support; %3F and %23 encode the characters");
}

// Returns the options in the query of a file URI: lock=KIND.
WriteOptions file_options(const Uri& uri) {
  constexpr std::string_view key = "lock=";
  WriteOptions options;
  if (!uri.has_query) return options;
  const bool is_known =
      uri.text[uri.text.find_first_of("?#")] == '?' && uri.query.starts_with(key) && uri.query.size() > key.size();
  base::require(is_known, "uri ", quote(uri.text), " contains '?' or '#'; expected only ?lock=KIND after a file path; ",
                "%3F and %23 encode the characters");
  options.lock = lock_kind_of("lock of the uri", std::string_view(uri.query).substr(key.size()));
  return options;
}

std::shared_ptr<Storage> make_file(const Uri& uri) {
  const WriteOptions options = file_options(uri);
  base::require(uri.authority.empty(), "uri ", quote(uri.text), " names the host ", quote(uri.authority),
                "; expected file:PATH or file:///PATH");
  base::require(!uri.path.empty(), "uri ", quote(uri.text), " has no path; expected file:PATH or file:///PATH");
  base::require_name("path of the uri", uri.path);
  return open_file_system(uri.path, Root::make, options);
}

std::shared_ptr<Storage> make_memory(const Uri& uri) {
  require_plain(uri);
  base::require(!uri.has_authority, "uri ", quote(uri.text), " contains \"//\"; expected memory: or memory:NAME");
  if (uri.path.empty()) return make_memory_storage();
  base::require_name("name in the uri", uri.path);
  const std::lock_guard lock(registry().mutex);
  auto& memories = registry().memories;
  std::erase_if(memories, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<Storage>& kept = memories[uri.path];
  std::shared_ptr<Storage> storage = kept.lock();
  if (storage == nullptr) kept = storage = make_memory_storage();
  return storage;
}

struct BuiltIn {
  std::string_view scheme;
  std::shared_ptr<Storage> (*make)(const Uri& uri);
};
constexpr std::array<BuiltIn, 2> built_in = {{{"file", make_file}, {"memory", make_memory}}};

const BuiltIn* find_built_in(std::string_view scheme) {
  const auto* const found = std::ranges::find(built_in, scheme, &BuiltIn::scheme);
  return found == built_in.end() ? nullptr : found;
}

// ---- Registered schemes ----

// This project's plug-ins, named in the error for their schemes.
struct Package {
  std::string_view scheme;
  std::string_view name;
};
constexpr std::array<Package, 1> packages = {{{"s3", "libckpt-s3"}}};

[[noreturn]] void refuse_unknown(const Uri& uri) {
  std::string known;
  for (const BuiltIn& each : built_in) known += base::cat(known.empty() ? "" : ", ", each.scheme);
  {
    const std::lock_guard lock(registry().mutex);
    for (const auto& [scheme, factory] : registry().schemes) known += ", " + scheme;
  }
  const auto* const package = std::ranges::find(packages, uri.scheme, &Package::scheme);
  const std::string from = package == packages.end() ? "" : base::cat(", which the package ", package->name, " provides");
  base::fail(Status::unsupported, "uri ", quote(uri.text), " has the scheme ", quote(uri.scheme), from, "; known: ", known);
}

// The URIs that this thread is opening, nested in each other.
struct OpenUri {
  std::string_view text;
  const OpenUri* outer;
};
constinit thread_local const OpenUri* innermost = nullptr;

struct OpenScope {
  explicit OpenScope(const OpenUri& uri) { innermost = &uri; }
  ~OpenScope() { innermost = innermost->outer; }
  OpenScope(const OpenScope&) = delete;
  OpenScope& operator=(const OpenScope&) = delete;
};

// Fails before the stack overflows.
void refuse_recursion(std::string_view text) {
  constexpr int deepest = 32;
  int depth = 0;
  for (const OpenUri* open = innermost; open != nullptr; open = open->outer) {
    if (open->text == text) base::fail(Status::invalid_state, "uri ", quote(text), " is recursive");
    if (++depth >= deepest) {
      base::fail(Status::invalid_state, "uri ", quote(text), " is nested inside ", deepest, " others, the innermost ",
                 quote(innermost->text));
    }
  }
}

std::shared_ptr<Storage> make_registered(const Uri& uri) {
  std::shared_ptr<const SchemeFactory> factory;
  {
    const std::lock_guard lock(registry().mutex);
    if (const auto found = registry().schemes.find(uri.scheme); found != registry().schemes.end()) factory = found->second;
  }
  if (factory == nullptr) refuse_unknown(uri);
  refuse_recursion(uri.text);
  const OpenUri open{uri.text, innermost};
  const OpenScope scope(open);
  return (*factory)(uri.text);
}

}  // namespace

void register_scheme(std::string_view scheme, SchemeFactory factory) {
  std::string name = scheme_name(scheme);
  base::require(!name.empty(), "scheme is ", quote(scheme),
                "; expected at least two letters, digits, '+', '-' or '.', a letter first");
  auto shared = std::make_shared<const SchemeFactory>(std::move(factory));
  const std::lock_guard lock(registry().mutex);
  if (find_built_in(name) != nullptr || registry().schemes.contains(name))
    base::fail(Status::already_exists, "scheme is ", quote(scheme), "; the scheme exists already");
  registry().schemes.emplace(std::move(name), std::move(shared));
}

void unregister_scheme(std::string_view scheme) {
  std::shared_ptr<const SchemeFactory> factory;  // destroyed after the lock: the destructor may run user code
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().schemes.find(scheme_name(scheme));
  if (found == registry().schemes.end()) base::fail(Status::not_found, "scheme is ", quote(scheme), "; unknown registered scheme");
  factory = found->second;
  registry().schemes.erase(found);
}

std::shared_ptr<Storage> open_uri(std::string_view text) {
  const Uri uri = parse_uri(text);
  if (uri.scheme.empty()) return open_file_system(uri.text, Root::make);
  const BuiltIn* const mine = find_built_in(uri.scheme);
  return mine != nullptr ? mine->make(uri) : make_registered(uri);
}

}  // namespace ckpt::storage
