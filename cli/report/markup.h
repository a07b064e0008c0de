// Pieces of a page: texts, figures that say where --json has them, tables, legends.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ckpt::cli::report {

// Text within an attribute, with its quotes.
std::string attribute(const std::string& text);

// What is shown of the run's figures. Each is looked up by its place in the JSON document (a JSON pointer) and keeps it in the
// page, so that page and --json cannot differ.
class Figures {
 public:
  explicit Figures(const nlohmann::json& all) : all_(all) {}

  std::string bytes(const std::string& place) const;
  std::string count(const std::string& place) const;
  // As JSON writes it.
  std::string plain(const std::string& place) const;
  std::string duration(const std::string& place) const;
  std::string number(const std::string& place, int digits) const;
  // sign: "+" for what is above 0.
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

// A table whose first column names the rows. Cells are markup.
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

// Classes of page.css, and what they stand for.
std::string legend(const std::vector<std::pair<std::string, std::string>>& entries);

// Names and what is said of them; names are texts, what is said is markup.
using Said = std::vector<std::pair<std::string, std::string>>;
std::string definitions(const Said& said);

// A figure that matters most, and words below it; both are markup.
struct Fact {
  std::string name;
  std::string figure;
  std::string words;
};
std::string facts(const std::vector<Fact>& all);

// Hidden until asked for.
std::string details(const std::string& summary, const std::string& body);

// JSON text that scripts read.
std::string data_script(const std::string& id, const std::string& text);

// One page that needs no other file and may fetch none.
std::string page(const std::string& title, const std::string& kind, const std::string& body, const nlohmann::json& figures);

}  // namespace ckpt::cli::report
