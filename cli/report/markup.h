// Building blocks of a page: text, figures with their position in the --json document, tables, legends.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ckpt::cli::report {

// Escapes text for an attribute and adds the quotes.
std::string attribute(const std::string& text);

// Formats figures of the run. Each is looked up by its JSON pointer in the --json document, and the pointer is kept in the page, so
// that page and --json cannot differ.
class Figures {
 public:
  explicit Figures(const nlohmann::json& all) : all_(all) {}

  std::string bytes(const std::string& place) const;
  std::string count(const std::string& place) const;
  // As written in JSON.
  std::string plain(const std::string& place) const;
  std::string duration(const std::string& place) const;
  std::string number(const std::string& place, int digits) const;
  // sign: "+" prefixes positive values.
  std::string percent(const std::string& place, int digits, const char* sign = "") const;

  bool has(const std::string& place) const;
  const nlohmann::json& at(const std::string& place) const;
  double value(const std::string& place) const;
  const nlohmann::json& all() const { return all_; }

 private:
  template <class Text>
  std::string shown(const std::string& place, Text&& text) const;

  const nlohmann::json& all_;
};

// A table; the first column names the rows. Cells are markup.
class Table {
 public:
  Table(std::string caption, std::vector<std::string> columns) : caption_(std::move(caption)), columns_(std::move(columns)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string html() const;

 private:
  std::string caption_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// A legend of classes of page.css and their meaning.
std::string legend(const std::vector<std::pair<std::string, std::string>>& entries);

// Terms (plain text) and their descriptions (markup).
using Definitions = std::vector<std::pair<std::string, std::string>>;
std::string definitions(const Definitions& all);

// A prominent figure with a note below it; both are markup.
struct Fact {
  std::string name;
  std::string figure;
  std::string words;
};
std::string facts(const std::vector<Fact>& all);

// Collapsed until opened.
std::string details(const std::string& summary, const std::string& body);

// JSON for scripts.
std::string data_script(const std::string& id, const std::string& text);

// Returns a self-contained page that must not load any other resource.
std::string page(const std::string& title, const std::string& kind, const std::string& body, const nlohmann::json& figures);

}  // namespace ckpt::cli::report
