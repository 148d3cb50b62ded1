// The generator makes a case with a few rows, whose dims suit each other and the variant; then the rows become many.
#include "harness/search/huge_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "harness/op/huge.h"
#include "harness/op/supported_case.h"
#include "harness/search/generate.h"

namespace assay {
namespace {

constexpr int64_t kRows = 7;         // of a small case
constexpr int64_t kUsualRow = 1024;  // elements of a row, at most: the shorter, the more blocks run
constexpr int64_t kSide = 65537;     // of a tensor with two dims that repeat
constexpr int64_t kTries = 40;
constexpr int64_t kLargestInt = (int64_t{1} << 31) - 1;
constexpr int64_t kMoreRows = 3;  // beyond 2^32 elements
constexpr int kUsualBlock = 256;

bool repeats(const Contract& contract, const DimSpec& dim) {
  return std::ranges::find(contract.repeats_along, dim.name) != contract.repeats_along.end();
}

// With all choices of attributes, or the simplest alone; no two tensors share a buffer.
Contract of_few_rows(Contract contract, bool simplest) {
  for (DimSpec& dim : contract.dims)
    if (repeats(contract, dim)) dim.only = {kRows}, dim.min = dim.max = kRows;
  for (AttrSpec& attr : contract.attrs)
    if (simplest || attr.name == kAliasAttr) attr.choices.resize(1);
  return contract;
}

// Elements of a row, at most: as many as are needed where there may be few rows.
int64_t longest_row(const Contract& contract) {
  int64_t rows = 1;
  for (const DimSpec& dim : contract.dims)
    if (repeats(contract, dim)) rows = std::max(rows, dim.max);
  return std::max(kUsualRow, (int64_t{5} << 30) / rows);  // a quarter more than are needed
}

// The case with ordinary data, and launched as is usual.
Case made_ordinary(const Variant& variant, Case c) {
  if (!variant.blocks.empty())
    c.block = *std::ranges::min_element(variant.blocks, {}, [](int block) { return std::abs(block - kUsualBlock); });
  c.fill = "normal";
  c.schedule = 0;
  c.nonzero.reset(), c.grid.reset(), c.offset.reset();
  return c;
}

// The one with the longest rows of several small cases along which the op repeats; nothing where it never does.
std::optional<Case> small_case(const Contract& contract, const Variant& variant, DType dtype, uint64_t seed) {
  const int64_t row_most = longest_row(contract);
  const GenerateLimits limits{.elements_max = std::max<int64_t>(1 << 17, 8 * kRows * row_most), .flops_max = 1 << 26};
  std::optional<Case> best;
  int64_t longest = 0;
  for (const bool simplest : {false, true}) {
    const Contract few_rows = of_few_rows(contract, simplest);
    for (int64_t i = 0; i < kTries; ++i) {
      Case c = made_ordinary(variant, generate_case(few_rows, variant, dtype, seed, i, limits));
      Case row = c;
      for (const std::string& dim : contract.repeats_along) row.set(dim, "1");
      const int64_t length = largest_tensor(contract, row);
      if (best && (length <= longest || length > row_most)) continue;
      if (why_not_repeated(contract, c, make_tensors(contract, c, variant.constants))) continue;
      best = std::move(c), longest = length;
    }
    if (best) break;
  }
  return best;
}

// The smallest value of the dim with which a tensor has so many elements, and a little more; at most the dim's largest.
int64_t long_enough(const Contract& contract, Case c, const DimSpec& dim, int64_t elements) {
  int64_t low = 1, high = dim.max;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    c.set(dim.name, std::to_string(middle));
    if (largest_tensor(contract, c) >= elements)
      high = middle;
    else
      low = middle + 1;
  }
  return std::min(low + kMoreRows, dim.max);
}

// The small case with each dim along which the op repeats made long; where there are two, with both of them long, too.
std::vector<Case> long_cases(const Contract& contract, const Case& small) {
  const auto spec = [&](const std::string& name) -> const DimSpec& {
    return *std::ranges::find(contract.dims, name, &DimSpec::name);
  };
  const auto lengthened = [&](Case c, const std::string& dim) {
    c.set(dim, std::to_string(long_enough(contract, c, spec(dim), int64_t{1} << 32)));
    return c;
  };
  const std::vector<std::string>& dims = contract.repeats_along;
  std::vector<Case> cases;
  if (dims.size() > 1) {
    Case both = small;
    for (const std::string& dim : dims) both.set(dim, std::to_string(nearest(spec(dim), kSide)));
    cases.push_back(lengthened(both, dims.back()));
  }
  for (const std::string& dim : dims) cases.push_back(lengthened(small, dim));
  return cases;
}

// Why it is none of the variant's cases.
std::optional<std::string> why_not(const Contract& contract, const Variant& variant, const Case& c) {
  if (contract.constraint)
    if (const auto error = contract.constraint(c)) return error->what;
  if (variant.unsupported)
    if (auto why = variant.unsupported(c)) return why;
  if (largest_tensor(contract, c) >= kLargestInt) return std::nullopt;
  return fmt::format("{} are not long enough", fmt::join(contract.repeats_along, ", "));
}

}  // namespace

Result<std::vector<Case>> huge_cases(const Contract& contract, const Variant& variant, DType dtype, uint64_t seed) {
  const std::vector<std::string>& dims = contract.repeats_along;
  if (dims.empty())
    return fail(contract.name + " has no cases of 2^31 elements: its contract names no dim along which it repeats");
  const Contract narrow = narrowed(contract, variant);
  const std::optional<Case> small = small_case(narrow, variant, dtype, seed);
  if (!small) return fail(fmt::format("{}/{} takes no case that repeats", variant.op, variant.name));
  std::vector<Case> cases;
  std::optional<std::string> why;
  const auto add = [&](Case c) {
    suit_both(contract, variant, c);
    if (auto refused = why_not(contract, variant, c))
      why = std::move(refused);
    else if (std::ranges::find(cases, c) == cases.end())
      cases.push_back(std::move(c));
  };
  for (const Case& c : long_cases(narrow, *small)) {
    add(c);
    Case shorter = c;
    for (const std::string& dim : dims) shorter.set(dim, std::to_string(std::min(kLargestInt, c.dim(dim))));
    add(shorter);
  }
  if (cases.empty())
    return fail(fmt::format("{} takes no case of 2^31 elements that was found: {}", small->id(), *why));
  for (Case& each : cases) each = ASSAY_TRY(conform(contract, each, print(each)));
  return cases;
}

}  // namespace assay
