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
constexpr size_t kValuesMax = 24;                 // tried for their values alone
constexpr size_t kForATimeout = 5;                // others that could be tried in its time
constexpr int kLikely = 3;                        // in units of cost above the likeliest candidate
constexpr size_t kNearMax = 12;                   // tried in larger cases
constexpr double kWorthIt = 0.75;                 // wrong in small cases: one of three terms or rows may be lost there
constexpr size_t kShownRight = 2;                 // cases of different sizes are not right by chance
constexpr size_t kSameFindingMin = 3;             // end in one finding whatever they are given
constexpr size_t kReasonsMax = 4;                 // reported
constexpr const char* kCandidate = "_candidate";  // and its number: the name of a variant that is only tried

std::string id_of(const Adapter& adapter) { return adapter.op + "/" + adapter.name; }

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

Trying::Trying(const Adapter& common, const TryAdapters& try_adapters, LoadAdapters load)
    : common_(common), try_adapters_(try_adapters), load_(std::move(load)) {}

// A candidate under a name of its own, for one dtype: one shows how it is called.
Adapter Trying::named(const Inferred& candidate) {
  Adapter adapter = candidate.adapter;
  adapter.aligned = common_.aligned;
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
          if (may_explain(candidates[other], candidates[which[i]], result.why_not)) suspects.prefer(other);
        if (result.why_not.starts_with("TIMEOUT")) {
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
  return in_no_order(candidates);
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

std::optional<Found> Trying::with_right_values(const Candidates& candidates) {
  std::vector<Adapter> batch;
  std::vector<Missed> chosen;
  for (const Missed& missed : nearest_first()) {
    if (chosen.size() == kValuesMax) break;
    if (is_whatever_is_given(candidates[missed.candidate], missed.result.why_not))
      return Found{.candidate = missed.candidate, .fault = missed.result.why_not, .is_certain = true};
    const std::string& finding = missed.result.why_not;
    const Inferred& candidate = candidates[missed.candidate];
    const bool is_known = candidate.launch_guesses.empty() || has_thread_for_each(candidate.adapter.launches.at(0));
    const bool is_race = finding.starts_with("RACE") && is_within_a_block(finding);
    if ((is_known && missed.result.passed > 0 && is_race) ||
        (missed.result.passed >= kShownRight && is_of_its_own_launch(candidate, finding) &&
         takes_all_inputs(candidate)))
      return Found{.candidate = missed.candidate, .fault = finding, .is_right_elsewhere = true};
    if (!is_known || (!is_within_a_block(finding) && !is_of_its_own_launch(candidate, finding))) continue;
    chosen.push_back(missed);
    batch.push_back(named(candidates[missed.candidate]));
  }
  std::vector<std::string> ids;
  for (const Adapter& each : batch) ids.push_back(id_of(each));
  if (batch.empty() || !load_(batch, Sees::values)) return std::nullopt;
  const std::vector<TriedCandidate> results = try_adapters_(ids, {}, TrySizes::small);
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].right ||
        (results[i].passed > 0 && results[i].why_not.starts_with("NONDETERMINISTIC")))  // as races are
      return Found{chosen[i].candidate, {}, {}, chosen[i].result.why_not};
  return std::nullopt;
}

std::optional<Found> Trying::whatever_is_given(const Candidates& candidates) const {
  struct Alike {
    std::vector<const Inferred*> candidates;
    Found first;
  };
  std::map<std::string, Alike> by_gist;
  for (const Missed& missed : nearest_first()) {
    const Inferred& one = candidates[missed.candidate];
    const std::string& finding = missed.result.why_not;
    const bool is_in_shared_memory = is_within_a_block(finding) && !finding.starts_with("OUT_OF_BOUNDS");
    const bool is_in_own_memory = finding.starts_with("CRASH: killed by signal");  // buffers are looked at before
    if (one.authors_line == 0 || (!is_in_shared_memory && !is_in_own_memory)) continue;
    Alike& alike = by_gist[gist(finding)];
    if (alike.candidates.empty()) alike.first = {.candidate = missed.candidate, .fault = finding, .is_certain = true};
    alike.candidates.push_back(&one);
  }
  for (const auto& [finding, alike] : by_gist)
    if (alike.candidates.size() >= kSameFindingMin && share_no_argument(alike.candidates, candidates))
      return alike.first;
  return std::nullopt;
}

std::optional<Found> Trying::as_launched(const Candidates& candidates, const Found& right) {
  const Inferred& taken = candidates[right.candidate];
  const auto is_right_for_whole_blocks = [&](const Inferred& one) {
    for (size_t other = 0; other < candidates.size(); ++other)
      if (asks_for_more(one.adapter, candidates[other].adapter))
        return other == right.candidate || is_right(candidates[other]);
    return false;
  };
  const auto own = std::ranges::find_if(missed_, [&](const Missed& missed) {
    const Inferred& one = candidates[missed.candidate];
    const std::string& finding = missed.result.why_not;
    const bool is_wrong = is_of_its_grid(one, finding) || (one.authors_line != 0 && finding.starts_with("MISMATCH"));
    const bool is_found = is_wrong || (one.authors_line != 0 && finding.starts_with("RACE"));
    // A case is right in the grid that is guessed, and in others its blocks meet or sum up wrongly.
    const bool is_shown = one.filled_line != 0 && missed.result.passed > 0 &&
                          (finding.starts_with("RACE") || finding.starts_with("MISMATCH"));
    if (has_number_for_size(one.adapter)) return false;
    const bool is_authors = one.authors_line != 0 && taken.authors_line == 0;
    return (is_authors && is_wrong && differ_in_launch_only(one.adapter, taken.adapter)) ||
           (is_authors && missed.result.nearly_right() && is_likely(missed, candidates)) ||
           ((is_found || is_shown) && is_retreat(one, taken.adapter)) || hides_the_end(one, finding, taken.adapter) ||
           (waits_in_vain(one, finding) && is_same_call(one.adapter, taken.adapter) && is_right_for_whole_blocks(one));
  });
  if (own == missed_.end()) return std::nullopt;
  Found found{own->candidate, right.ranges, right.left_out, own->result.why_not};
  AttrChoices plain;
  for (const Domain& range : right.ranges)
    if (!range.values.empty()) plain.emplace_back(range.name, range.values.front());
  if (!plain.empty() && try_adapters_({own->id}, plain, TrySizes::small).at(0).right) found.fault.clear();
  found.as_launched = std::max(candidates[own->candidate].authors_line, candidates[own->candidate].filled_line);
  return found;
}

std::optional<size_t> Trying::hidden_by(const Candidates& candidates, const Found& right) const {
  const auto wrong = std::ranges::find_if(missed_, [&](const Missed& missed) {
    const Inferred& one = candidates[missed.candidate];
    const Adapter& taken = candidates[right.candidate].adapter;
    return is_retreat(one, taken) || (is_of_its_grid(one, missed.result.why_not) && is_one_block_of(one, taken));
  });
  return wrong == missed_.end() ? std::nullopt : std::optional(wrong->candidate);
}

// Whether a candidate has all inputs and is not much less likely than the first.
bool Trying::is_likely(const Missed& missed, const Candidates& candidates) {
  const Inferred& one = candidates[missed.candidate];
  return takes_all_inputs(one) && one.cost <= candidates[0].cost + kLikely;
}

bool Trying::is_right(const Inferred& candidate) {
  const Adapter one = named(candidate);
  return load_({one}, Sees::most) && try_adapters_({id_of(one)}, {}, TrySizes::small).at(0).right;
}

std::optional<Found> Trying::nearly_right(const Candidates& candidates) const {
  const auto cost = [&](const Missed& missed) { return candidates[missed.candidate].cost; };
  std::vector<Missed> all = missed_;
  std::erase_if(all, [&](const Missed& missed) {
    return !missed.result.nearly_right() || !is_likely(missed, candidates) ||
           may_be_of_guessed_launch(candidates[missed.candidate], missed.result.why_not);
  });
  if (all.empty()) return std::nullopt;
  const Missed& best = *std::ranges::min_element(all, {}, cost);
  Found found{best.candidate, {}, {}, best.result.why_not};
  const std::vector<Fixed>& fixed = candidates[best.candidate].adapter.fixed;
  for (const auto& [attr, choice] : best.with)
    if (std::ranges::find(fixed, attr, &Fixed::name) == fixed.end())
      found.ranges.push_back({.name = attr, .values = {choice}});
  found.is_nearly_right = true;
  return found;
}

std::optional<Found> Trying::near_by_value(const Candidates& candidates) const {
  const auto wrong = [](const Missed& missed) { return std::min(missed.result.distance, 1 - missed.result.share); };
  std::vector<Missed> near = missed_;
  std::erase_if(near, [&](const Missed& missed) {
    return wrong(missed) > kWorthIt || !takes_all_inputs(candidates[missed.candidate]) ||
           may_be_of_guessed_launch(candidates[missed.candidate], missed.result.why_not);
  });
  std::ranges::stable_sort(near, {}, wrong);
  if (near.empty()) return std::nullopt;
  near.resize(std::min(near.size(), kNearMax));
  // As of those that are right, the first is taken: a bug puts each of them off by about as much.
  std::ranges::sort(near, {}, [&](const Missed& missed) { return std::ranges::find(missed_, missed.id, &Missed::id); });
  std::vector<std::string> ids;
  for (const Missed& missed : near) ids.push_back(missed.id);
  const std::vector<TriedCandidate> results = try_adapters_(ids, {}, TrySizes::large);
  for (size_t i = 0; i < results.size(); ++i) {
    // Where most elements are to be 0, most are right of a candidate that does nothing; and where a dim is 1, of one
    // that takes it for another.
    const bool likely =
        candidates[near[i].candidate].cost <= candidates[0].cost + kLikely && near[i].result.share >= 1 - kWorthIt;
    if (results[i].cases == 0 || !(results[i].is_near() || (likely && results[i].nearly_right()))) continue;
    Found found{near[i].candidate, {}, {}, near[i].result.why_not};
    found.is_nearly_right = true;
    found.distance = results[i].is_near() ? results[i].distance : 0;
    return found;
  }
  return std::nullopt;
}

std::optional<Found> Trying::in_no_order(const Candidates& candidates) {
  std::vector<size_t> untried;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (is_own_call_but_order(candidates[i]) && std::ranges::find(missed_, i, &Missed::candidate) == missed_.end())
      untried.push_back(i);
  if (untried.size() > kBatch) return std::nullopt;
  std::vector<Adapter> batch;
  for (const size_t i : untried) batch.push_back(named(candidates[i]));
  std::optional<Error> error;
  if (!batch.empty())
    for (const std::vector<size_t>& part : parts(batch, error))
      for (const size_t i : part) {
        const std::string id = id_of(batch[i]);
        const TriedCandidate result = try_adapters_({id}, {}, TrySizes::small).at(0);
        if (result.right) return kinds_of_data(id, untried[i], candidates, {});
        missed_.push_back({untried[i], result, id, {}});
      }
  const Missed* first = nullptr;
  for (const Missed& missed : missed_) {
    if (!is_own_call_but_order(candidates[missed.candidate])) continue;
    if (!missed.result.fails()) return std::nullopt;
    if (!first || candidates[missed.candidate].cost < candidates[first->candidate].cost) first = &missed;
  }
  if (!first) return std::nullopt;
  Found found{first->candidate, {}, {}, first->result.why_not};
  found.is_nearly_right = found.is_own_call = true;
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
