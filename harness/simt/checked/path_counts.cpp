// Paths as hashes, and the passes that follow from them.
#include "harness/simt/checked/path_counts.h"

#include <charconv>
#include <string_view>

namespace assay::simt::checked {
namespace {

// The finaliser of MurmurHash3, over a sum that tells the order of its parts.
uint64_t mixed(uint64_t hash, uint64_t part) {
  uint64_t x = (hash ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd + part;
  x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

// The text up to `end`, which is taken away.
std::string_view next_part(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

int64_t number_in(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

InstructionCounts counts_from(std::string_view text) {
  InstructionCounts counts;
  while (!text.empty()) {
    std::string_view pair = next_part(text, ' ');
    const auto what = static_cast<size_t>(number_in(next_part(pair, ':')));
    if (what < kCounted) counts.of[what] += number_in(pair);
  }
  return counts;
}

}  // namespace

Program program_from(const char* given) {
  Program program;
  for (std::string_view text = given; !text.empty();) {
    std::string_view line = next_part(text, '\n');
    Program::Block& block = program.blocks.emplace_back();
    block.meets = number_in(next_part(line, '\t'));
    block.divides = next_part(line, '\t') == "1";
    while (!line.empty()) {
      const std::string_view place = next_part(line, '\t');
      block.lines.push_back({std::string(place), counts_from(next_part(line, '\t'))});
    }
  }
  return program;
}

PathCounts::PathCounts(uint32_t threads, size_t paths_max)
    : paths_max_(paths_max), threads_(threads), warps_((threads + kLanes - 1) / kLanes) {}

void PathCounts::begin_block() {
  if (programs_.empty()) return;  // a kernel from source
  block_together();
  for (auto& activations : threads_) activations.clear();
}

void PathCounts::enter(uint32_t thread, const char* program) {
  auto& activations = threads_[thread];
  uint64_t base = 0;
  if (!activations.empty()) base = mixed(activations.back().here, ++activations.back().calls);
  activations.push_back({.program = number_of(program), .base = base});
}

void PathCounts::leave(uint32_t thread) { threads_[thread].pop_back(); }

void PathCounts::pass(uint32_t thread, uint32_t number) {
  Activation& now = threads_[thread].back();
  const auto& blocks = programs_[now.program].blocks;
  if (now.at >= 0 && blocks[static_cast<size_t>(now.at)].divides) {
    const int64_t meets = blocks[static_cast<size_t>(now.at)].meets;
    if (now.sides.empty() || now.sides.back().meets != meets) now.sides.push_back({meets, now.path()});
    uint64_t& path = now.sides.back().path;
    path = mixed(mixed(path, static_cast<uint64_t>(now.at)), number);
  }
  while (!now.sides.empty() && now.sides.back().meets == number) now.sides.pop_back();
  now.at = number;
  now.here = mixed(mixed(now.path(), now.program), number);
  now.calls = 0;
  Passes& passes = passes_[now.program][number];
  ++passes.of_threads;
  if (is_first(thread, now.here)) ++passes.of_warps;
}

bool PathCounts::is_first(uint32_t thread, uint64_t path) {
  Warp& warp = warps_[thread / kLanes];
  size_t& next = warp.next[thread % kLanes];
  if (next < warp.trail.size() && warp.trail[next] == path) {
    ++next;
    return false;
  }
  if (const auto known = warp.places.find(path); known != warp.places.end()) {
    next = known->second + 1;
    return false;
  }
  if (!complete()) return false;
  ++paths_;
  warp.places.emplace(path, warp.trail.size());
  warp.trail.push_back(path);
  next = warp.trail.size();
  return true;
}

void PathCounts::forget(Warp& warp) {
  if (!complete()) return;  // for good
  paths_ -= warp.trail.size();
  warp.trail.clear();
  warp.places.clear();
  warp.next = {};
}

void PathCounts::warp_together(uint32_t warp) { forget(warps_[warp]); }

void PathCounts::block_together() {
  for (Warp& warp : warps_) forget(warp);
}

uint32_t PathCounts::number_of(const char* program) {
  const auto [known, is_new] = numbers_.try_emplace(program, static_cast<uint32_t>(programs_.size()));
  if (is_new) passes_.emplace_back(programs_.emplace_back(program_from(program)).blocks.size());
  return known->second;
}

std::map<std::string, InstructionCounts> PathCounts::by_line() const {
  std::map<std::string, InstructionCounts> lines;
  for (size_t p = 0; p < programs_.size(); ++p)
    for (size_t b = 0; b < passes_[p].size(); ++b)
      for (const Program::Line& line : programs_[p].blocks[b].lines) {
        InstructionCounts& sum = lines[line.place];
        for (size_t i = 0; i < kCounted; ++i) sum.of[i] += line.counts.of[i] * passes_[p][b].of_warps;
        sum.by_threads += issued(line.counts) * passes_[p][b].of_threads;
      }
  return lines;
}

}  // namespace assay::simt::checked
