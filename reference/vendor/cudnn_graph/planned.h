// Variants whose library plans a graph for each shape, so that a test can ask for plans where there is no GPU.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/case/case.h"
#include "reference/vendor/cudnn_graph/graph.h"

namespace assay::vendor {

// Why the library has no plan for the case, whatever the variant's own `unsupported` returns.
using Refusal = std::function<std::optional<Error>(const Case& c, const GraphTarget& target)>;

// The refusal in what planning made.
template <class Plan>
std::optional<Error> refusal_of(const Result<Plan>& made) {
  return made ? std::nullopt : std::optional(made.error());
}

struct RegisterPlanned {
  RegisterPlanned(std::string variant_id, Refusal refusal);  // id: "attention_forward/cudnn_sdpa"
};

const Refusal* find_refusal(const std::string& variant_id);  // null when the variant plans nothing

}  // namespace assay::vendor
