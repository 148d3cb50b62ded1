// Makes the strings, containers and functions of a variant from plain data.
#include "harness/op/wrapped_variant.h"

#include <algorithm>

#include "harness/op/registry.h"
#include "harness/op/supported_case.h"

namespace assay {
namespace {

using Texts = std::initializer_list<const char*>;

std::vector<std::string> strings(const Texts& texts) { return {texts.begin(), texts.end()}; }

std::vector<Domain> domains_of(const WrappedVariant& wrapped) {
  std::vector<Domain> domains;
  for (const WrappedDomain& each : wrapped.domains)
    domains.push_back({each.name, each.min, each.max, strings(each.values)});
  return domains;
}

}  // namespace

Variant variant_of(const WrappedVariant& wrapped) {
  const auto unsupported = [domains = domains_of(wrapped), unmet = wrapped.unmet](const Case& c) {
    auto why = outside(domains, c);
    if (!why)
      if (const char* demand = unmet(c)) why = demand;
    return why;
  };
  const auto adjust = [=, requirements = strings(wrapped.requirements), fixes = wrapped.fixes,
                       fix = wrapped.fix](Case& c) {
    std::vector<std::string> dims;
    for (const DimSpec& dim : find_op(c.op)->dims) dims.push_back(dim.name);
    move_to_supported(c, dims, requirements, fixes, fix, unsupported);
  };
  Variant variant;
  variant.op = wrapped.op;
  variant.name = wrapped.name;
  variant.summary = wrapped.summary;
  variant.dtypes = wrapped.dtypes;
  variant.blocks = wrapped.blocks;
  variant.any_grid = wrapped.any_grid;
  variant.aligned = wrapped.aligned;
  variant.deterministic = wrapped.deterministic;
  variant.rounds = strings(wrapped.rounds);
  variant.accumulate = wrapped.accumulate;
  variant.ftz = wrapped.ftz;
  variant.fast_math = wrapped.fast_math;
  variant.mask_value = wrapped.mask_value;
  variant.omits = strings(wrapped.omits);
  variant.domains = domains_of(wrapped);
  for (const WrappedConstant& each : wrapped.constants) variant.constants.push_back({each.tensor, each.value});
  variant.unsupported = unsupported;
  variant.adjust = adjust;
  variant.workspace_bytes = wrapped.workspace_bytes;
  variant.run = wrapped.run;
  return variant;
}

const Call::Buffer* buffer_of(const Call& call, std::string_view name) {
  const auto found = std::ranges::find(call.buffers(), name, &Call::Buffer::name);
  return found == call.buffers().end() ? nullptr : &*found;
}

void set_dim(Case& c, std::string_view dim, int64_t value) { c.set(dim, std::to_string(value)); }

}  // namespace assay
