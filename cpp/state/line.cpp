#include "state/line.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace ckpt::state {
namespace {

// Returns the highest generation that had begun at commit_sequence. first_sequences: by generation, from 1.
std::int64_t generation_at(const std::map<std::int64_t, std::int64_t>& first_sequences, std::int64_t commit_sequence) {
  std::int64_t generation = 0;
  for (const auto& [number, first] : first_sequences) {
    if (commit_sequence >= first) generation = std::max(generation, number);
  }
  return generation;
}

void note_first(std::map<std::int64_t, std::int64_t>& first_sequences, std::int64_t generation, std::int64_t sequence) {
  if (generation < 1 || sequence < 1) return;
  const auto [known, is_new] = first_sequences.emplace(generation, sequence);
  if (!is_new) known->second = std::min(known->second, sequence);
}

void note_firsts(std::map<std::int64_t, std::int64_t>& first_sequences, const Line& line) {
  note_first(first_sequences, line.generation, line.first_sequence);
  for (const EarlierGeneration& each : line.earlier) note_first(first_sequences, each.generation, each.first_sequence);
}

// Returns the entry of a generation; inserts it if it is missing.
EarlierGeneration& entry_of(std::vector<EarlierGeneration>& all, std::int64_t generation) {
  const auto place = std::ranges::lower_bound(all, generation, {}, &EarlierGeneration::generation);
  if (place != all.end() && place->generation == generation) return *place;
  return *all.insert(place, {generation});
}

// Builds the line when no manifest of the generation is readable: every lower generation belongs to it up to the parent's step.
Line line_of_mark(const LineMark& mark, std::span<const LinePlace> places,
                  const std::map<std::int64_t, std::int64_t>& first_sequences,
                  const std::function<std::int64_t(const LinePlace&)>& generation_of) {
  Line line{mark.generation};
  for (const auto& [generation, first] : first_sequences) {
    if (generation < mark.generation) entry_of(line.earlier, generation).first_sequence = first;
  }
  for (const LinePlace& place : places) {
    if (const std::int64_t generation = generation_of(place); generation < mark.generation) entry_of(line.earlier, generation);
  }
  for (EarlierGeneration& each : line.earlier) each.last_step = mark.parent_step;
  if (mark.parent_step) line.parent = LineParent{"", *mark.parent_step, 0};
  return line;
}

// Completes a line that was built from names with the line of its parent. Returns false if the parent is not certain: none or
// several checkpoints have its step, or its own line is not known.
bool bound_by_parent(Line& line, std::span<const LinePlace> places,
                     const std::function<std::int64_t(const LinePlace&)>& generation_of) {
  const auto may_be_parent = [&](const LinePlace& place) {
    return place.is_checkpoint && line.parent && place.step == line.parent->step && generation_of(place) < line.generation;
  };
  const auto parent = std::ranges::find_if(places, may_be_parent);
  if (parent == places.end() || std::any_of(std::next(parent), places.end(), may_be_parent)) return false;
  const std::int64_t generation = generation_of(*parent);
  if (parent->line == nullptr && generation > 0) return false;
  for (EarlierGeneration& each : line.earlier) each.last_step.reset();
  if (parent->line != nullptr) {
    for (const EarlierGeneration& each : parent->line->earlier) {
      if (each.last_step && each.generation < generation)
        entry_of(line.earlier, each.generation).last_step = std::min(*each.last_step, parent->step);
    }
  }
  entry_of(line.earlier, generation).last_step = parent->step;
  return true;
}

}  // namespace

LineMark mark_of(const Line& line) {
  LineMark mark{line.generation};
  if (line.parent) mark.parent_step = line.parent->step;
  return mark;
}

CurrentLine::CurrentLine(std::span<const LinePlace> places) {
  for (const LinePlace& place : places) {
    if (place.line != nullptr) note_firsts(first_sequences_, *place.line);
  }
  std::int64_t current = 0;
  for (const LinePlace& place : places) {
    if (place.is_checkpoint) current = std::max(current, generation_of(place));
  }
  line_.generation = current;
  if (current == 0) return;
  const LinePlace* marked = nullptr;
  for (const LinePlace& place : places) {
    if (place.line != nullptr && place.line->generation == current) {
      line_ = *place.line;
      return;
    }
    if (place.mark.generation == current) marked = &place;
  }
  if (marked == nullptr) return;
  const auto generation = [this](const LinePlace& place) { return generation_of(place); };
  line_ = line_of_mark(marked->mark, places, first_sequences_, generation);
  is_from_names_ = !bound_by_parent(line_, places, generation);
}

std::int64_t CurrentLine::generation_of(const LinePlace& place) const {
  if (place.line != nullptr) return place.line->generation;
  if (place.commit_sequence >= 0) return generation_at(first_sequences_, place.commit_sequence);
  if (place.mark.generation > 0) return place.mark.generation;
  return place.is_checkpoint ? 0 : line_.generation;
}

bool CurrentLine::holds(std::int64_t generation, std::int64_t step) const {
  if (generation >= line_.generation) return true;
  if (is_from_names_) return line_.parent && step <= line_.parent->step;
  const auto entry = std::ranges::find(line_.earlier, generation, &EarlierGeneration::generation);
  return entry != line_.earlier.end() && entry->last_step && step <= *entry->last_step;
}

bool begins_generation(bool is_first, std::int64_t step, std::optional<std::int64_t> newest_step, bool has_loaded_older) {
  if (!is_first || !newest_step) return false;
  return step < *newest_step || (has_loaded_older && step == *newest_step);
}

Line line_after(std::int64_t generation, const Line& base, const std::optional<LineParent>& parent, const Line* line_of_parent) {
  Line line{generation, 0, parent, base.earlier};
  for (EarlierGeneration& each : line.earlier) each.last_step.reset();
  entry_of(line.earlier, base.generation).first_sequence = base.first_sequence;
  if (!parent) return line;
  // Adds the parent's line, up to its step. A parent that records none belongs to the generation that was current at its commit.
  std::int64_t generation_of_parent = 0;
  const std::vector<EarlierGeneration>* before = nullptr;
  if (line_of_parent != nullptr) {
    generation_of_parent = line_of_parent->generation;
    before = &line_of_parent->earlier;
  } else {
    std::map<std::int64_t, std::int64_t> first_sequences;
    note_firsts(first_sequences, base);
    generation_of_parent = generation_at(first_sequences, parent->commit_sequence);
    before = &base.earlier;
  }
  for (const EarlierGeneration& each : *before) {
    if (each.last_step && each.generation < generation_of_parent)
      entry_of(line.earlier, each.generation).last_step = std::min(*each.last_step, parent->step);
  }
  entry_of(line.earlier, generation_of_parent).last_step = parent->step;
  return line;
}

}  // namespace ckpt::state
