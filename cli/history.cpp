#include "history.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace ckpt::cli {
namespace {

constexpr std::size_t max_points = 512;

}  // namespace

void History::add(std::int64_t step, double loss, std::int64_t arena_bytes) {
  if (!points_.empty() && points_.back().steps < steps_per_point_) {
    Point& point = points_.back();
    point = {point.steps + 1, step, point.loss_sum + loss, std::max(point.arena_bytes, arena_bytes)};
    return;
  }
  if (points_.size() == max_points) merge_neighbours();
  points_.push_back({1, step, loss, arena_bytes});
}

void History::merge_neighbours() {
  for (std::size_t i = 0; i < points_.size(); i += 2) {
    const Point& a = points_[i];
    const Point& b = points_[i + 1];
    points_[i / 2] = {a.steps + b.steps, b.last_step, a.loss_sum + b.loss_sum, std::max(a.arena_bytes, b.arena_bytes)};
  }
  points_.resize(points_.size() / 2);
  steps_per_point_ *= 2;
}

nlohmann::json History::json() const {
  nlohmann::json out = {{"steps_per_point", steps_per_point_},
                        {"step", nlohmann::json::array()},
                        {"loss", nlohmann::json::array()},
                        {"arena_bytes", nlohmann::json::array()}};
  for (const Point& point : points_) {
    out["step"].push_back(point.last_step);
    out["loss"].push_back(point.loss_sum / static_cast<double>(point.steps));
    out["arena_bytes"].push_back(point.arena_bytes);
  }
  return out;
}

}  // namespace ckpt::cli
