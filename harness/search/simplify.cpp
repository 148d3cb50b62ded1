// The steps of shrinking, by RapidCheck's shrinkers where there is a number to shrink.
#include <rapidcheck.h>

#include <algorithm>

#include "harness/op/launch_choice.h"
#include "harness/op/supported_case.h"
#include "harness/result/defect.h"
#include "harness/search/generate.h"
#include "harness/search/shrink.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

// Ordinary data first: a failure that shows with it needs no special data to explain.
const std::vector<std::string> kFillsSimplestFirst(kOrdinaryFills.begin(), kOrdinaryFills.end());
const std::string kRowsOfAllKinds = "row_of_each";

// Halving alone gets stuck where a failure needs an odd size: from 15 it only tries 0, 8, 12 and 14. So the smallest
// few values and two less are tried as well.
void towards_dim(std::vector<Case>& out, const Case& c, const DimSpec& dim) {
  const int64_t now = c.dim(dim.name);
  std::vector<int64_t> values = dim.only;
  for (int64_t value = dim.min; value < std::min(now, dim.min + 4); ++value) values.push_back(value);
  rc::Seq<int64_t> halves = rc::shrink::towards(now, dim.min);
  while (auto value = halves.next()) values.push_back(*value);
  if (now - 2 >= dim.min) values.push_back(now - 2);
  std::erase_if(values, [&](int64_t value) { return value >= now || !admits(dim, value); });
  for (const int64_t value : values) {
    Case simpler = c;
    simpler.set(dim.name, std::to_string(value));
    out.push_back(std::move(simpler));
  }
}

template <class T, class Change>
void towards(std::vector<Case>& out, const Case& c, T value, T target, Change change) {
  rc::Seq<T> steps = rc::shrink::towards(value, target);
  while (auto step = steps.next()) {
    Case simpler = c;
    change(simpler, *step);
    out.push_back(std::move(simpler));
  }
}

// The choices before `current`, simplest first.
template <class T, class Change>
void earlier(std::vector<Case>& out, const Case& c, const std::vector<T>& choices, const T& current, Change change) {
  for (const T& choice : choices) {
    if (choice == current) return;
    Case simpler = c;
    change(simpler, choice);
    out.push_back(std::move(simpler));
  }
}

// Towards the variant's own grid; else one block, then few.
void without_grid(std::vector<Case>& out, const Case& c) {
  Case own = c;
  own.grid.reset();
  out.push_back(std::move(own));
  towards(out, c, *c.grid, 1, [](Case& simpler, int grid) { simpler.grid = grid; });
}

// Towards aligned buffers; else one tensor's offset instead of all, the first that will do, and of one element.
void without_offset(std::vector<Case>& out, const Contract& contract, const Case& c) {
  Case aligned = c;
  aligned.offset.reset();
  out.push_back(std::move(aligned));
  for (const TensorSpec& spec : contract.tensors) {
    if (spec.name == c.offset->tensor) break;
    Case one = c;
    one.offset->tensor = spec.name;
    out.push_back(std::move(one));
  }
  towards(out, c, c.offset->elements, int64_t{1},
          [](Case& simpler, int64_t elements) { simpler.offset->elements = elements; });
}

// Rows of all kinds are simplified to the kind that fails, too.
std::vector<std::string> fills_in_order(const Contract& contract, const std::string& current) {
  std::vector<std::string> names = kFillsSimplestFirst;
  if (current == kRowsOfAllKinds)
    for (const Fill& fill : fills())
      if (fill.name != current && std::ranges::count(kFillsSimplestFirst, fill.name) == 0) names.push_back(fill.name);
  std::erase_if(names, [&](const std::string& name) {
    const Fill* fill = find_fill(name);
    return !fill || !admits(contract, *fill);
  });
  return names;
}

// Below it a dim leaves nothing of a shape.
int64_t least(const DimSpec& dim) { return std::max<int64_t>(dim.min, 1); }

// Adds cases with one dim at its least and another, already above its own, as much longer: a failure that needs so many
// elements, whichever dims they come from, is shown by one of them. No other step undoes it.
void into_another_dim(std::vector<Case>& out, const Contract& contract, const Case& c) {
  constexpr int64_t kLook = 8;  // a dim may have to be even, or a multiple of 8
  for (const DimSpec& gone : contract.dims)
    for (const DimSpec& dim : contract.dims) {
      const int64_t now = c.dim(dim.name), times = (c.dim(gone.name) - 1) / least(gone) + 1;
      if (times <= 1 || gone.name == dim.name || now <= least(dim)) continue;
      int64_t longer = now * times;
      for (const int64_t end = longer + kLook; longer < end && !admits(dim, longer);) ++longer;
      if (!admits(dim, longer) || !admits(gone, least(gone))) continue;
      Case simpler = c;
      simpler.set(gone.name, std::to_string(least(gone)));
      simpler.set(dim.name, std::to_string(longer));
      out.push_back(std::move(simpler));
    }
}

int64_t dims_above_least(const Contract& contract, const Case& c) {
  return std::ranges::count_if(contract.dims, [&](const DimSpec& dim) { return c.dim(dim.name) > least(dim); });
}

// No dim is larger; or fewer of them are above their least, of a shape with elements, and all takes about as long.
bool is_smaller(const Contract& contract, const Case& simpler, const Case& c) {
  if (std::ranges::none_of(contract.dims, [&](const DimSpec& dim) { return simpler.dim(dim.name) > c.dim(dim.name); }))
    return true;
  const auto flops = [&](const Case& of) { return contract.flops ? contract.flops(of) : 0; };
  return dims_above_least(contract, simpler) < dims_above_least(contract, c) && element_count(contract, c) > 0 &&
         element_count(contract, simpler) <= 2 * element_count(contract, c) && flops(simpler) <= 2 * flops(c);
}

}  // namespace

std::vector<Case> simpler_cases(const Contract& whole, const Variant& variant, const Case& c) {
  const Contract contract = narrowed(whole, variant);
  std::vector<Case> out;
  for (const DimSpec& dim : contract.dims) towards_dim(out, c, dim);
  for (const AttrSpec& attr : contract.attrs)
    earlier(out, c, attr.choices, c.text(attr.name),
            [&](Case& simpler, const std::string& value) { simpler.set(attr.name, value); });
  earlier(out, c, variant.dtypes, c.dtype, [](Case& simpler, DType dtype) { simpler.dtype = dtype; });
  if (c.block) {
    auto blocks = variant.blocks;
    std::ranges::sort(blocks);
    earlier(out, c, blocks, *c.block, [](Case& simpler, int block) { simpler.block = block; });
  }
  if (c.grid) without_grid(out, c);
  if (c.offset) without_offset(out, contract, c);
  towards(out, c, c.schedule, uint64_t{0}, [](Case& simpler, uint64_t schedule) { simpler.schedule = schedule; });
  earlier(out, c, fills_in_order(contract, c.fill), c.fill,
          [](Case& simpler, const std::string& fill) { simpler.fill = fill; });
  earlier(out, c, std::vector<uint64_t>{0, 1, 2, 3}, std::min<uint64_t>(c.seed, 3),
          [](Case& simpler, uint64_t seed) { simpler.seed = seed; });
  // The next smaller shape may fail with other data only.
  for (const DimSpec& dim : contract.dims)
    for (const uint64_t seed : {0, 1, 2, 3}) {
      if (!admits(dim, c.dim(dim.name) - 1) || seed == c.seed) continue;
      Case simpler = c;
      simpler.set(dim.name, std::to_string(c.dim(dim.name) - 1));
      simpler.seed = seed;
      out.push_back(std::move(simpler));
    }
  into_another_dim(out, contract, c);
  for (Case& simpler : out) {
    suit_both(contract, variant, simpler);
  }
  std::erase_if(out, [&](const Case& simpler) {
    return print(simpler) == print(c) || !is_smaller(contract, simpler, c) ||
           (contract.constraint && contract.constraint(simpler)) || refused_choice(contract, variant, simpler) ||
           (variant.unsupported && variant.unsupported(simpler));
  });
  return out;
}

std::vector<Case> simpler_data(const Contract& contract, const Case& c) {
  int64_t largest = 0;
  for (const TensorSpec& spec : contract.tensors) {
    int64_t count = 1;
    for (const int64_t extent : shape_of(spec, c)) count *= extent;
    largest = std::max(largest, count);
  }
  std::vector<Case> out;
  const int64_t now = c.nonzero.value_or(largest);
  for (int64_t keep = 0; keep < now; keep = keep < 4 ? keep + 1 : keep * 2) {
    Case simpler = c;
    simpler.nonzero = keep;
    out.push_back(std::move(simpler));
  }
  return out;
}

}  // namespace assay
