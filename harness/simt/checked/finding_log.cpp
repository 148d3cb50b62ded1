// The sentences of the checked build: what is wrong, who did it, and a hint what to change.
#include "harness/simt/checked/finding_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/debugger.h"

namespace assay::simt::checked {
namespace {

const char* name(Access access) {
  static constexpr std::array kNames{"read", "write", "atomic"};  // as in the enum
  return kNames.at(static_cast<size_t>(access));
}

std::string line_of(const void* pc) {
  const std::string line = pc == nullptr ? "" : source_line(pc);
  return line.empty() ? "line unknown" : line;
}

std::string coordinates(uint64_t number, const dim3& dim) {
  return fmt::format("({},{},{})", number % dim.x, number / dim.x % dim.y, number / dim.x / dim.y);
}

const char* hint_for(const Party& me, const Party& earlier, bool one_line) {
  if (earlier.copying)
    return "which may still be under way; a cp.async wait in that thread is missing, and a barrier after it for others";
  if (me.block != earlier.block || earlier.other_blocks)
    return "blocks run in no order; atomics, a fence with an atomic, or a second launch usually fix it";
  if ((me.access == Access::atomic) != (earlier.access == Access::atomic))
    return "an atomic orders nothing against a plain access; a barrier between the two lines, or an atomic in both, "
           "usually fixes it";
  if (one_line && me.access == Access::write && earlier.access == Access::write)
    return "no barrier between; let one thread write this element, or give each thread its own";
  if (one_line)
    return "several threads read and write one element in this line; an atomic, or an element of its own for each "
           "thread, usually fixes it, or a barrier in each round of its loop where rounds use each other's results";
  if (me.thread / 32 == earlier.thread / 32 && me.thread_known && (!earlier.others_too || earlier.one_warp))
    return "no barrier or warp operation between; a __syncwarp() or __syncthreads() between the two lines usually "
           "fixes it";
  return "no barrier between; a __syncthreads() between the two lines usually fixes it";
}

}  // namespace

void FindingLog::begin_launch(const char* kernel, const dim3& grid, const dim3& block) {
  kernel_ = kernel;
  grid_ = grid;
  block_ = block;
  known_.clear();
  entries_.clear();
  left_out_ = 0;
}

bool FindingLog::is_new(Kind kind, const void* pc, const void* earlier_pc, const void* detail) {
  const auto key = std::make_tuple(kind, pc, earlier_pc, detail);
  if (const auto known = known_.find(key); known != known_.end()) {
    ++entries_[known->second].count;
    return false;
  }
  if (entries_.size() >= kDistinctMax) {
    ++left_out_;
    return false;
  }
  known_.emplace(key, entries_.size());
  return true;
}

void FindingLog::add(Report report) {
  entries_.push_back({std::move(report), 1});
  if (debugger_attached()) assay_finding(words(entries_.back()).c_str(), nullptr, nullptr);
}

std::string FindingLog::words(const Party& party, bool with_block) const {
  std::string text = party.act != nullptr ? party.act : party.copying ? "cp.async" : name(party.access);
  if (party.thread_known) text += " by thread " + coordinates(party.thread, block_);
  if (party.other_blocks)
    text += party.thread_known ? " and others of other blocks" : " by threads of several blocks";
  else if (party.others_too)
    text += party.thread_known ? " and others" : " by several threads";
  if (with_block && !party.other_blocks) text += " of block " + coordinates(party.block, grid_);
  return text + " (" + line_of(party.pc) + ")";
}

std::string FindingLog::words(const Entry& entry) const {
  const Report& r = entry.report;
  std::string text = fmt::format("kernel {} block {}: {}: ", kernel_, coordinates(r.me.block, grid_), r.place);
  if (r.what.empty()) {  // a race of two accesses
    const bool across = r.me.block != r.earlier.block;
    text +=
        fmt::format("{} after {}, {}", words(r.me, across), words(r.earlier, across),
                    r.hint != nullptr ? r.hint : hint_for(r.me, r.earlier, line_of(r.me.pc) == line_of(r.earlier.pc)));
  } else {
    text += words(r.me, false) + ", " + r.what;
  }
  return text;
}

Findings FindingLog::take() {
  Findings findings;
  std::vector<uint64_t> counts;
  for (const Entry& entry : entries_) {  // one line may have been compiled to several instructions
    Finding finding{entry.report.kind, words(entry)};
    const auto same = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
      return f.kind == finding.kind && f.detail == finding.detail;
    });
    if (same != findings.end()) {
      counts[static_cast<size_t>(same - findings.begin())] += entry.count;
      continue;
    }
    findings.push_back(std::move(finding));
    counts.push_back(entry.count);
  }
  for (size_t i = 0; i < findings.size(); ++i)
    if (counts[i] > 1) findings[i].detail += fmt::format(" ({} times)", counts[i]);
  if (left_out_ > 0 && !findings.empty())
    findings.back().detail += fmt::format("; {} more findings at other lines are left out", left_out_);
  known_.clear();
  entries_.clear();
  left_out_ = 0;
  return findings;
}

}  // namespace assay::simt::checked
