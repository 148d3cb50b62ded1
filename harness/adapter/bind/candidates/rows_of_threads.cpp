// Rows that one block takes with a thread for each element: no more elements than the block has threads.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/adapter/bind/candidates/body.h"

namespace assay {
namespace {

bool is_thread(const std::vector<Token>& tokens, size_t i) {
  return token_is(tokens, i, "threadIdx") && token_is(tokens, i + 1, ".") && token_is(tokens, i + 2, "x");
}

// Whether token i stands where a loop over it begins: for (int i = …
bool begins_loop(const std::vector<Token>& tokens, size_t i) {
  while (i > 0 && !is_one_of(tokens[i].text, {"(", ";", "{", "}"})) --i;
  return i > 0 && token_is(tokens, i, "(") && token_is(tokens, i - 1, "for");
}

// The names that a thread's own number is compared with, n of `if (threadIdx.x < n)`, and that no loop goes up to from
// there, as `for (i = threadIdx.x; i < n; i += blockDim.x)` does.
std::set<std::string> counts_of_threads(const std::vector<Token>& tokens) {
  std::set<std::string> counts, walked;
  for (size_t i = 1; i + 5 < tokens.size(); ++i) {
    if (!is_thread(tokens, i)) continue;
    if (token_is(tokens, i + 3, "<") && tokens[i + 4].is_word() && !token_is(tokens, i + 5, "."))
      counts.emplace(tokens[i + 4].text);
    if (token_is(tokens, i + 3, ";") && begins_loop(tokens, i))
      for (size_t at = i + 4; at + 1 < tokens.size() && !is_one_of(tokens[at].text, {";", "{"}); ++at)
        if (token_is(tokens, at, "<")) walked.emplace(tokens[at + 1].text);
  }
  std::erase_if(counts, [&](const std::string& name) { return walked.contains(name); });
  return counts;
}

}  // namespace

std::vector<Inferred> with_rows_of_threads(std::vector<Inferred> candidates, const CudaSource& source,
                                           const KernelSource& kernel, const Contract& contract) {
  const Body body(source, kernel, {});
  if (body.uses("threadIdx", 'y')) return candidates;
  const std::set<std::string> counts = counts_of_threads(body.tokens());
  const size_t count = counts.empty() ? 0 : candidates.size();
  for (size_t i = 0; i < count; ++i) {
    const AdapterLaunch& launch = candidates[i].adapter.launches.at(0);
    if (launch.is_launcher || launch.args.size() != kernel.parameters.size() || launch.block.size() != 1) continue;
    Inferred one = candidates[i];
    for (size_t p = 0; p < launch.args.size(); ++p) {
      const bool is_dim =
          std::ranges::any_of(contract.dims, [&](const DimSpec& dim) { return dim.name == launch.args[p]; });
      if (is_dim && counts.contains(kernel.parameters[p].name) && launch.args[p] != launch.block[0])
        one.adapter.requirements.push_back(fmt::format("{} <= {}", launch.args[p], launch.block[0]));
    }
    if (one.adapter.requirements.size() == candidates[i].adapter.requirements.size()) continue;
    one.guesses.emplace_back("a row has a thread for each element");
    one.cost += 1;
    candidates.push_back(std::move(one));
  }
  return candidates;
}

}  // namespace assay
