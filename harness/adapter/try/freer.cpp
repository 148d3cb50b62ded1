// Takes from a candidate what was only guessed, one way at a time.
#include "harness/adapter/try/freer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "harness/adapter/read/arithmetic.h"
#include "harness/op/registry.h"

namespace assay {

std::vector<Inferred> with_fewer_requirements(const Inferred& taken) {
  const std::vector<std::string>& all = taken.adapter.requirements;
  std::vector<size_t> guessed;
  for (size_t i = taken.stated_requirements; i < all.size(); ++i)
    if (all[i].find('%') != std::string::npos) guessed.push_back(i);
  if (guessed.empty()) return {};
  const auto without = [&](const std::vector<size_t>& dropped) {
    Inferred fewer = taken;
    std::vector<std::string>& left = fewer.adapter.requirements;
    for (const size_t i : std::views::reverse(dropped)) left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    return fewer;
  };
  std::vector<Inferred> all_fewer = {without(guessed)};
  for (const size_t i : guessed)
    if (guessed.size() > 1) all_fewer.push_back(without({i}));
  return all_fewer;
}

std::vector<Inferred> with_open_dims(Inferred taken, const Adapter& given) {
  const std::vector<std::string>& args = taken.adapter.launches.at(0).args;
  const auto is_guessed = [&](const Fixed& fixed) {
    return number_value(fixed.value).value_or(0) > 1 && std::ranges::find(args, fixed.name) != args.end() &&
           std::ranges::find(given.fixed, fixed.name, &Fixed::name) == given.fixed.end();
  };
  if (std::erase_if(taken.adapter.fixed, is_guessed) == 0) return {};
  return {std::move(taken)};
}

std::vector<Inferred> without_zeros(Inferred taken) {
  const size_t cleared = std::erase_if(
      taken.remarks, [](const std::string& remark) { return remark.find(kHoldsZero) != std::string::npos; });
  if (cleared == 0) return {};
  std::erase_if(taken.adapter.zero, [](const std::string& each) { return each != "workspace"; });
  return {taken};
}

std::vector<Inferred> with_swept_ones(const Inferred& taken, const std::vector<Inferred>& candidates) {
  constexpr size_t kMost = 4;
  const AdapterLaunch& launch = taken.adapter.launches.at(0);
  std::vector<Inferred> all;
  for (const Inferred& other : candidates) {
    const AdapterLaunch& others = other.adapter.launches.at(0);
    if (all.size() == kMost || others.entry != launch.entry || others.block != launch.block) continue;
    AdapterLaunch alike = launch;
    for (const size_t one : taken.ones)
      if (!number_value(others.args.at(one))) alike.args[one] = others.args[one];
    if (alike.args != launch.args && alike.args == others.args &&
        other.adapter.requirements == taken.adapter.requirements)
      all.push_back(other);
  }
  return all;
}

std::vector<Inferred> with_two_factors(const Inferred& taken) {
  const Contract* contract = find_op(taken.adapter.op);
  const AdapterLaunch& launch = taken.adapter.launches.at(0);
  std::vector<Inferred> all;
  if (!contract) return all;
  for (const size_t one : taken.ones)
    for (size_t other = 0; other < launch.args.size(); ++other) {
      const std::string& size = launch.args[other];
      const auto has_rows = [&](const TensorSpec& tensor) {
        const bool is_of_vectors = tensor.shape.size() == 1 && tensor.role != Role::input;  // of n elements
        return (tensor.shape.size() > 1 || is_of_vectors) && tensor.shape[0] == size;
      };
      if (launch.args.at(one) != "1" || std::ranges::none_of(contract->tensors, has_rows)) continue;
      const std::string two = fmt::format("({0} % 2 == 0 ? 2 : 1)", size),
                        half = fmt::format("({0} % 2 == 0 ? {0} / 2 : {0})", size);
      Inferred flat = taken;  // in a grid of the product
      flat.adapter.launches[0].args[one] = two;
      flat.adapter.launches[0].args[other] = half;
      flat.adapter.requirements.push_back(fmt::format("{} % 2 == 0", size));
      flat.remarks.push_back(fmt::format("Where {} is even it is given as two halves.", size));
      const auto is_one = [](const std::string& guess) { return guess.ends_with(" is 1"); };
      if (std::ranges::count_if(flat.guesses, is_one) == 1) std::erase_if(flat.guesses, is_one);
      Inferred apart = flat, behind = flat;
      for (std::string& extent : apart.adapter.launches[0].grid)
        extent = extent == size ? half : extent == "1" ? two : extent;
      behind.adapter.launches[0].grid = apart.adapter.launches[0].grid;
      behind.adapter.launches[0].grid.push_back(two);  // of a last axis with one block, which no grid names
      for (Inferred* each : {&flat, &apart, &behind})
        if (each != &behind || launch.grid.size() < 3) all.push_back(std::move(*each));
    }
  return all;
}

std::vector<Inferred> with_two_batches(const Inferred& taken) {
  const Contract* contract = find_op(taken.adapter.op);
  const auto is_one = [](const std::string& guess) { return guess.ends_with(" is 1"); };
  if (!contract || taken.filled_line == 0 || std::ranges::count_if(taken.guesses, is_one) != 1) return {};
  const auto rows = std::ranges::find(taken.adapter.fixed, contract->dims[0].name, &Fixed::name);
  if (rows == taken.adapter.fixed.end() || taken.adapter.launches.at(0).grid.size() > 2) return {};
  const std::string guess = fmt::format("{} is {}", rows->name, rows->value);
  if (std::ranges::count(taken.guesses, guess) == 0) return {};
  Inferred two = taken;
  const auto fixed = std::ranges::find(two.adapter.fixed, rows->name, &Fixed::name);
  fixed->value = fmt::format("2 * {}", rows->value);
  two.adapter.launches[0].grid.emplace_back("2");
  std::ranges::replace(two.guesses, guess, fmt::format("{} is {}", rows->name, fixed->value));
  for (std::string& each : two.guesses)
    if (is_one(each)) each.back() = '2';
  return {two};
}

}  // namespace assay
