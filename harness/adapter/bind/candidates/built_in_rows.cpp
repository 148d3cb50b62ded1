// Rows of a length that a kernel has built in: no parameter says how many columns there are, its numbers do.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/adapter/bind/candidates/body.h"
#include "harness/adapter/read/arithmetic.h"

namespace assay {
namespace {

constexpr int64_t kLengthMin = 16, kLengthMax = 1 << 16;
constexpr size_t kLengthsMax = 4;  // of a candidate

// The dim that rows of the op's outputs end with; "" where that is a product, or no dim.
std::string columns_of(const Contract& contract) {
  for (const TensorSpec& tensor : contract.tensors)
    if (tensor.role != Role::input && tensor.shape.size() > 1)
      for (const DimSpec& dim : contract.dims)
        if (dim.name == tensor.shape.back()) return dim.name;
  return "";
}

// The numbers that stand beside a product or a quotient: 4096 of `row * 4096 + i` and `i % 4096`.
std::set<int64_t> factors_in(const Body& body) {
  const std::vector<Token>& tokens = body.tokens();
  std::set<int64_t> all;
  for (size_t i = 1; i + 1 < tokens.size(); ++i)
    if (const auto number = number_value(tokens[i].text); number && *number >= kLengthMin && *number <= kLengthMax)
      if (is_one_of(tokens[i - 1].text, {"*", "/", "%"}) || token_is(tokens, i + 1, "*")) all.insert(*number);
  return all;
}

// The threads of a block whose extents are numbers; 0 of any other.
int64_t threads_of(const AdapterLaunch& launch) {
  int64_t threads = 1;
  for (const std::string& extent : launch.block) threads *= number_value(extent).value_or(0);
  return launch.is_launcher ? 0 : threads;
}

bool mentions_word(const AdapterLaunch& launch, const std::string& word) {
  for (const auto* texts : {&launch.args, &launch.grid, &launch.block})
    if (std::ranges::any_of(*texts, [&](const std::string& text) { return mentions(tokens_of(text), word); }))
      return true;
  return false;
}

}  // namespace

std::vector<Inferred> with_built_in_rows(std::vector<Inferred> candidates, const CudaSource& source,
                                         const KernelSource& kernel, const Contract& contract) {
  const std::string columns = columns_of(contract);
  if (columns.empty()) return candidates;
  const Body body(source, kernel, {});
  const std::set<int64_t> factors = factors_in(body);
  const int64_t width = body.vector_width();
  const size_t count = candidates.size();
  for (size_t i = 0; i < count; ++i) {
    const AdapterLaunch& launch = candidates[i].adapter.launches.at(0);
    const bool is_fixed =
        std::ranges::any_of(candidates[i].adapter.fixed, [&](const Fixed& fixed) { return fixed.name == columns; });
    if (is_fixed || mentions_word(launch, columns)) continue;
    std::vector<int64_t> lengths;
    const auto add = [&](int64_t length) {
      if (length >= kLengthMin && length <= kLengthMax && lengths.size() < kLengthsMax &&
          std::ranges::find(lengths, length) == lengths.end())
        lengths.push_back(length);
    };
    for (const int64_t factor : factors) add(factor);
    if (const int64_t threads = threads_of(launch); !factors.empty() || body.cooperates())
      for (const int64_t each : {width, int64_t{1}, int64_t{4}, int64_t{8}}) add(threads * each);
    for (const int64_t length : lengths) {
      Inferred one = candidates[i];
      one.adapter.fixed.push_back({columns, std::to_string(length)});
      one.guesses.push_back(fmt::format("{} is {}, which is written in {}", columns, length, kernel.name));
      one.cost += 1;
      candidates.push_back(std::move(one));
    }
  }
  return candidates;
}

}  // namespace assay
