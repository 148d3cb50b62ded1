// Findings by their first words, and adapters part by part.
#include "harness/adapter/try/explanations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "harness/adapter/bind/match.h"
#include "harness/adapter/bind/probe.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/steering.h"
#include "harness/op/registry.h"

namespace assay {

static bool have_one_launch(const Adapter& one, const Adapter& other) {
  return one.launches.at(0).grid == other.launches.at(0).grid && one.launches[0].block == other.launches[0].block;
}

bool is_within_a_block(const std::string& finding) {
  const bool shared = finding.find(": shared ") != std::string::npos;
  if (finding.starts_with("RACE") || finding.starts_with("UNINITIALISED")) return shared;
  if (finding.starts_with("BARRIER")) return finding.find("but that lane has returned") != std::string::npos;
  return finding.starts_with("OUT_OF_BOUNDS") && finding.find(": index ") != std::string::npos;
}

bool is_own_launch(const Inferred& candidate) {
  return candidate.authors_line != 0 || candidate.adapter.launches.at(0).is_launcher;
}

bool is_of_its_own_launch(const Inferred& candidate, const std::string& finding) {
  return is_own_launch(candidate) &&
         (finding.starts_with("RACE") || finding.starts_with("UNINITIALISED") || finding.starts_with("OUT_OF_BOUNDS"));
}

bool is_of_its_grid(const Inferred& candidate, const std::string& finding) {
  return candidate.authors_line != 0 && (finding.starts_with("UNWRITTEN") || finding.starts_with("OUT_OF_BOUNDS"));
}

bool is_same_call(const Adapter& one, const Adapter& other) {
  return one.launches.at(0).entry == other.launches.at(0).entry && one.launches[0].args == other.launches[0].args;
}

bool differ_in_launch_only(const Adapter& one, const Adapter& other) {
  const auto is_same = [](const Fixed& a, const Fixed& b) { return a.name == b.name && a.value == b.value; };
  return is_same_call(one, other) && one.requirements == other.requirements &&
         std::ranges::equal(one.fixed, other.fixed, is_same);
}

bool is_another_form(const Adapter& one, const Adapter& other) {
  return is_same_call(one, other) && have_one_launch(one, other) && one.requirements == other.requirements &&
         std::ranges::equal(one.fixed, other.fixed, {}, &Fixed::name, &Fixed::name);
}

bool asks_for_more(const Adapter& one, const Adapter& other) {
  const auto has = [&](const std::string& each) {
    return std::ranges::find(other.requirements, each) != other.requirements.end();
  };
  Adapter alike = one;
  alike.requirements = other.requirements;
  return one.requirements.size() < other.requirements.size() && std::ranges::all_of(one.requirements, has) &&
         differ_in_launch_only(alike, other) && have_one_launch(one, other);
}

// The launch with the values that sizes are held to in their places.
static Adapter with_held_sizes(Adapter adapter, const std::vector<Fixed>& held) {
  AdapterLaunch& launch = adapter.launches.at(0);
  std::map<std::string, std::string, std::less<>> values;
  for (const Fixed& each : held) values.emplace(each.name, each.value);
  for (std::vector<std::string>* texts : {&launch.args, &launch.grid, &launch.block})
    for (std::string& text : *texts) text = with_tokens(text, values);
  return adapter;
}

bool is_another_instance(const Inferred& one, const Inferred& other) {
  const AdapterLaunch &launch = one.adapter.launches.at(0), &others = other.adapter.launches.at(0);
  if (one.overload_line != other.overload_line) return one.authors_line != 0 && launch.args == others.args;
  return one.authors_line != 0 && other.authors_line != 0 && launch.entry != others.entry &&
         kernel_of(launch.entry) == kernel_of(others.entry) && launch.args == others.args &&
         one.adapter.dtypes == other.adapter.dtypes;
}

bool is_retreat(const Inferred& own, const Adapter& other) {
  const Adapter& one = own.adapter;
  const AdapterLaunch& launch = one.launches.at(0);
  const Adapter held = with_held_sizes(one, other.fixed), others = with_held_sizes(other, other.fixed);
  if ((own.authors_line == 0 && own.filled_line == 0) || !is_same_call(held, others) || !have_one_launch(held, others))
    return false;
  std::set<std::string> shared_out;
  bool any_rounded_up = false;
  for (const std::string& extent : launch.grid) {
    any_rounded_up |= is_rounded_up(extent);
    for (const Token& token : tokens_of(extent)) shared_out.emplace(token.text);
  }
  size_t more = 0;
  for (const Fixed& fixed : other.fixed) {
    const auto known = std::ranges::find(one.fixed, fixed.name, &Fixed::name);
    if (known != one.fixed.end() && known->value == fixed.value) continue;
    const bool is_one = fixed.value == "1" || shared_out.contains(fixed.value);
    if (known != one.fixed.end() || !is_one || !shared_out.contains(fixed.name)) return false;
    ++more;
  }
  for (const std::string& requirement : other.requirements) {
    if (std::ranges::find(one.requirements, requirement) != one.requirements.end()) continue;
    const std::string dim = requirement.substr(0, requirement.find(" % "));
    if (!shared_out.contains(dim)) continue;  // a step of the kernel's own
    if (!any_rounded_up) return false;
    ++more;
  }
  return more > 0;
}

bool is_one_block_of(const Inferred& own, const Adapter& other) {
  const auto is_one = [](const std::string& extent) { return extent == "1"; };
  const auto is_number = [](const std::string& extent) { return number_value(extent).has_value(); };
  const std::vector<std::string>& grid = own.adapter.launches.at(0).grid;
  return own.authors_line != 0 && !other.fixed.empty() && is_same_call(own.adapter, other) &&
         std::ranges::all_of(grid, is_number) && !std::ranges::all_of(grid, is_one) &&
         std::ranges::all_of(with_held_sizes(other, other.fixed).launches.at(0).grid, is_one);
}

bool hides_the_end(const Inferred& tried, const std::string& finding, const Adapter& other) {
  const AdapterLaunch &launch = tried.adapter.launches.at(0), &others = other.launches.at(0);
  return finding.starts_with("OUT_OF_BOUNDS") && !tried.bound.empty() && launch.grid.size() == 1 &&
         launch.block.size() == 1 && is_same_call(tried.adapter, other) &&
         tried.adapter.fixed.size() == other.fixed.size() &&
         (launch.block != others.block || other.requirements.size() > tried.adapter.requirements.size());
}

bool has_number_for_size(const Adapter& adapter) {
  constexpr int64_t kLeast = 8;  // of a row's length
  for (const std::string& arg : adapter.launches.at(0).args) {
    const std::vector<Token> tokens = tokens_of(arg);
    for (size_t i = 0; i < tokens.size(); ++i) {
      const bool is_factor = token_is(tokens, i + 1, "*") || (i > 0 && token_is(tokens, i - 1, "*"));
      if (is_factor && number_value(tokens[i].text).value_or(0) >= kLeast &&
          std::ranges::find(adapter.fixed, tokens[i].text, &Fixed::value) == adapter.fixed.end())
        return true;
    }
  }
  return false;
}

bool has_size_of_its_own(const Adapter& one, const Adapter& other) {
  const Contract* contract = find_op(one.op);
  std::set<std::string> known;
  for (const auto* texts : {&one.launches.at(0).args, &other.launches.at(0).args, &other.launches[0].grid})
    for (const std::string& text : *texts)
      for (const Token& token : tokens_of(text)) known.emplace(token.text);
  return contract && std::ranges::any_of(contract->dims, [&](const DimSpec& dim) {
           const auto has_it = [&](const std::string& extent) { return mentions(tokens_of(extent), dim.name); };
           return !known.contains(dim.name) && std::ranges::any_of(one.launches[0].grid, has_it);
         });
}

bool waits_in_vain(const Inferred& candidate, const std::string& finding) {
  return candidate.authors_line != 0 && finding.starts_with("BARRIER");
}

bool takes_all_inputs(const Inferred& candidate) {
  const Contract* contract = find_op(candidate.adapter.op);
  const AdapterWords words = words_of(candidate.adapter);
  return !contract || std::ranges::all_of(contract->tensors, [&](const TensorSpec& tensor) {
    return tensor.role != Role::input || tensor.absent || words.contains(tensor.name) ||
           std::ranges::find(candidate.adapter.constants, tensor.name, &Constant::tensor) !=
               candidate.adapter.constants.end();
  });
}

namespace {

// Whether they differ in nothing but the order of the grid's axes.
bool is_turned(const Adapter& one, const Adapter& other) {
  const std::vector<std::string>&grid = one.launches.at(0).grid, &turned = other.launches.at(0).grid;
  return grid != turned && std::ranges::is_permutation(grid, turned) && differ_in_launch_only(one, other) &&
         one.launches[0].block == other.launches[0].block;
}

// Whether one output is wrong in all elements and no other is, and `other` is the same launch with something else in
// its place.
bool is_without_wrong_output(const Adapter& one, const Adapter& other, const std::string& finding) {
  constexpr std::string_view kKind = "MISMATCH: ", kWrong = " elements are wrong";
  const size_t end = finding.find(": ", kKind.size()), wrong = finding.find(kWrong);
  if (!finding.starts_with(kKind) || end == std::string::npos || wrong == std::string::npos ||
      finding.find(kWrong, wrong + 1) != std::string::npos)
    return false;
  const std::string output = finding.substr(kKind.size(), end - kKind.size()),
                    share = finding.substr(end + 2, wrong - end - 2);
  const size_t of = share.find(" of ");
  const AdapterLaunch &launch = one.launches.at(0), &others = other.launches.at(0);
  if (of == std::string::npos || share.substr(0, of) != share.substr(of + 4) || launch.entry != others.entry)
    return false;
  Adapter alike = other;
  for (size_t i = 0; i < launch.args.size(); ++i)
    if (launch.args[i] == output && others.args[i] != output) alike.launches[0].args[i] = output;
  return launch.args != others.args && differ_in_launch_only(one, alike) && have_one_launch(one, other);
}

// Whether `other` is the same launch with more of the op's sizes held: one row where the first is right, or one batch
// and head, or as many keys as queries, where elements stay unwritten or a tensor ends too soon.
bool holds_what_is_missed(const Adapter& one, const Adapter& other, const std::string& finding) {
  const size_t held = one.fixed.size();
  const bool is_first_row = finding.find("the first at [1,0") != std::string::npos && other.fixed.size() == held + 1 &&
                            other.fixed.back().value == "1";
  const bool are_several =
      (finding.starts_with("UNWRITTEN") || finding.starts_with("OUT_OF_BOUNDS")) && other.fixed.size() > held + 1;
  if (!is_first_row && !are_several) return false;
  Adapter alike = other;
  alike.fixed.resize(held);
  if (are_several) alike.fixed = one.fixed;  // whatever the op's attributes are
  return differ_in_launch_only(one, alike) && have_one_launch(one, other);
}

}  // namespace

bool may_explain(const Inferred& other, const Inferred& tried, const std::string& finding) {
  return holds_what_is_missed(tried.adapter, other.adapter, finding) ||
         is_without_wrong_output(tried.adapter, other.adapter, finding) ||
         (tried.authors_line != 0 && finding.starts_with("MISMATCH") &&
          differ_in_launch_only(tried.adapter, other.adapter)) ||
         (is_of_its_grid(tried, finding) && is_turned(tried.adapter, other.adapter)) ||
         ((is_of_its_grid(tried, finding) || waits_in_vain(tried, finding)) &&
          asks_for_more(tried.adapter, other.adapter));
}

bool has_thread_for_each(const AdapterLaunch& launch) {
  if (launch.is_launcher || launch.grid.size() != launch.block.size()) return false;
  for (size_t axis = 0; axis < launch.grid.size(); ++axis)
    if (!launch.grid[axis].starts_with("ceil_div(") || !launch.grid[axis].ends_with(", " + launch.block[axis] + ")"))
      return false;
  return true;
}

bool guesses_a_number(const Inferred& candidate) {
  const Contract* contract = find_op(candidate.adapter.op);
  const auto is_fraction = [](const std::string& choice) {
    const double number = std::strtod(choice.c_str(), nullptr);
    return number != std::floor(number);
  };
  return contract && std::ranges::any_of(contract->attrs, [&](const AttrSpec& attr) {
           return std::ranges::any_of(attr.choices, is_fraction) &&
                  std::ranges::any_of(candidate.guesses,
                                      [&](const std::string& guess) { return guess.starts_with(attr.name + " is "); });
         });
}

bool leaves_only_forms(const Inferred& candidate, const std::string& finding, const std::vector<Inferred>& all) {
  constexpr std::string_view kIs = " is ", kInPlace = " in the place of ";
  const Contract* contract = find_op(candidate.adapter.op);
  if (!contract || candidate.guesses.empty() || !candidate.launch_guesses.empty() || !takes_all_inputs(candidate))
    return false;
  const AdapterLaunch& launch = candidate.adapter.launches.at(0);
  const auto may_be_null = [&](const std::string& given) {
    return std::ranges::any_of(all, [&](const Inferred& other) {
      const AdapterLaunch& others = other.adapter.launches.at(0);
      for (size_t i = 0; i < launch.args.size() && others.entry == launch.entry; ++i)
        if (launch.args[i] == given && others.args.at(i) == "nullptr") return true;
      return false;
    });
  };
  const bool is_of_values =  // or of a block's threads
      is_within_a_block(finding) || finding.starts_with("MISMATCH") || finding.starts_with("BARRIER");
  const auto result = std::ranges::find_if(contract->tensors, [](auto& each) { return each.role != Role::input; });
  return std::ranges::all_of(candidate.guesses, [&](const std::string& guess) {
    const size_t is = guess.find(kIs);
    if (is == std::string::npos) return guess.find(" computes ") != std::string::npos;  // without an input
    const std::string given = guess.substr(is + kIs.size(), guess.find(kInPlace) - is - kIs.size());
    const auto tensor = std::ranges::find(contract->tensors, tensor_in(given), &TensorSpec::name);
    if (tensor != contract->tensors.end()) return is_of_values && (tensor == result || !may_be_null(given));
    return std::ranges::find(contract->attrs, guess.substr(0, is), &AttrSpec::name) != contract->attrs.end();
  });
}

bool may_be_of_guessed_launch(const Inferred& candidate, const std::string& finding) {
  const bool is_guessed = !candidate.launch_guesses.empty() || candidate.filled_line != 0;
  return is_guessed && !has_thread_for_each(candidate.adapter.launches.at(0)) &&
         (finding.starts_with("UNWRITTEN") || finding.starts_with("OUT_OF_BOUNDS"));
}

bool is_whatever_is_given(const Inferred& candidate, const std::string& finding) {
  if (!candidate.launch_guesses.empty()) return false;
  const auto says = [&](const char* words) { return finding.find(words) != std::string::npos; };
  const std::vector<std::string>& block = candidate.adapter.launches.at(0).block;
  const bool is_of_numbers =
      std::ranges::all_of(block, [](const auto& each) { return number_value(each).has_value(); });
  if (candidate.authors_line != 0 &&
      (says("bytes of static shared memory, but") || (is_of_numbers && says("launch refused: block ("))))
    return true;
  return finding.starts_with("BARRIER") && says("does not name its own lane");
}

bool is_for_part(const Inferred& candidate) {
  const auto holds_one = [&](const Fixed& fixed) {
    return fixed.value == "1" &&
           std::ranges::find(candidate.guesses, fmt::format("{} is 1", fixed.name)) != candidate.guesses.end();
  };
  const bool is_flat = has_thread_for_each(candidate.adapter.launches.at(0));
  return !narrowed_to(candidate).empty() ||
         (candidate.authors_line == 0 && !is_flat && std::ranges::any_of(candidate.adapter.fixed, holds_one));
}

std::string narrowed_to(const Inferred& taken) {
  std::vector<std::string> narrow;
  if (!taken.exchanged.empty()) narrow.push_back(taken.exchanged);
  if (taken.reads_zeros) narrow.emplace_back("what is only read holds 0");
  if (std::ranges::count(taken.launch_guesses, kPowersOfTwo) > 0) narrow.emplace_back(kPowersOfTwo);
  const AdapterLaunch& launch = taken.adapter.launches.at(0);
  const Contract* contract = find_op(taken.adapter.op);
  const bool is_guessed = !taken.launch_guesses.empty(), is_flat = has_thread_for_each(launch);  // an array has no rows
  for (const Fixed& fixed : taken.adapter.fixed) {
    const std::string guess = fmt::format("{} is {}", fixed.name, fixed.value);
    const auto shares_it_out = [&](const std::string& extent) { return mentions(tokens_of(extent), fixed.name); };
    const bool is_dim =
        contract && std::ranges::find(contract->dims, fixed.name, &DimSpec::name) != contract->dims.end();
    const auto attr = contract ? std::ranges::find(contract->attrs, fixed.name, &AttrSpec::name)
                               : std::vector<AttrSpec>::const_iterator();
    const bool is_another_number =  // than the one that the op works out, which may have been forgotten
        contract && attr != contract->attrs.end() && attr->choices.front() == "auto" && fixed.value != "auto";
    const bool is_hidden =
        is_another_number || (is_dim && !is_flat && (is_guessed || std::ranges::any_of(launch.grid, shares_it_out)));
    if (is_hidden && std::ranges::find(taken.guesses, guess) != taken.guesses.end()) narrow.push_back(guess);
  }
  const std::vector<std::string>& all = taken.adapter.requirements;
  for (size_t i = taken.stated_requirements; is_guessed && i < all.size(); ++i)
    if (all[i].find('%') != std::string::npos) narrow.push_back(all[i]);
  return fmt::format("{}", fmt::join(narrow, " and "));
}

}  // namespace assay
