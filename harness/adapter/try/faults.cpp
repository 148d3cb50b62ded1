// The kernel's own faults: where no candidate is right, and where one that is right hides them.
#include <algorithm>
#include <map>
#include <set>

#include "harness/adapter/try/explanations.h"
#include "harness/adapter/try/suspects.h"
#include "harness/adapter/try/trying.h"

namespace assay {
namespace {

using Candidates = std::vector<Inferred>;
constexpr size_t kValuesMax = 24;  // tried for their values alone
constexpr int kLikely = 3;         // in units of cost above the likeliest candidate
constexpr size_t kNearMax = 12;    // tried in larger cases
constexpr double kWorthIt = 0.75;  // wrong in small cases: one of three terms or rows may be lost there
constexpr size_t kShownRight = 2;  // cases of different sizes are not right by chance

}  // namespace

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
    const bool is_of_rests = candidate.has_rests && finding.starts_with("MISALIGNED");
    if ((is_known && missed.result.passed > 0 && is_race) ||
        (missed.result.passed >= kShownRight && (is_of_rests || is_of_its_own_launch(candidate, finding)) &&
         takes_all_inputs(candidate)))
      return Found{.candidate = missed.candidate, .fault = finding, .is_right_elsewhere = true};
    // A kernel that writes beyond its own array has no values to speak of.
    if (finding.starts_with("OUT_OF_BOUNDS") && is_within_a_block(finding)) continue;
    if (!is_known || (!is_of_rests && !is_within_a_block(finding) && !is_of_its_own_launch(candidate, finding)))
      continue;
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

// The finding in which the file's own launch ends whenever it is tried, where nothing is open of it that the finding
// may hang on.
std::optional<Found> Trying::whatever_is_given(const Candidates& candidates) const {
  std::set<std::string> findings;
  const Missed* own = nullptr;  // the likeliest of these
  for (const Missed& missed : missed_) {
    const Inferred& one = candidates[missed.candidate];
    if (!is_own_launch(one) || !one.launch_guesses.empty()) continue;
    findings.insert(gist(missed.result.why_not));
    if (!own || missed.candidate < own->candidate) own = &missed;
  }
  if (findings.size() == 1 && is_of_its_own_launch(candidates[own->candidate], own->result.why_not) &&
      leaves_only_forms(candidates[own->candidate], own->result.why_not, candidates))
    return Found{.candidate = own->candidate, .fault = own->result.why_not, .is_certain = true};
  return of_the_likeliest(candidates, false);
}

// The finding in which the likeliest candidate ends in each form of the op, where nothing else of it is open: a race or
// wait of a block's threads, and any where no other arguments are possible; else a size may be what is wrong. By
// values: whatever the file's own launch ends in, if no other arguments are right more often. Elements that stay
// unwritten are the grid's, unless that has a thread for each.
std::optional<Found> Trying::of_the_likeliest(const Candidates& candidates, bool by_values) const {
  const Inferred& one = candidates[0];
  const auto first = std::ranges::find(missed_, 0u, &Missed::candidate);
  const AdapterLaunch& launch = one.adapter.launches.at(0);
  if (first == missed_.end() || !(one.agrees_with_indices || launch.is_launcher)) return std::nullopt;
  const std::string& finding = first->result.why_not;
  if (!leaves_only_forms(one, finding, candidates) || finding.find("not done after") != finding.npos)
    return std::nullopt;  // of sizes that are large
  if (finding.starts_with("UNWRITTEN") && !launch.is_launcher && !has_thread_for_each(launch))
    return std::nullopt;  // of a grid for one size, in a test
  const bool has_its_block =
      launch.is_launcher || (one.authors_line + one.filled_line != 0 && launch.block.front() != "block");
  const bool is_race_of_a_block = finding.starts_with("RACE") && is_within_a_block(finding) &&
                                  (has_its_block || (one.any_block_line != 0 && is_found_in_one_warp(one, finding)));
  const bool is_of_threads = is_race_of_a_block || waits_in_vain(one, finding);
  const bool has_no_other =
      one.authors_line != 0 && !guesses_a_number(one) && std::ranges::all_of(candidates, [&](const Inferred& other) {
        const AdapterLaunch& others = other.adapter.launches.at(0);
        return others.is_launcher ||
               (others.entry == launch.entry && (others.args == launch.args || !takes_all_inputs(other)));
      });
  const bool is_wrong = by_values && is_own_launch(one) && !guesses_a_number(one) &&
                        !finding.starts_with("UNWRITTEN") && std::ranges::all_of(missed_, [&](const Missed& missed) {
                          return missed.result.passed <= first->result.passed ||
                                 is_another_form(one.adapter, candidates[missed.candidate].adapter);
                        });
  if (by_values ? !is_wrong : !is_of_threads && !has_no_other) return std::nullopt;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!is_another_form(one.adapter, candidates[i].adapter)) continue;
    const auto missed = std::ranges::find(missed_, i, &Missed::candidate);
    const bool is_tried = missed != missed_.end();
    if (is_tried ? gist(missed->result.why_not) != gist(finding) : is_wrong) return std::nullopt;
  }
  return Found{.candidate = 0, .fault = finding, .is_certain = true};
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
    if (has_number_for_size(one.adapter) || has_size_of_its_own(taken.adapter, one.adapter)) return false;
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
    const bool is_instance = missed.result.fails() &&
                             missed.result.why_not.find("not done after") == std::string::npos &&
                             is_another_instance(one, candidates[right.candidate]);
    return is_retreat(one, taken) || is_instance ||
           (is_of_its_grid(one, missed.result.why_not) && is_one_block_of(one, taken));
  });
  return wrong == missed_.end() ? std::nullopt : std::optional(wrong->candidate);
}

// Whether no size of blocks is the cause of a finding.
bool Trying::is_found_in_one_warp(Inferred one, const std::string& finding) const {
  one.adapter.blocks = {32};
  const Adapter in_warps = named(one);
  return load_({in_warps}, Sees::most) &&
         gist(try_adapters_({id_of(in_warps)}, {}, TrySizes::small).at(0).why_not) == gist(finding);
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
  const auto is_narrow = [&](const Missed& missed) { return is_for_part(candidates[missed.candidate]); };
  std::vector<Missed> all = missed_;
  std::erase_if(all, [&](const Missed& missed) {
    return !missed.result.nearly_right() || !is_likely(missed, candidates) || is_narrow(missed) ||
           guesses_a_number(candidates[missed.candidate]) ||
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
  // A product that reads its output, times 0, before it is written is no sum of which that is a small part.
  const auto is_read_in_another_form = [&](const Missed& missed) {
    return std::ranges::any_of(missed_, [&](const Missed& other) {
      return other.result.why_not.starts_with("UNINITIALISED") &&
             is_another_form(candidates[missed.candidate].adapter, candidates[other.candidate].adapter);
    });
  };
  std::vector<Missed> near = missed_;
  std::erase_if(near, [&](const Missed& missed) {
    return wrong(missed) > kWorthIt || !takes_all_inputs(candidates[missed.candidate]) ||
           is_for_part(candidates[missed.candidate]) || guesses_a_number(candidates[missed.candidate]) ||
           is_read_in_another_form(missed) ||
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

}  // namespace assay
