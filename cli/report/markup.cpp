#include "report/markup.h"

#include <cmath>

#include <ckpt/ckpt.hpp>
#include <nlohmann/json.hpp>

#include "report/assets.h"
#include "report/scale.h"
#include "text.h"

namespace ckpt::cli::report {

using nlohmann::json;

std::string attribute(const std::string& text) {
  std::string out = "\"";
  for (const char c : escaped(text)) {
    if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

const json& Figures::at(const std::string& place) const { return all_.at(json::json_pointer(place)); }

double Figures::value(const std::string& place) const { return at(place).get<double>(); }

bool Figures::has(const std::string& place) const {
  const json::json_pointer pointer(place);
  return all_.contains(pointer) && all_.at(pointer).is_number();
}

template <class Text>
std::string Figures::shown(const std::string& place, Text&& text) const {
  if (!has(place)) return "\u2013";
  const json& value = at(place);
  return cat("<data value=", attribute(value.dump()), " data-of=", attribute(place), ">", text(value), "</data>");
}

std::string Figures::bytes(const std::string& place) const {
  return shown(place, [](const json& value) { return bytes_text(value.get<std::int64_t>()); });
}

std::string Figures::count(const std::string& place) const {
  return shown(place, [](const json& value) { return count_text(value.get<std::int64_t>()); });
}

std::string Figures::plain(const std::string& place) const {
  return shown(place, [](const json& value) { return value.dump(); });
}

std::string Figures::duration(const std::string& place) const {
  return shown(place, [](const json& value) { return duration_text(value.get<double>()); });
}

std::string Figures::number(const std::string& place, int digits) const {
  return shown(place, [digits](const json& value) { return fixed_text(value.get<double>(), digits); });
}

std::string Figures::percent(const std::string& place, int digits, const char* sign) const {
  return shown(place, [&](const json& value) { return percent_text(value.get<double>(), digits, sign); });
}

std::string Table::html() const {
  std::string out =
      cat("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=", attribute(caption_), "><table><thead><tr>");
  for (const std::string& column : columns_) out += cat("<th scope=\"col\">", escaped(column), "</th>");
  out += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& cells : rows_) {
    out += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i)
      out += i == 0 ? cat("<th scope=\"row\">", cells[i], "</th>") : cat("<td>", cells[i], "</td>");
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string legend(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out = "<ul class=\"legend\">";
  for (const auto& [role, words] : entries) {
    const bool stroke = role.rfind("line", 0) == 0 || role.rfind("level", 0) == 0;
    out += cat(
        "<li><svg class=\"swatch\" aria-hidden=\"true\" viewBox=\"0 0 24 12\">",
        stroke ? cat("<path class=\"", role, "\" d=\"M0 6H24\"/>") : cat("<rect class=\"", role, "\" width=\"24\" height=\"12\"/>"),
        "</svg>", escaped(words), "</li>");
  }
  return out + "</ul>\n";
}

std::string definitions(const Definitions& all) {
  std::string out = "<dl class=\"run\">";
  for (const auto& [name, words] : all) out += cat("<dt>", escaped(name), "</dt><dd>", words, "</dd>\n");
  return out + "</dl>\n";
}

std::string facts(const std::vector<Fact>& all) {
  std::string out = "<dl class=\"facts\">";
  for (const Fact& fact : all)
    out += cat("<div><dt>", escaped(fact.name), "</dt><dd>", fact.figure, "</dd><dd>", fact.words, "</dd></div>\n");
  return out + "</dl>\n";
}

std::string data_script(const std::string& id, const std::string& text) {
  std::string safe;  // escaped: nothing in it can end the script element
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return cat("<script type=\"application/json\"", id.empty() ? std::string() : " id=" + attribute(id), ">", safe, "</script>\n");
}

std::string details(const std::string& summary, const std::string& body) {
  return cat("<details><summary>", escaped(summary), "</summary>\n", body, "</details>\n");
}

std::string page(const std::string& title, const std::string& kind, const std::string& body, const json& figures) {
  return cat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
      "'unsafe-inline'; "
      "img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
      escaped(title), "</title>\n<style>\n", plot_style, page_style, "</style>\n</head>\n<body>\n<main>\n<p class=\"kind\">",
      escaped(kind), "</p>\n<h1>", escaped(title), "</h1>\n", body, "</main>\n<footer>Generated by ckpt ",
      escaped(std::string(version())),
      ". Point at a plot, or focus it and use the arrow keys, to read its values. This page loads no other files.</footer>\n",
      data_script("figures", figures.dump()), "<script>\n", script, "</script>\n</body>\n</html>\n");
}

}  // namespace ckpt::cli::report
