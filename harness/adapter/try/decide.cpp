// Takes the binding candidate that a few cases do not refute, and reports the result.
#include "harness/adapter/try/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <ranges>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/parallel.h"
#include "harness/adapter/build/scratch.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/try/explanations.h"
#include "harness/adapter/try/freer.h"
#include "harness/adapter/try/trying.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

constexpr size_t kHalvedMin = 8;  // candidates that are compiled in two halves at the same time

std::string sentence(const Inferred& taken) {
  std::vector<std::string> guesses = taken.guesses;
  guesses.insert(guesses.end(), taken.launch_guesses.begin(), taken.launch_guesses.end());
  return fmt::format("{}", fmt::join(guesses, ", "));
}

void take(Prepared& prepared, const Inferred& taken) {
  CompileOptions compile = std::move(prepared.adapter.compile);
  prepared.adapter = taken.adapter;
  prepared.adapter.compile = std::move(compile);
  prepared.remarks = taken.remarks;
  prepared.candidates.clear();
}

// None is right: what was guessed, and why it is not that.
void explain_miss(Prepared& prepared, const Inferred& taken, const Trying& trying, std::vector<std::string> reasons,
                  const std::string& right_where = "") {
  const std::string guessed = sentence(taken);
  prepared.adapter.guesses = taken.launch_guesses;
  prepared.adapter.guesses.insert(prepared.adapter.guesses.begin(), taken.guesses.begin(), taken.guesses.end());
  const std::string right =
      right_where.empty()
          ? fmt::format("None of {} binding candidates is right in the cases that were tried", trying.tried())
          : fmt::format("It is right where {}, which may hide what is wrong in other cases", right_where);
  prepared.remarks.push_back(fmt::format("{}{}.", guessed.empty() ? "" : fmt::format("Guessed: {}. ", guessed), right));
  for (size_t i = 0; i < reasons.size(); ++i)
    prepared.remarks.push_back((i == 0 ? "Nearest: " : "Then: ") + reasons[i]);
}

void explain_right(Prepared& prepared, const Inferred& taken, const Found& found) {
  const std::string guessed = sentence(taken);
  prepared.adapter.guesses = taken.launch_guesses;
  prepared.seen = found.fault;
  if (taken.filled_line != 0 && !has_thread_for_each(taken.adapter.launches.at(0))) prepared.guessed_grid = guessed;
  for (const Fixed& fixed : taken.adapter.fixed)
    if (const std::string guess = fmt::format("{} is {}", fixed.name, fixed.value);
        std::ranges::count(taken.guesses, guess) > 0)
      prepared.guessed_choices.push_back(guess);
  for (const Domain& range : found.ranges)
    prepared.remarks.push_back(fmt::format("Judged where {} is {} only.", range.name, fmt::join(range.values, " or ")));
  for (const std::string& left_out : found.left_out)
    prepared.remarks.push_back(fmt::format("Not judged, because it is not right there: {}.", left_out));
  if (found.is_certain) {
    prepared.own_fault = found.fault.substr(0, found.fault.find(':'));
    prepared.adapter.guesses.insert(prepared.adapter.guesses.begin(), taken.guesses.begin(), taken.guesses.end());
    prepared.remarks.push_back(
        found.fault.starts_with("MISMATCH")
            ? "Its names, its indices and its file's launch leave no other call: what is wrong is "
              "the kernel's, or the op is not what it computes."
            : "What the checked build finds is its own, whatever it is given.");
    if (!guessed.empty()) prepared.remarks.push_back(fmt::format("Guessed: {}.", guessed));
    return;
  }
  if (found.is_nearly_right) {
    prepared.is_nearly_right = true;
    prepared.adapter.guesses.clear();
    const std::string near =
        found.distance > 0
            ? fmt::format("The outputs are within {:.2g} % of the right ones so in larger cases", 100 * found.distance)
            : "Nine tenths of the elements of the cases that were tried are right so";
    prepared.remarks.push_back(
        fmt::format("Guessed: {}. {}, which no wrong guess explains: what is wrong is the kernel's.", guessed, near));
    return;
  }
  if (!found.fault.empty()) prepared.adapter.guesses.clear();
  if (found.is_right_elsewhere) {
    prepared.remarks.push_back(
        fmt::format("{}Cases are right so, and others end in {}, which no wrong guess explains.",
                    guessed.empty() ? "" : fmt::format("Guessed: {}. ", guessed),
                    found.fault.starts_with("RACE") ? "a race" : "an access that is the kernel's own"));
    return;
  }
  if (!found.fault.empty())
    prepared.remarks.push_back(
        "Its values are right so in the cases that were tried, and what the checked build finds is its own.");
  prepared.remarks.push_back(guessed.empty()
                                 ? "The candidate that a few cases say nothing against."
                                 : fmt::format("Guessed, and right in the cases that were tried: {}.", guessed));
}

// Compiles candidates of one kernel into modules with names of their own, many of them in two halves at once.
LoadAdapters loading(const Prepared& given, size_t number) {
  const auto made = std::make_shared<size_t>(0);  // modules stay loaded, and copies of this count together
  return [&given, number, made](const std::vector<Adapter>& adapters, Sees sees) -> Result<void> {
    const size_t count = adapters.size() < kHalvedMin || given.via_ptx ? 1 : 2, first = *made;
    *made += count;
    std::vector<std::string> compiled(count);
    const auto compile = [&](size_t i) -> Result<void> {
      const std::string stem = (scratch_folder() / fmt::format("kernel{}.candidates{}", number, first + i)).string();
      const auto begin = adapters.begin() + static_cast<std::ptrdiff_t>(i * adapters.size() / count),
                 end = adapters.begin() + static_cast<std::ptrdiff_t>((i + 1) * adapters.size() / count);
      auto module = compiled_candidates(given, {begin, end}, stem, sees);
      if (module) compiled[i] = std::move(*module);
      return module ? Result<void>() : tl::unexpected(module.error());
    };
    const auto done = in_parallel(count, compile, "");
    return done ? load_modules(compiled) : done;
  };
}

// A candidate that is near, with intermediate results of the op rounded to its tensors' type: one of them, or all. A
// kernel's own roundings are as much a guess as the rest of it, and no bug.
std::vector<Inferred> with_roundings(const Inferred& near) {
  const Contract* contract = find_op(near.adapter.op);
  std::vector<Inferred> all;
  if (!contract || near.adapter.dtypes.front() == DType::f32) return all;
  std::vector<std::string> names;
  const auto add = [&](const std::vector<std::string>& rounded) {
    Inferred& one = all.emplace_back(near);
    one.adapter.rounds = rounded;
    one.guesses.push_back(fmt::format("{} rounded to the type of tensors", fmt::join(rounded, " and ")));
  };
  for (const NamedRounding& rounding : contract->roundings)
    if (!rounding.is_computed) names.push_back(rounding.name);
  for (const std::string& each : names) add({each});
  if (names.size() > 1) add(names);
  return all;
}

// The conditions under which `right` is tried and `all` is not.
std::string fewer_cases(const Adapter& all, const Adapter& right) {
  std::vector<std::string> fewer;
  for (const std::string& requirement : right.requirements)
    if (std::ranges::find(all.requirements, requirement) == all.requirements.end()) fewer.push_back(requirement);
  for (const Fixed& fixed : right.fixed)
    if (std::ranges::find(all.fixed, fixed.name, &Fixed::name) == all.fixed.end())
      fewer.push_back(fmt::format("{} is {}", fixed.name, fixed.value));
  return fmt::format("{}", fmt::join(fewer, " and "));
}

void take_as_launched(Prepared& prepared, Inferred launched, const Found& own, const Inferred& right) {
  for (const Domain& range : own.ranges) launched.adapter.ranges.push_back(range);
  prepared.seen = own.fault;
  take(prepared, launched);
  const std::string what = own.fault.starts_with("UNWRITTEN")  ? "elements stay unwritten"
                           : own.fault.starts_with("BARRIER")  ? "threads wait for others that do not come"
                           : own.fault.starts_with("MISMATCH") ? "values are wrong"
                           : own.fault.starts_with("RACE")     ? "blocks race"
                                                               : "elements beyond the end are touched";
  const AdapterLaunch &launch = launched.adapter.launches.at(0), &other = right.adapter.launches.at(0);
  std::vector<std::string> in;
  if (other.grid != launch.grid) in.push_back(fmt::format("a grid of {}", fmt::join(other.grid, " by ")));
  if (other.block != launch.block) in.push_back(fmt::format("blocks of {}", fmt::join(other.block, " by ")));
  const std::string where = own.fault.starts_with("BARRIER") ? "where blocks are whole"
                            : !in.empty()                    ? fmt::format("in {}", fmt::join(in, " and "))
                                                             : "where " + fewer_cases(launched.adapter, right.adapter);
  const std::string how = own.as_launched > 0 ? fmt::format("As launched in line {}", own.as_launched)
                                              : fmt::format("Though {} compares its index with {}",
                                                            kernel_of(launch.entry), launched.bound);
  prepared.remarks.push_back(fmt::format("{}, {}; {}.", how, what,
                                         is_same_call(launched.adapter, right.adapter)
                                             ? "the same arguments are right " + where
                                             : "a call that the file does not make is right"));
}

// A candidate with less to guess in the place of one that is right.
struct Freed {
  bool is_taken = false;
  std::string wrong = {};  // what is wrong with the first, where each is shown to be wrong
};

Freed free(Inferred& taken, const std::vector<Inferred>& freer, Trying trying) {
  if (freer.empty()) return {};
  const auto found = trying.first_right(freer);
  if (!found) return {};
  if (!found->has_value()) return {.wrong = trying.wrong_in_all()};
  if (!(*found)->ranges.empty() || !(*found)->fault.empty()) return {};
  taken = freer[(*found)->candidate];
  return {.is_taken = true};
}

// Whether a kernel that is right in f32 is right in a type of 16 bits only if it rounds something there, as a
// gate that is a number of T before it is multiplied. That is then taken with it.
void take_roundings(Inferred& taken, const std::function<Trying()>& again) {
  const std::vector<DType>& dtypes = taken.adapter.dtypes;
  const auto narrow = std::ranges::find_if(dtypes, [](DType dtype) { return dtype != DType::f32; });
  if (dtypes.front() != DType::f32 || narrow == dtypes.end()) return;
  Inferred one = taken;
  one.adapter.dtypes = {*narrow};
  std::vector<Inferred> rounded = with_roundings(one);
  if (rounded.empty() || free(one, {one}, again()).is_taken || !free(one, rounded, again()).is_taken) return;
  taken.adapter.rounds = one.adapter.rounds;
  taken.guesses.push_back(one.guesses.back());
}

// Takes the candidate that is right, with as few guesses as it can do with, and says what it is judged for. False: it
// leaves out too much.
bool settle(Prepared& prepared, Inferred taken, const Found& found, const std::vector<Inferred>& candidates,
            const Trying& trying, const std::function<Trying()>& again) {
  Freed whole;
  do whole = free(taken, with_fewer_requirements(taken), again());
  while (whole.is_taken);
  // A product without any bounds is not meant for parts of its tiles: there none were guessed to be whole.
  const bool is_of_whole_blocks = std::ranges::count(taken.guesses, kWholeBlocks) > 0;
  if (!whole.wrong.empty() && found.fault.empty() && is_of_whole_blocks) {
    const Inferred any = with_fewer_requirements(taken).at(0);
    if (is_retreat(any, taken.adapter)) {
      Found wrong{found.candidate, found.ranges, {}, whole.wrong};
      wrong.as_launched = std::max(taken.authors_line, taken.filled_line);
      take_as_launched(prepared, any, wrong, taken);
      return true;
    }
  }
  free(taken, with_open_dims(taken, prepared.adapter), again());
  free(taken, with_swept_ones(taken, candidates), again());
  const Freed two = free(taken, with_two_factors(taken), again());
  if (two.is_taken) taken.adapter.requirements.pop_back();
  const Freed batches = free(taken, with_two_batches(taken), again());
  if (with_fewer_requirements(taken).empty()) std::erase(taken.guesses, kWholeRows);
  free(taken, without_zeros(taken), again());
  take_roundings(taken, again);
  take(prepared, taken);
  const bool is_narrow = !two.wrong.empty() || !batches.wrong.empty();
  const std::string where = is_narrow ? "one of two sizes that count rows is 1" : narrowed_to(taken);
  if (!where.empty() && found.fault.empty()) {
    explain_miss(prepared, taken, trying, {}, where);
    return false;
  }
  explain_right(prepared, taken, found);
  return true;
}

}  // namespace

Result<bool> decide(Prepared& prepared, size_t number, const TryAdapters& try_adapters) {
  const std::vector<Inferred> candidates = prepared.candidates;
  const Prepared given = prepared;
  const LoadAdapters load = loading(given, number);
  Trying trying(given.adapter, try_adapters, load);
  const auto found = trying.first_right(candidates);
  if (!found) return tl::unexpected(found.error());
  const bool is_right = found->has_value();
  if (prepared.first_unless_shown && (!is_right || (*found)->candidate == 0)) {
    take(prepared, candidates[0]);  // what its names say
    return true;
  }
  if (!is_right) {
    const Inferred& nearest = candidates[trying.nearest()];
    take(prepared, nearest);
    explain_miss(prepared, nearest, trying, trying.reasons(candidates));
    return false;
  }
  Inferred taken = candidates[(*found)->candidate];
  if ((*found)->is_nearly_right) {
    Found rounded{(*found)->candidate};
    if (free(taken, with_roundings(taken), Trying(given.adapter, try_adapters, load)).is_taken)
      return settle(prepared, std::move(taken), rounded, candidates, trying,
                    [&] { return Trying(given.adapter, try_adapters, load); });
  }
  const bool is_clean = (*found)->fault.empty();
  const auto own = is_clean ? trying.as_launched(candidates, **found) : std::nullopt;
  if (own && own->fault.empty()) {
    taken = candidates[own->candidate];
  } else if (own) {
    take_as_launched(prepared, candidates[own->candidate], *own, taken);
    return true;
  } else if (const auto wrong = is_clean ? trying.hidden_by(candidates, **found) : std::nullopt) {
    const bool is_instance = is_another_instance(candidates[*wrong], taken);
    const bool is_overload = taken.overload_line != candidates[*wrong].overload_line;
    const std::string where = is_overload   ? fmt::format("the kernel in line {} is called", taken.overload_line)
                              : is_instance ? fmt::format("{} is called", taken.adapter.launches.at(0).entry)
                                            : fewer_cases(candidates[*wrong].adapter, taken.adapter);
    take(prepared, candidates[*wrong]);
    explain_miss(prepared, candidates[*wrong], trying, trying.reasons(candidates), where);
    return false;
  }
  for (const Domain& range : (*found)->ranges) taken.adapter.ranges.push_back(range);
  return settle(prepared, std::move(taken), **found, candidates, trying,
                [&] { return Trying(given.adapter, try_adapters, load); });
}

}  // namespace assay
