// One plot: an <svg> that stretches with the page while its text keeps its size, with values for pointer and keyboard, and a text
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
  // name, description: the text alternative. height: in pixels.
  Plot(std::string name, std::string description, Scale x, Scale y, int height);

  // Units of the axes; that of y is shown above the plot, that of x below it.
  Plot& units(const std::string& y, const std::string& x);
  // role, here and below: classes of page.css. A curve omits values that are not finite.
  Plot& line(const Curve& points, const std::string& role);
  // The area between two curves with the same x.
  Plot& band(const Curve& lower, const Curve& upper, const std::string& role);
  Plot& bar(double x0, double x1, double y0, double y1, const std::string& role);
  Plot& dot(double x, double y, const std::string& role);
  // A horizontal line through the plot, labelled above its right end, or below it if space is lacking.
  Plot& level(double y, const std::string& role, const std::string& label);
  // A vertical line through the plot, labelled next to its upper end.
  Plot& upright(double x, const std::string& role, const std::string& label);
  // A text at a position. anchor: start, middle or end. roomy: only shown if the page is wide.
  Plot& label(double x, double y, const std::string& text, const char* anchor, int dy, bool roomy = false);
  // A label to the left of a lane.
  Plot& lane_name(double y, const std::string& text);
  // The readout at a position. Call in the order of keyboard navigation.
  Plot& value(double x, double y, const std::string& text);

  // Sets an id for the next line. Other plots of the same size on the page can repeat that line with also().
  Plot& named(const std::string& id);
  Plot& also(const std::string& id);

  // How the pointer finds the nearest value: "x" (default), "y" or "both".
  Plot& find_by(const char* way);
  // Plots of a group show their values together.
  Plot& group(const std::string& name);
  // Without space for axis labels on the left.
  Plot& wide();

  std::string html() const;
  // A standalone picture in the style of plot.css, without values, with its upper left corner at (x, y) in pixels.
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
  std::vector<double> level_places_;  // of the labels of levels, in pixels
  double last_lane_ = -100;           // position of the last lane label, in pixels
};

}  // namespace ckpt::cli::report
