#include "state/found.h"

#include <algorithm>

#include "base/error.h"

namespace ckpt::state {

void note_manifest(Found& found, const Manifest& manifest) {
  found.parsed = true;
  found.commit_sequence = manifest.commit_sequence;
  found.bytes = total_bytes(manifest);
  found.metric = manifest.metric;
  found.saved_utc_ns = manifest.saved_utc_ns;
  found.world_size = manifest.world_size;
  found.line = manifest.line;
  if (found.line != nullptr) found.generation = found.line->generation;
}

bool comes_before(const Found& a, const Found& b) {
  if (a.abandoned != b.abandoned) return b.abandoned;
  if (a.generation != b.generation) return a.generation > b.generation;
  return a.step != b.step ? a.step > b.step : a.commit_sequence > b.commit_sequence;
}

namespace {

LinePlace place_of(const Found& found) {
  return {found.step, found.parsed ? found.commit_sequence : -1, found.line, found.mark, found.condition != Condition::unfinished};
}

}  // namespace

CurrentLine current_line(const std::vector<Found>& all) {
  std::vector<LinePlace> places;
  places.reserve(all.size());
  for (const Found& found : all) places.push_back(place_of(found));
  return CurrentLine(places);
}

void place_in_line(std::vector<Found>& all) {
  const CurrentLine line = current_line(all);
  for (Found& found : all) {
    found.generation = line.generation_of(place_of(found));
    found.abandoned = !line.holds(found.generation, found.step);
  }
  std::ranges::stable_sort(all, comes_before);
}

bool is_usable(const Found& found, const std::set<std::string>& bad) {
  return found.condition == Condition::complete && !found.abandoned && !bad.contains(found.name);
}

std::string committed_last(const std::vector<Found>& all) {
  std::string name;
  std::int64_t last = -1;
  for (const Found& found : all) {
    if (found.condition != Condition::complete || found.commit_sequence <= last) continue;
    last = found.commit_sequence;
    name = found.name;
  }
  return name;
}

std::string abandoned_hint(const std::vector<Found>& all) {
  const auto newest =
      std::ranges::find_if(all, [](const Found& found) { return found.abandoned && found.condition == Condition::complete; });
  if (newest == all.end()) return "";
  return base::cat("; the newest abandoned one is ", base::quote(newest->name), " (step ", newest->step,
                   "), which can be loaded by name");
}

}  // namespace ckpt::state
