// Access statistics as JSON, by the names that nlohmann-json looks for: in results, and in the rows of `assay run`.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/simt/checked/access_statistics.h"

namespace assay {

// {"compulsory_bytes": …, "incomplete": why (left out when nothing is missing),
//  "kernels": [{"kernel": name, "launches": …, "blocks": …, "figures": {…}, "total": {counts},
//               "lines": [{"line": "softmax.cu:31", "counts": {counts}}, …],
//               "threads_per_block": …, "dynamic_shared_bytes": … (left out when 0)}, …]}
//
// Kernels are in the order of their first launch, lines by descending bytes. `counts` are those of AccessCounts
// (harness/simt/checked/access_statistics.h) by the names below, without those that are 0; `figures` are quotients of
// them for whoever reads the file, without those that there is nothing for, and are not read back:
//
//   {read,write,atomic}_{requests,sectors,ideal_sectors}  shared_requests  bank_passes  bank_conflict_max  atomics
//   atomic_addresses  contention_max  barriers  lanes_active  lanes_present
void to_json(nlohmann::json& out, const AccessStatistics& statistics);
void from_json(const nlohmann::json& in, AccessStatistics& statistics);

}  // namespace assay
