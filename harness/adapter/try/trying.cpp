// Batches, their modules, and what their cases come to.
#include "harness/adapter/try/trying.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "harness/adapter/steering.h"
#include "harness/adapter/try/explanations.h"
#include "harness/adapter/try/suspects.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using Candidates = std::vector<Inferred>;
constexpr size_t kFirstBatch = 4, kBatch = 24;    // compiled together, twice as many each time; mostly one of the
                                                  // first is right
constexpr size_t kTriedMax = 76;                  // they take some 15 s
constexpr size_t kSmallBatch = 6;                 // compiled together where a batch does not compile
constexpr size_t kForATimeout = 5;                // others that could be tried in its time
constexpr size_t kReasonsMax = 4;                 // reported
constexpr const char* kCandidate = "_candidate";  // and its number: the name of a variant that is only tried

// Attributes that say what the data is like or which formula the op has, in words: no kernel takes them as a number.
std::vector<const AttrSpec*> attributes_in_words(const Contract& contract) {
  std::vector<const AttrSpec*> all;
  for (const AttrSpec& attr : contract.attrs) {
    const auto is_word = [](const std::string& choice) {
      return std::isalpha(static_cast<unsigned char>(choice[0])) != 0;
    };
    if (attr.number.empty() && attr.choices.size() > 1 &&
        std::any_of(attr.choices.begin(), attr.choices.end(), is_word))
      all.push_back(&attr);
  }
  return all;
}

std::string call_of(const AdapterLaunch& launch) {
  const std::string args = fmt::format("{}({})", launch.entry, fmt::join(launch.args, ", "));
  return launch.is_launcher ? args
                            : fmt::format("{} in a grid of {} and blocks of {}", args, fmt::join(launch.grid, " by "),
                                          fmt::join(launch.block, " by "));
}

}  // namespace

std::string Trying::id_of(const Adapter& adapter) { return adapter.op + "/" + adapter.name; }

Trying::Trying(const Adapter& common, const TryAdapters& try_adapters, LoadAdapters load)
    : common_(common), try_adapters_(try_adapters), load_(std::move(load)) {}

// A candidate under a name of its own, for one dtype: one shows how it is called.
Adapter Trying::named(const Inferred& candidate) const {
  Adapter adapter = candidate.adapter;
  adapter.dtypes.resize(std::min<size_t>(adapter.dtypes.size(), 1));
  adapter.name += fmt::format("{}{}", kCandidate, ++named_);
  return adapter;
}

Result<std::optional<Found>> Trying::first_right(const Candidates& candidates) {
  std::optional<Error> error;
  bool any_compiled = false;
  Suspects suspects(candidates);
  size_t count = kFirstBatch, tried = 0;
  for (; tried < kTriedMax; count = std::min(2 * count, kBatch)) {
    const std::vector<size_t> places = suspects.next(std::min(count, kTriedMax - tried));
    tried += places.size();
    if (places.empty()) break;
    std::vector<Adapter> batch;
    for (const size_t place : places) batch.push_back(named(candidates[place]));
    std::set<size_t> silent(places.begin(), places.end());  // those that do not compile
    for (const std::vector<size_t>& part : parts(batch, error)) {
      any_compiled = true;
      std::vector<std::string> ids;
      std::vector<size_t> which;
      for (const size_t i : part) ids.push_back(id_of(batch[i])), which.push_back(places[i]), silent.erase(places[i]);
      const std::vector<TriedCandidate> results = try_adapters_(ids, {}, TrySizes::small);
      std::vector<std::string> ended_ids;
      std::vector<size_t> ended;
      for (size_t i = 0; i < results.size(); ++i) {
        TriedCandidate result = results[i];
        if (result.right && candidates[which[i]].filled_line != 0) result = in_larger_cases(ids[i], result, {});
        if (result.right) return std::optional(kinds_of_data(ids[i], which[i], candidates, {}));
        missed_.push_back({which[i], result, ids[i], {}});
        suspects.failed(which[i], result.why_not);
        for (size_t other = 0; other < candidates.size(); ++other)
          if (may_explain(candidates[other], candidates[which[i]], result.why_not) ||
              (result.passed > 0 && is_another_form(candidates[which[i]].adapter, candidates[other].adapter)))
            suspects.prefer(other);
        if (result.why_not.find("not done after") != std::string::npos) {  // in the kernel or in its reference
          tried += kForATimeout;
          continue;  // no data would make its grid or loop smaller
        }
        ended_ids.push_back(ids[i]);
        ended.push_back(which[i]);
      }
      if (auto found = with_plain_data(ended_ids, ended, candidates)) return std::optional(std::move(*found));
    }
    for (const size_t place : silent) suspects.failed(place, "does not compile");
  }
  if (!any_compiled && error) return tl::unexpected(*error);
  if (auto found = with_right_values(candidates)) return found;
  if (auto found = nearly_right(candidates)) return found;
  if (auto found = whatever_is_given(candidates)) return found;
  if (auto found = near_by_value(candidates)) return found;
  return of_the_likeliest(candidates, true);
}

// The result of a candidate that is right in small cases, unless larger ones show that its grid is too small.
TriedCandidate Trying::in_larger_cases(const std::string& id, const TriedCandidate& right,
                                       const AttrChoices& with) const {
  TriedCandidate larger = try_adapters_({id}, with, TrySizes::large).at(0);
  return larger.why_not.starts_with("UNWRITTEN") ? larger : right;
}

// A candidate that is right for the first choice of every attribute in words, and its other right choices.
std::optional<Found> Trying::with_plain_data(const std::vector<std::string>& ids, const std::vector<size_t>& candidates,
                                             const Candidates& all) {
  AttrChoices plain;
  for (const AttrSpec* attr : attributes_in_words(*find_op(common_.op)))
    plain.emplace_back(attr->name, attr->choices.front());
  if (plain.empty() || ids.empty()) return std::nullopt;
  const std::vector<TriedCandidate> results = try_adapters_(ids, plain, TrySizes::small);
  for (size_t i = 0; i < ids.size(); ++i)
    if (results[i].nearly_right())
      for (Missed& missed : missed_)
        if (missed.id == ids[i]) missed.result = results[i], missed.with = plain;
  size_t at = 0;
  while (at < ids.size() && !(results[at].right && (all[candidates[at]].filled_line == 0 ||
                                                    in_larger_cases(ids[at], results[at], plain).right)))
    ++at;
  if (at == ids.size()) return std::nullopt;
  Found found = kinds_of_data(ids[at], candidates[at], all, plain);
  if (found.ranges.empty()) return std::nullopt;  // it is wrong somewhere else
  return found;
}

// The choices of every attribute in words for which a candidate is right, beside the other choices of `plain`.
// Attributes that the candidate settles, such as the formula of an output, stay as they are.
Found Trying::kinds_of_data(const std::string& id, size_t candidate, const Candidates& all, const AttrChoices& plain) {
  const Contract& contract = *find_op(common_.op);
  const std::vector<Domain> settled = domains_of(all[candidate].adapter, contract);
  Found found{candidate};
  for (const AttrSpec* attr : attributes_in_words(contract)) {
    Domain range{attr->name};
    if (std::any_of(settled.begin(), settled.end(),
                    [&](const Domain& one) { return one.name == range.name && one.values.size() == 1; }))
      continue;
    for (const std::string& choice : attr->choices) {
      AttrChoices with = plain;
      std::erase_if(with, [&](const auto& each) { return each.first == attr->name; });
      with.emplace_back(attr->name, choice);
      const TriedCandidate result = try_adapters_({id}, with, TrySizes::small).at(0);
      if (result.right || result.passed == result.cases)  // or too few cases have it to say
        range.values.push_back(choice);
      else
        found.left_out.push_back(fmt::format("{} = {} ({})", range.name, choice, result.why_not));
    }
    if (range.values.size() < attr->choices.size()) found.ranges.push_back(std::move(range));
  }
  return found;
}

// The batch compiled and loaded: all of it together, or, where one of them does not compile, those of each entry. The
// indices of what is loaded.
std::vector<std::vector<size_t>> Trying::parts(const std::vector<Adapter>& batch, std::optional<Error>& error) {
  std::vector<size_t> all;
  for (size_t i = 0; i < batch.size(); ++i) all.push_back(i);
  if (load(batch, all, error)) return {all};
  std::map<std::string, std::vector<size_t>> by_entry;
  for (const size_t i : all) by_entry[batch[i].launches[0].entry].push_back(i);
  std::vector<std::vector<size_t>> loaded;
  for (const auto& [entry, part] : by_entry)
    for (size_t begin = 0; begin < part.size(); begin += kSmallBatch) {
      const std::vector<size_t> few(
          part.begin() + static_cast<std::ptrdiff_t>(begin),
          part.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kSmallBatch, part.size())));
      if (load(batch, few, error)) loaded.push_back(few);
      if (loaded.empty() && begin >= kSmallBatch) break;
    }
  std::sort(loaded.begin(), loaded.end());
  return loaded;
}

bool Trying::load(const std::vector<Adapter>& batch, const std::vector<size_t>& which, std::optional<Error>& error) {
  std::vector<Adapter> adapters;
  for (const size_t i : which) adapters.push_back(batch[i]);
  const auto loaded = load_(adapters, Sees::most);
  if (!loaded && !error) error = loaded.error();
  return loaded.has_value();
}

std::vector<Trying::Missed> Trying::nearest_first() const {
  std::vector<Missed> all = missed_;
  // One that few cases suit passes none of them wrong, and yet it shows nothing.
  std::stable_sort(all.begin(), all.end(), [](const Missed& a, const Missed& b) {
    const bool failed = a.result.fails(), other_failed = b.result.fails();
    return failed != other_failed ? failed : a.result.passed > b.result.passed;
  });
  return all;
}

std::string Trying::wrong_in_all() const {
  const auto first = std::ranges::find(missed_, 0u, &Missed::candidate);
  const bool all_fail = std::ranges::all_of(missed_, [](const Missed& missed) { return missed.result.fails(); });
  return first == missed_.end() || !all_fail ? "" : first->result.why_not;
}

size_t Trying::nearest() const { return missed_.empty() ? 0 : nearest_first()[0].candidate; }

std::vector<std::string> Trying::reasons(const Candidates& candidates) const {
  struct Reason {
    Missed first;
    size_t count = 0;
  };
  std::vector<Reason> distinct;
  for (const Missed& missed : nearest_first()) {
    const std::string what = gist(missed.result.why_not);
    const auto known = std::find_if(distinct.begin(), distinct.end(),
                                    [&](const Reason& each) { return gist(each.first.result.why_not) == what; });
    if (known == distinct.end())
      distinct.push_back({missed, 1});
    else
      ++known->count;
  }
  std::vector<std::string> told;
  for (const Reason& reason : distinct) {
    const TriedCandidate& result = reason.first.result;
    if (told.size() == kReasonsMax) break;
    told.push_back(
        fmt::format("{}: {}{}{}.", call_of(candidates[reason.first.candidate].adapter.launches.at(0)),
                    result.passed == 0 ? "" : fmt::format("{} of {} cases right, then ", result.passed, result.cases),
                    result.why_not.substr(0, result.why_not.find("; kernel ")),
                    reason.count == 1 ? "" : fmt::format(" ({} candidates alike)", reason.count)));
  }
  if (distinct.size() > kReasonsMax) told.push_back(fmt::format("{} more reasons.", distinct.size() - kReasonsMax));
  return told;
}

}  // namespace assay
