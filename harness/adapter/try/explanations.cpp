// Findings by their first words, and adapters part by part.
#include "harness/adapter/try/explanations.h"

#include <algorithm>

#include "harness/adapter/steering.h"
#include "harness/op/registry.h"

namespace assay {

bool is_within_a_block(const std::string& finding) {
  const bool shared = finding.find(": shared ") != std::string::npos;
  if (finding.starts_with("RACE") || finding.starts_with("UNINITIALISED")) return shared;
  return finding.starts_with("OUT_OF_BOUNDS") && finding.find(": index ") != std::string::npos;
}

bool is_of_its_own_launch(const Inferred& candidate, const std::string& finding) {
  const bool own = candidate.authors_line != 0 || candidate.adapter.launches.at(0).is_launcher;
  return own &&
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

bool asks_for_more(const Adapter& one, const Adapter& other) {
  const auto has = [&](const std::string& each) {
    return std::ranges::find(other.requirements, each) != other.requirements.end();
  };
  Adapter alike = one;
  alike.requirements = other.requirements;
  return one.requirements.size() < other.requirements.size() && std::ranges::all_of(one.requirements, has) &&
         differ_in_launch_only(alike, other) && one.launches[0].grid == other.launches[0].grid &&
         one.launches[0].block == other.launches[0].block;
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

// Whether the first row is right, and `other` has that one alone in the same launch.
bool is_for_first_row(const Adapter& one, const Adapter& other, const std::string& finding) {
  if (finding.find("the first at [1,0") == std::string::npos || other.fixed.size() != one.fixed.size() + 1)
    return false;
  Adapter held = one;
  held.fixed.push_back(other.fixed.back());
  return other.fixed.back().value == "1" && differ_in_launch_only(held, other) &&
         one.launches.at(0).grid == other.launches.at(0).grid && one.launches[0].block == other.launches[0].block;
}

}  // namespace

bool may_explain(const Inferred& other, const Inferred& tried, const std::string& finding) {
  return is_for_first_row(tried.adapter, other.adapter, finding) ||
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

bool is_whatever_is_given(const std::string& finding) {
  return finding.starts_with("BARRIER") && finding.find("does not name its own lane") != std::string::npos;
}

}  // namespace assay
