// strategy.hpp - the C++17 interface of strategy.h: strategies as objects, custom ones as functions.
#ifndef CKPT_STRATEGY_HPP
#define CKPT_STRATEGY_HPP

#include <ckpt/methods/strategy.hpp>
#include <ckpt/methods/strategy_callbacks.hpp>
#include <ckpt/tensor.hpp>

#include <charconv>

namespace ckpt {

// The functions of a custom strategy. They run on the threads that ask, and on several at once, and may throw: the exception's
// message becomes part of the error of the call that asked.
struct CustomStrategy {
  std::function<bool(const StrategyQuestion& question)> decide;  // required
  std::function<void()> reset;                                   // may be empty
  std::function<void(std::string_view layer_name)> access;       // may be empty
};

// Decides layer by layer whether to checkpoint. Synchronized.
class Strategy : public StrategyMethods<Strategy> {
 public:
  using StrategyMethods::StrategyMethods;
  using Names = std::vector<std::string>;

  // Creates a strategy from text: "interval:4", "any(size:1MiB,interval:8)", ...
  static Strategy create(const std::string& text) { return Strategy(created(ckpt_strategy_create, text.c_str())); }
  // children: the strategies $0, $1, ... of the text. options: used by its memory-aware strategies.
  static Strategy create(const std::string& text, const std::vector<const Strategy*>& children,
                         const StrategyOptions& options = {}) {
    const auto handles = handles_of(children);
    ckpt_strategy_options given = detail::to_c(options);
    given.children = handles.data();
    given.children_count = static_cast<std::int64_t>(handles.size());
    return Strategy(created(ckpt_strategy_create_with_options, text.c_str(), &given));
  }
  static Strategy interval(std::int64_t interval = 2) { return create("interval:" + std::to_string(interval)); }
  static Strategy selective(const Names& names, const Names& excluded = {}) {
    return create(listed("selective", quoted(names), excluded));
  }
  static Strategy size_based(std::int64_t threshold_bytes = std::int64_t{1} << 20, const Names& excluded = {}) {
    return create(listed("size", {std::to_string(threshold_bytes)}, excluded));
  }
  static Strategy memory_aware(double max_share = 0.8, detail::Borrowed<ckpt_memory_tracker> tracker = {},
                               std::int64_t total_bytes = 0, detail::Borrowed<ckpt_clock> clock = {}) {
    StrategyOptions options;
    options.tracker = tracker;
    options.total_bytes = total_bytes;
    options.clock = clock;
    return create("memory-aware:" + number(max_share), {}, options);
  }
  static Strategy smart(const Names& excluded = {}, double large_factor = 1.5, std::int64_t rare_accesses = 2,
                        double late_share = 0.7) {
    return create(listed("smart", {number(large_factor), std::to_string(rare_accesses), number(late_share)}, excluded));
  }
  static Strategy any_of(const std::vector<const Strategy*>& children) {
    return create("any" + numbered({}, children.size()), children);
  }
  static Strategy all_of(const std::vector<const Strategy*>& children) {
    return create("all" + numbered({}, children.size()), children);
  }
  static Strategy not_of(const Strategy& child) { return create("not($0)", {&child}); }
  // rules: a name, a glob, "#5", "#2..7" or "#8..", each with the strategy that answers for it.
  static Strategy first_of(const std::vector<std::pair<std::string, const Strategy*>>& rules, const Strategy& fallback) {
    Names texts;
    std::vector<const Strategy*> children;
    for (const auto& [text, child] : rules) {
      texts.push_back(quoted(text) + '=');
      children.push_back(child);
    }
    children.push_back(&fallback);
    return create("first" + numbered(texts, children.size()), children);
  }
  static Strategy custom(const std::string& name, CustomStrategy functions);

  // The names, globs or rules as they were set.
  Names patterns(StrategyList list) const {
    const StrategyInfo is = info();
    const std::int64_t count = list == StrategyList::names      ? is.names_count
                               : list == StrategyList::excluded ? is.excluded_count
                               : list == StrategyList::rules    ? is.rules_count
                                                                : 1;  // to be refused
    Names out;
    for (std::int64_t i = 0; i < count; ++i) {
      out.emplace_back(
          detail::result_of<const char*>(ckpt_strategy_get_pattern, handle(), static_cast<ckpt_strategy_list>(list), i));
    }
    return out;
  }
  std::vector<Strategy> children() const {
    std::vector<Strategy> out;
    for (std::int64_t i = 0; i < info().children_count; ++i) out.push_back(child(i));
    return out;
  }

 private:
  // ---- Parts of text ----

  static std::string number(double value) {
    char buffer[40];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
  // Returns a name or glob as one argument: in quotes, so that it may contain any character.
  static std::string quoted(const std::string& name) {
    std::string out = "\"";
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == '"') out += '\\';
      out += name[i];
      if (name[i] == '\\' && i + 1 < name.size()) out += name[++i];
    }
    return out + '"';
  }
  static Names quoted(const Names& names) {
    Names out;
    for (const std::string& name : names) out.push_back(quoted(name));
    return out;
  }
  static std::string listed(const std::string& kind, Names arguments, const Names& excluded) {
    for (const std::string& name : excluded) arguments.push_back('!' + quoted(name));
    std::string out = kind;
    for (std::size_t i = 0; i < arguments.size(); ++i) out += (i == 0 ? ':' : ',') + arguments[i];
    return out;
  }
  // "(a=$0,$1)"
  static std::string numbered(const Names& before, std::size_t count) {
    std::string out = "(";
    for (std::size_t i = 0; i < count; ++i)
      out += (i == 0 ? "" : ",") + (i < before.size() ? before[i] : std::string()) + '$' + std::to_string(i);
    return out + ')';
  }

  static std::vector<ckpt_strategy*> handles_of(const std::vector<const Strategy*>& strategies) {
    std::vector<ckpt_strategy*> out;
    out.reserve(strategies.size());
    for (const auto* strategy : strategies) out.push_back(strategy == nullptr ? nullptr : strategy->handle());
    return out;
  }
};

inline Strategy Strategy::custom(const std::string& name, CustomStrategy functions) {
  auto owned = std::make_unique<CustomStrategy>(std::move(functions));
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  if (owned->decide) callbacks.decide = detail::call_strategy_decide<&CustomStrategy::decide>;
  if (owned->reset) callbacks.reset = detail::call_strategy_reset<&CustomStrategy::reset>;
  if (owned->access) callbacks.access = detail::call_strategy_access<&CustomStrategy::access>;
  return Strategy(made_with(std::move(owned), ckpt_strategy_create_custom, name.c_str(), &callbacks));
}

// Registers a kind for text during the lifetime of this object. make may throw.
class StrategyKind {
 public:
  using Make = std::function<Strategy(std::string_view arguments)>;

  StrategyKind(std::string name, Make make) : name_(std::move(name)) {
    detail::pass(std::move(make), [&](Make* owned) {
      const ckpt_strategy_factory_fn call = *owned ? detail::call_strategy_factory<&Make::operator()> : nullptr;
      return ckpt_strategy_register(name_.c_str(), call, owned, detail::destroy<Make>);
    });
  }
  ~StrategyKind() { ckpt_strategy_unregister(name_.c_str()); }
  StrategyKind(const StrategyKind&) = delete;
  StrategyKind& operator=(const StrategyKind&) = delete;

 private:
  std::string name_;
};

}  // namespace ckpt

#endif  // CKPT_STRATEGY_HPP
