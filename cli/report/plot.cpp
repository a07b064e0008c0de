#include "report/plot.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/markup.h"
#include "text.h"

namespace ckpt::cli::report {
namespace {

constexpr double box = 1000;      // width and height of the marks' coordinate system
constexpr double text_room = 16;  // height of a line of text in pixels

// Short format: a page contains thousands of coordinates.
std::string coordinate(double value) {
  std::string text = fixed_text(value, 1);
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text;
}

std::string percents(double share) { return fixed_text(100 * share, 2) + "%"; }

}  // namespace

Plot::Plot(std::string name, std::string description, Scale x, Scale y, int height)
    : name_(std::move(name)), description_(std::move(description)), x_(std::move(x)), y_(std::move(y)), height_(height) {}

Plot& Plot::units(const std::string& y, const std::string& x) {
  y_unit_ = y;
  x_unit_ = x;
  return *this;
}

std::string Plot::points_text(const Curve& points) const {
  std::string text;
  for (const auto& [x, y] : points) {
    if (std::isfinite(y)) text += cat(coordinate(box * x_.share(x)), ",", coordinate(box * (1 - y_.share(y))), " ");
  }
  return text;
}

Plot& Plot::line(const Curve& points, const std::string& role) {
  marks_ += cat("<polyline", next_id_.empty() ? std::string() : " id=" + attribute(next_id_), " class=\"line ", role,
                "\" points=\"", points_text(points), "\"/>\n");
  next_id_.clear();
  return *this;
}

Plot& Plot::band(const Curve& lower, const Curve& upper, const std::string& role) {
  const Curve back(lower.rbegin(), lower.rend());
  marks_ += cat("<polygon class=\"fill ", role, "\" points=\"", points_text(upper), points_text(back), "\"/>\n");
  return *this;
}

Plot& Plot::bar(double x0, double x1, double y0, double y1, const std::string& role) {
  const double left = box * x_.share(x0);
  const double top = box * (1 - std::max(y_.share(y0), y_.share(y1)));
  const double width = std::max(0.6, box * x_.share(x1) - left);
  const double height = box * std::abs(y_.share(y1) - y_.share(y0));
  marks_ += cat("<rect class=\"fill ", role, "\" x=\"", coordinate(left), "\" y=\"", coordinate(top), "\" width=\"",
                coordinate(width), "\" height=\"", coordinate(height), "\"/>\n");
  return *this;
}

Plot& Plot::dot(double x, double y, const std::string& role) {
  dots_ +=
      cat("<circle class=\"dot ", role, "\" cx=\"", percents(x_.share(x)), "\" cy=\"", percents(1 - y_.share(y)), "\" r=\"6\"/>\n");
  return *this;
}

Plot& Plot::level(double y, const std::string& role, const std::string& label) {
  const double share = 1 - y_.share(y);
  marks_ += cat("<path class=\"level ", role, "\" d=\"M0 ", coordinate(box * share), "H1000\"/>\n");
  const auto taken = [&](double place) {
    return place < text_room || place > height_ || std::any_of(level_places_.begin(), level_places_.end(), [&](double other) {
             return std::abs(other - place) < text_room;
           });
  };
  const double line = share * height_;
  double place = line - 5;
  if (taken(place)) place = line + text_room - 2;
  for (int tries = 0; taken(place) && tries < 8; ++tries) place += text_room;
  level_places_.push_back(place);
  texts_ += cat("<text class=\"label\" x=\"100%\" y=\"", coordinate(place), "\" dx=\"-4\" text-anchor=\"end\">", escaped(label),
                "</text>\n");
  return *this;
}

Plot& Plot::upright(double x, const std::string& role, const std::string& label) {
  const double share = x_.share(x);
  marks_ += cat("<path class=\"level ", role, "\" d=\"M", coordinate(box * share), " 0V1000\"/>\n");
  const bool left = share > 0.5;
  texts_ += cat("<text class=\"label\" x=\"", percents(share), "\" y=\"", text_room, "\" dx=\"", left ? -6 : 6, "\" text-anchor=\"",
                left ? "end" : "start", "\">", escaped(label), "</text>\n");
  return *this;
}

Plot& Plot::label(double x, double y, const std::string& text, const char* anchor, int dy, bool roomy) {
  texts_ += cat("<text class=\"label", roomy ? " in-bar roomy" : "", "\" x=\"", percents(x_.share(x)), "\" y=\"",
                percents(1 - y_.share(y)), "\" dy=\"", dy, "\" text-anchor=\"", anchor, "\">", escaped(text), "</text>\n");
  return *this;
}

Plot& Plot::lane_name(double y, const std::string& text) {
  const double place = (1 - y_.share(y)) * height_;
  if (place - last_lane_ < text_room - 2) return *this;
  last_lane_ = place;
  texts_ += cat("<text x=\"0\" y=\"", coordinate(place), "\" dx=\"-8\" dy=\"4\" text-anchor=\"end\">", escaped(text), "</text>\n");
  return *this;
}

Plot& Plot::value(double x, double y, const std::string& text) {
  values_ += cat(values_.empty() ? "[" : ",\n[", fixed_text(x_.share(x), 4), ",", fixed_text(1 - y_.share(y), 4), ",",
                 nlohmann::json(text).dump(), "]");
  return *this;
}

Plot& Plot::named(const std::string& id) {
  next_id_ = id;
  return *this;
}

Plot& Plot::also(const std::string& id) {
  marks_ += cat("<use href=", attribute("#" + id), " class=\"also\"/>\n");
  return *this;
}

Plot& Plot::find_by(const char* way) {
  find_by_ = way;
  return *this;
}

Plot& Plot::group(const std::string& name) {
  group_ = name;
  return *this;
}

Plot& Plot::wide() {
  wide_ = true;
  return *this;
}

std::string Plot::grid() const {
  std::string lines;
  std::string texts;
  for (const Tick& tick : y_.ticks()) {
    const std::string y = percents(1 - y_.share(tick.at));
    lines += cat("<line", tick.at == 0 ? " class=\"zero\"" : "", " x1=\"0\" x2=\"100%\" y1=\"", y, "\" y2=\"", y, "\"/>");
    texts += cat("<text x=\"0\" y=\"", y, "\" dx=\"-8\" dy=\"4\" text-anchor=\"end\">", escaped(tick.label), "</text>");
  }
  for (const Tick& tick : x_.ticks()) {
    const double share = x_.share(tick.at);
    const std::string x = percents(share);
    const std::string roomy = tick.roomy ? " class=\"roomy\"" : "";
    lines += cat("<line", tick.at == 0 && share > 0 ? " class=\"zero\"" : roomy, " y1=\"0\" y2=\"100%\" x1=\"", x, "\" x2=\"", x,
                 "\"/>");
    texts += cat("<text", roomy, " x=\"", x, "\" y=\"100%\" dy=\"18\" text-anchor=\"",
                 share > 0.96            ? "end"
                 : share < 0.02 && wide_ ? "start"
                                         : "middle",
                 "\">", escaped(tick.label), "</text>");
  }
  return cat("<g class=\"grid\">", lines, "</g>\n<g>", texts, "</g>\n");
}

std::string Plot::drawing() const {
  return cat(grid(),
             "<svg class=\"marks\" viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" width=\"100%\" height=\"100%\">\n",
             marks_, "</svg>\n", dots_, texts_);
}

std::string Plot::svg(int x, int y, int width) const {
  return cat("<text x=\"", x, "\" y=\"", y - 10, "\">", escaped(y_unit_), "</text><text x=\"", x + width, "\" y=\"",
             y + height_ + 36, "\" text-anchor=\"end\">", escaped(x_unit_), "</text>\n<svg x=\"", x, "\" y=\"", y, "\" width=\"",
             width, "\" height=\"", height_, "\" overflow=\"visible\">\n", drawing(), "</svg>\n");
}

std::string Plot::html() const {
  std::string out = cat("<div class=\"plot", wide_ ? " wide" : "", "\" data-by=\"", find_by_, "\"",
                        group_.empty() ? std::string() : " data-group=" + attribute(group_), ">\n");
  if (!y_unit_.empty()) out += cat("<p class=\"unit\">", escaped(y_unit_), "</p>\n");
  out += cat("<div class=\"box\"><svg class=\"frame\" role=\"img\" height=\"", height_,
             "\" aria-label=", attribute(name_ + ". " + description_), ">\n<title>", escaped(name_), "</title>\n", drawing(),
             "</svg></div>\n");
  if (!x_unit_.empty()) out += cat("<p class=\"under\">", escaped(x_unit_), "</p>\n");
  if (!values_.empty()) {
    out += cat("<p class=\"readout\" aria-hidden=\"true\">", escaped(description_), "</p>\n");
    out += data_script("", "[" + values_ + "]");
  }
  return out + "</div>\n";
}

}  // namespace ckpt::cli::report
