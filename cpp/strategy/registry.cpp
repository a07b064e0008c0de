// User-defined strategy kinds.
#include <algorithm>
#include <map>
#include <mutex>

#include "base/error.h"
#include "base/fork_mutex.h"
#include "strategy/factory.h"

namespace ckpt::strategy {
namespace {

struct Registry {
  base::ForkMutex mutex;
  std::map<std::string, std::shared_ptr<const KindFactory>, std::less<>> kinds;
};

// Never destroyed: strategies may be created during process exit.
Registry& registry() {
  static auto* const the_registry = new Registry;
  return *the_registry;
}
// Initialized at load: a child forked during a lazy first call would wait forever for that call to complete.
[[maybe_unused]] const Registry& kinds_initialized_at_load = registry();

// The kinds with factories running on this thread, nested in each other.
struct OpenKind {
  std::string_view kind;
  const OpenKind* outer;
};
constinit thread_local const OpenKind* innermost = nullptr;

struct OpenScope {
  explicit OpenScope(const OpenKind& kind) { innermost = &kind; }
  ~OpenScope() { innermost = innermost->outer; }
  OpenScope(const OpenScope&) = delete;
  OpenScope& operator=(const OpenScope&) = delete;
};

void refuse_recursion(std::string_view kind) {
  std::string path(kind);
  for (const OpenKind* open = innermost; open != nullptr; open = open->outer) {
    path = base::cat(open->kind, " -> ", path);
    if (open->kind == kind) base::fail(base::Status::invalid_state, "strategy kind ", base::quote(kind), " is recursive: ", path);
  }
}

bool is_kind_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

}  // namespace

void register_kind(std::string_view kind, KindFactory factory) {
  base::require(!kind.empty() && std::all_of(kind.begin(), kind.end(), is_kind_character), "name is ", base::quote(kind),
                "; expected letters, digits, '-', '_' and '.'");
  base::require(factory != nullptr, "factory is NULL");
  auto shared = std::make_shared<const KindFactory>(std::move(factory));
  const std::lock_guard lock(registry().mutex);
  if (find_built_in(kind) != nullptr || kind == "custom" || registry().kinds.contains(kind)) {
    base::fail(base::Status::already_exists, "name is ", base::quote(kind), "; the strategy kind exists already");
  }
  registry().kinds.emplace(kind, std::move(shared));
}

void unregister_kind(std::string_view kind) {
  std::shared_ptr<const KindFactory> factory;  // destroyed after the lock: the destructor may run user code
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().kinds.find(kind);
  if (found == registry().kinds.end())
    base::fail(base::Status::not_found, "name is ", base::quote(kind), "; unknown registered kind");
  factory = found->second;
  registry().kinds.erase(found);
}

std::string known_kinds() {
  std::string out = built_in_kinds();
  const std::lock_guard lock(registry().mutex);
  for (const auto& [kind, factory] : registry().kinds) out += ", " + kind;
  return out;
}

StrategyPtr create_registered(std::string_view kind, const std::string& arguments) {
  std::shared_ptr<const KindFactory> factory;
  {
    const std::lock_guard lock(registry().mutex);
    if (const auto found = registry().kinds.find(kind); found != registry().kinds.end()) factory = found->second;
  }
  if (!factory) base::fail(base::Status::not_found, "unknown strategy kind ", base::quote(kind), "; known: ", known_kinds());
  refuse_recursion(kind);
  const OpenKind open{kind, innermost};
  const OpenScope scope(open);
  StrategyPtr created = (*factory)(arguments);
  base::require(created != nullptr, "the factory of strategy kind ", base::quote(kind), " returned no strategy");
  return created;
}

}  // namespace ckpt::strategy
