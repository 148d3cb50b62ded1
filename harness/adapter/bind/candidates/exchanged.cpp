// M and N are rows and columns, or columns and rows: names of one letter say less than others, and those of a matrix
// that an op turns over may be of what it reads or of what it writes.
#include <fmt/format.h>

#include <algorithm>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/cuda_text.h"

namespace assay {

std::optional<Inferred> exchanged(const Inferred& inferred, const KernelSource& called, const Contract& contract) {
  std::vector<std::string> dims;
  for (size_t i = 0; const Match& match : match_parameters(called, contract))
    if (const std::string& name = called.parameters[i++].name;
        match.binding && match.binding->kind == Binding::dim &&
        (turns_over(contract) || (!match.by_own_name && means_either(name))))
      dims.push_back(match.binding->name);
  if (dims.size() != 2) return std::nullopt;
  Inferred other = inferred;
  const auto exchange = [&](std::string& text) { text = with_tokens(text, {{dims[0], dims[1]}, {dims[1], dims[0]}}); };
  for (AdapterLaunch& launch : other.adapter.launches) {
    for (auto* texts : {&launch.args, &launch.grid, &launch.block})
      std::for_each(texts->begin(), texts->end(), exchange);
    exchange(launch.shared);
  }
  std::for_each(other.adapter.requirements.begin(), other.adapter.requirements.end(), exchange);
  std::for_each(other.remarks.begin(), other.remarks.end(), exchange);
  other.guesses.push_back(fmt::format("{} and {} are exchanged", dims[0], dims[1]));
  return other;
}

}  // namespace assay
