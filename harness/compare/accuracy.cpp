// Quantiles of error/budget over the cases of a variant, before and after.
#include "harness/compare/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace assay::comparison {
namespace {

using Group = std::tuple<std::string, std::string, std::string>;  // variant, dtype, device
using Cases = std::vector<const Subject*>;

std::map<Group, Cases> groups_of(const Measured& measured) {
  std::map<Group, Cases> groups;
  for (const auto& [name, subject] : measured.subjects)
    if (!std::isnan(subject.error_over_budget))
      groups[{subject.variant, subject.dtype, subject.device}].push_back(&subject);
  for (auto& [group, cases] : groups)
    std::ranges::stable_sort(
        cases, [](const Subject* a, const Subject* b) { return a->error_over_budget < b->error_over_budget; });
  return groups;
}

const Subject& at(const Cases& cases, double quantile) {
  const auto rank = static_cast<size_t>(std::ceil(quantile * static_cast<double>(cases.size())));
  return *cases[std::max<size_t>(rank, 1) - 1];
}

bool grew(double from, double to, const AccuracyRule& rule) {
  return to >= rule.factor * from && to - from >= rule.budget;
}

Line line_of(const Group& group, const Cases& before, const Cases& after, const AccuracyRule& rule) {
  const Subject& from = at(before, rule.quantile);
  const Subject& to = at(after, rule.quantile);
  Line line;
  std::tie(line.variant, line.dtype, line.device) = group;
  line.subject = fmt::format("{} {}", line.variant, line.dtype);
  line.metric = rule.metric;
  line.before = from.error_over_budget;
  line.after = to.error_over_budget;
  if (grew(line.before, line.after, rule)) line.change = Change::regressed;
  if (grew(line.after, line.before, rule)) line.change = Change::improved;
  line.why = before.size() == after.size() ? fmt::format("{} cases", after.size())
                                           : fmt::format("{} cases, {} before", after.size(), before.size());
  line.source = to.source;
  line.again = to.again;
  return line;
}

// A file's code is one, so the first case speaks for all of a run; in both runs it must be known for each.
bool all_are_same_code(const Cases& before, const Cases& after) {
  const auto is_first = [&](const Subject* each) { return is_same_code(*before.front(), *each); };
  return std::ranges::all_of(before, is_first) && std::ranges::all_of(after, is_first);
}

}  // namespace

std::vector<Accuracy> accuracies(const Measured& measured) {
  std::vector<Accuracy> all;
  for (const auto& [group, cases] : groups_of(measured)) {
    const auto& [variant, dtype, device] = group;
    all.push_back({variant, dtype, device, at(cases, kTypicalError.quantile).error_over_budget,
                   at(cases, kWorstError.quantile).error_over_budget});
  }
  return all;
}

std::vector<Line> compare_accuracy(const Measured& before, const Measured& after, bool missing) {
  std::vector<Line> lines;
  const std::map<Group, Cases> others = groups_of(after);
  for (const auto& [group, cases] : groups_of(before)) {
    const auto found = others.find(group);
    if (found != others.end()) {
      if (all_are_same_code(cases, found->second)) continue;
      for (const AccuracyRule& rule : {kTypicalError, kWorstError})
        lines.push_back(line_of(group, cases, found->second, rule));
      continue;
    }
    if (!missing) continue;
    Line line = line_of(group, cases, cases, kWorstError);
    line.change = Change::missing;
    line.after = kUnknown;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace assay::comparison
