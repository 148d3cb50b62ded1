// The keys of an adapter's file, for reading and for printing it.
#pragma once

#include "harness/adapter/adapter.h"

namespace assay {

// Calls visit(key, value) for each in the order in which they are printed. `AnyAdapter` is const or not.
template <class AnyAdapter, class Visit>
void for_each_key(AnyAdapter& adapter, const Visit& visit) {
  visit("op", adapter.op);
  visit("source", adapter.source);
  visit("name", adapter.name);
  visit("language", adapter.language);
  visit("dtypes", adapter.dtypes);
  visit("blocks", adapter.blocks);
  visit("fix", adapter.fixed);
  visit("range", adapter.ranges);
  visit("requires", adapter.requirements);
  visit("skip_fills", adapter.skip_fills);
  visit("finite", adapter.finite);
  visit("omits", adapter.omits);
  visit("constant", adapter.constants);
  visit("mask_value", adapter.mask_value);
  visit("rounds", adapter.rounds);
  visit("accumulate", adapter.accumulate);
  visit("ftz", adapter.ftz);
  visit("fast_math", adapter.fast_math);
  visit("aligned", adapter.aligned);
  visit("zero", adapter.zero);
  visit("in_place", adapter.in_place);
  visit("workspace", adapter.workspace);
  visit("deterministic", adapter.deterministic);
  visit("include", adapter.compile.include);
  visit("define", adapter.compile.define);
  visit("flags", adapter.compile.flags);
  visit("nvcc_flags", adapter.compile.nvcc_flags);
  visit("arch", adapter.compile.arch);
  visit("via", adapter.compile.via);
  visit("guesses", adapter.guesses);
  visit("declaration", adapter.declaration);
  visit("launch", adapter.launches);
}

}  // namespace assay
