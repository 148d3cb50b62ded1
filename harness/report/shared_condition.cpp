// Finds the comparison that fits among all, or two.
#include "harness/report/shared_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/report/comparisons.h"
#include "harness/result/defect.h"

namespace assay {
namespace {

using Cases = std::vector<bool>;  // the failing ones, then the passing ones, then those that pass in doubt

double log_choose(size_t n, size_t k) {
  return std::lgamma(static_cast<double>(n + 1)) - std::lgamma(static_cast<double>(k + 1)) -
         std::lgamma(static_cast<double>(n - k + 1));
}

// An element of an adapter's list of texts: with quotes inside, the other kind of TOML's stands around it.
std::string in_quotes(const std::string& text) {
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  return quote + text + quote;
}

class Search {
 public:
  Search(const Comparisons& tried, const std::vector<Case>& cases, size_t failing, size_t passing)
      : all_(tried.all), tried_(tried.tried), failing_(failing), count_(failing + passing) {
    std::set<std::string> lines;
    for (size_t i = 0; i < count_; ++i) is_first_.push_back(lines.insert(print(cases[i])).second);
  }

  std::optional<SharedCondition> best() const {
    auto one = single();
    return one ? one : pair();
  }

 private:
  size_t met_by(const Cases& met, size_t begin, size_t end) const {
    return static_cast<size_t>(std::count(met.begin() + static_cast<std::ptrdiff_t>(begin),
                                          met.begin() + static_cast<std::ptrdiff_t>(end), true));
  }
  size_t met_by_failing(const Cases& met) const { return met_by(met, 0, failing_); }
  size_t met_by_passing(const Cases& met) const { return met_by(met, failing_, count_); }

  // Only one counts of a case that two devices ran.
  bool by_chance(double tried, const Cases& met) const {
    size_t failing = 0, all = 0, all_met = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (!is_first_[i]) continue;
      ++all;
      failing += i < failing_ ? 1 : 0;
      all_met += met[i] ? 1 : 0;
    }
    return std::log(tried) + log_choose(all_met, failing) - log_choose(all, failing) > std::log(kChanceMax);
  }

  SharedCondition found(std::string holds, std::string adapter, size_t met_also) const {
    return {std::move(holds), std::move(adapter), static_cast<int64_t>(failing_),
            static_cast<int64_t>(count_ - failing_), static_cast<int64_t>(met_also)};
  }

  std::optional<SharedCondition> single() const {
    const Comparison* best = nullptr;
    size_t fewest = 0;  // of all that pass: doubtful cases still distinguish conditions
    for (const Comparison& each : all_) {
      if (met_by_failing(each.met) < failing_) continue;
      const size_t pass = met_by(each.met, failing_, each.met.size());
      if (!best || pass < fewest) best = &each, fewest = pass;
    }
    if (!best || by_chance(tried_, best->met)) return std::nullopt;
    const size_t also = met_by_passing(best->met);
    if (static_cast<double>(failing_) < kFailingShareMin * static_cast<double>(failing_ + also)) return std::nullopt;
    return found(best->holds,
                 best->adapter.empty() ? fmt::format("requires = [{}]", in_quotes(best->else_holds)) : best->adapter,
                 also);
  }

  // a && b, where both hold in all failing cases and no passing one meets both; or a || b, the same the other way
  // round.
  std::optional<SharedCondition> pair() const {
    Cases failing(count_);
    std::fill_n(failing.begin(), failing_, true);
    if (by_chance(tried_ * tried_, failing)) return std::nullopt;
    const Comparison *first = nullptr, *second = nullptr;
    bool both = false;
    for (const bool is_and : {true, false}) {
      const size_t begin = is_and ? failing_ : 0, end = is_and ? count_ : failing_;  // where a is not enough
      std::vector<const Comparison*> parts;
      for (const Comparison& each : all_)
        if (is_and ? met_by_failing(each.met) == failing_ : met_by_passing(each.met) == 0) parts.push_back(&each);
      for (size_t i = 0; i < parts.size(); ++i)
        for (size_t j = i + 1; j < parts.size(); ++j) {
          if (first && first->cost + second->cost <= parts[i]->cost + parts[j]->cost) continue;
          if (complete(*parts[i], *parts[j], is_and, begin, end)) first = parts[i], second = parts[j], both = is_and;
        }
    }
    if (!first) return std::nullopt;
    std::string adapter;
    if (first->adapter.empty() && second->adapter.empty())
      adapter = both ? fmt::format("requires = [{}]", in_quotes(first->else_holds + " || " + second->else_holds))
                     : fmt::format("requires = [{}, {}]", in_quotes(first->else_holds), in_quotes(second->else_holds));
    return found(fmt::format("{} {} {}", first->holds, both ? "&&" : "||", second->holds), adapter, 0);
  }

  static bool complete(const Comparison& a, const Comparison& b, bool is_and, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      if (is_and ? a.met[i] && b.met[i] : !a.met[i] && !b.met[i]) return false;
    return true;
  }

  const std::vector<Comparison>& all_;
  double tried_;
  size_t failing_, count_;
  std::vector<bool> is_first_;  // of its line
};

}  // namespace

std::optional<SharedCondition> shared_condition(const std::vector<Case>& failing, const std::vector<Case>& passing,
                                                const std::vector<Case>& doubtful) {
  if (failing.empty() || passing.empty()) return std::nullopt;
  std::vector<Case> cases = failing;
  cases.insert(cases.end(), passing.begin(), passing.end());
  cases.insert(cases.end(), doubtful.begin(), doubtful.end());
  const Comparisons tried = comparisons(cases, failing.size());
  return Search(tried, cases, failing.size(), passing.size()).best();
}

std::string what_they_share(const std::vector<const ResultRow*>& failing, const std::vector<ResultRow>& all) {
  std::vector<Case> fail, pass, doubtful;
  std::set<std::string> devices, lines;
  bool ordinary = false, some_are_empty = false;
  for (const ResultRow* row : failing) {
    if (!row->shrunk_from.empty() || row->verdict == Kind::mistrusted) continue;
    fail.push_back(row->c);
    devices.insert(row->device);
    ordinary |= has_ordinary_data(row->c);
  }
  if (fail.empty()) return "";
  const auto is_of_this = [&](const ResultRow& row) {
    return row.c.op == fail[0].op && row.c.variant == fail[0].variant && row.shrunk_from.empty() &&
           devices.contains(row.device);
  };
  for (const ResultRow& row : all)
    if (is_of_this(row) && is_failure(row.verdict) && row.verdict != Kind::mistrusted) lines.insert(row.line());
  for (const ResultRow& row : all) {
    if (!is_of_this(row) || row.verdict != Kind::pass || lines.contains(row.line())) continue;
    if (row.figures["size"] == 0)
      some_are_empty = true;
    else
      (!ordinary || has_ordinary_data(row.c) ? pass : doubtful).push_back(row.c);
  }
  auto shared = shared_condition(fail, pass, doubtful);
  if (!shared && ordinary) {  // too few pass with ordinary data; what separates all that pass is as certain
    ordinary = false;
    pass.insert(pass.end(), doubtful.begin(), doubtful.end());
    shared = shared_condition(fail, pass);
  }
  if (!shared) return "";
  const std::string passing =
      fmt::format("of the {}{} that pass{}", shared->passing, some_are_empty ? " with elements" : "",
                  ordinary ? " with ordinary data" : "");
  std::string text = fmt::format("all {} cases that fail so have {}, ", shared->failing, shared->holds);
  text += shared->met_also == 0 ? fmt::format("none {} has", passing)
                                : fmt::format("as do {} {}", shared->met_also, passing);
  const bool has_adapter = !failing.front()->origin.source.empty();
  return has_adapter && !shared->adapter.empty() ? text + "; if that is meant: " + shared->adapter : text;
}

}  // namespace assay
