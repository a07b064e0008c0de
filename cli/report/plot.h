// One plot: an <svg> that stretches with the page while its texts keep their size, values for pointer and keyboard, a text
// alternative.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/scale.h"

namespace ckpt::cli::report {

using Curve = std::vector<std::pair<double, double>>;

class Plot {
 public:
  // name, description: for those who do not see it. height: of the plot, in pixels.
  Plot(std::string name, std::string description, Scale x, Scale y, int height);

  // What the axes count; the first stands above the plot, the other below it.
  Plot& units(const std::string& y, const std::string& x);
  // role, in all that follows: classes of page.css. A curve leaves out what is not finite.
  Plot& line(const Curve& points, const std::string& role);
  // Between two curves with the same x.
  Plot& band(const Curve& lower, const Curve& upper, const std::string& role);
  Plot& bar(double x0, double x1, double y0, double y1, const std::string& role);
  Plot& dot(double x, double y, const std::string& role);
  // A horizontal line through the plot, named above its right end, or below where there is no room.
  Plot& level(double y, const std::string& role, const std::string& label);
  // A vertical line through the plot, named beside its upper end.
  Plot& upright(double x, const std::string& role, const std::string& label);
  // A text at a place: anchor is start, middle or end. roomy: only where there is room.
  Plot& label(double x, double y, const std::string& text, const char* anchor, int dy, bool roomy = false);
  // A text beside a lane.
  Plot& lane_name(double y, const std::string& text);
  // What a reader learns at a place. Given in the order in which the keyboard goes.
  Plot& value(double x, double y, const std::string& text);

  // An id for the line that is drawn next, which other plots of the page of the same size draw by also().
  Plot& named(const std::string& id);
  Plot& also(const std::string& id);

  // The place nearest to the pointer by x (when not said), "y" or "both".
  Plot& find_by(const char* way);
  // Plots of a group show their values together.
  Plot& group(const std::string& name);
  // Without room for marks on the left.
  Plot& wide();

  std::string html() const;
  // For a picture that stands alone, in the style of plot.css: without values, with its upper left corner at a place in pixels.
  std::string svg(int x, int y, int width) const;
  int height() const { return height_; }

 private:
  std::string points_text(const Curve& points) const;
  std::string grid() const;
  std::string drawing() const;

  std::string name_;
  std::string description_;
  Scale x_;
  Scale y_;
  int height_;
  std::string y_unit_;
  std::string x_unit_;
  std::string marks_;
  std::string dots_;
  std::string texts_;
  std::string values_;
  std::string next_id_;
  std::string find_by_ = "x";
  std::string group_;
  bool wide_ = false;
  std::vector<double> level_places_;  // of the texts of levels, in pixels
  double last_lane_ = -100;           // of the last name, in pixels
};

}  // namespace ckpt::cli::report
