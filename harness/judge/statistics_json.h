// Access statistics as JSON: the field `statistics` of a result row.
//
//   {"compulsory_bytes": …, "incomplete": why (left out when nothing is missing), "figures": {…},
//    "kernels": [{"kernel": name, "launches": …, "blocks": …, "figures": {…}, "total": {counts},
//                 "lines": [{"line": "softmax.cu:31", "counts": {counts}}, …],
//                 "threads_per_block": …, "dynamic_shared_bytes": … (left out when 0),
//                 "resources": {those of KernelResources, harness/device/cuda/resources.h} (left out when not known)
//                }, …]}
//
// Kernels are in the order of their first launch, lines by descending bytes. `counts` are those of AccessCounts
// (harness/simt/checked/access_statistics.h) by the names below, without those that are 0; `figures` are quotients of
// them for whoever reads the file, without those that there is nothing for, and are not read back:
//
//   {read,write,atomic}_{requests,sectors,ideal_sectors}  shared_requests  bank_passes  bank_conflict_max  atomics
//   atomic_addresses  contention_max  barriers  lanes_active  lanes_present
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/simt/checked/access_statistics.h"

namespace assay {

nlohmann::json to_json(const AccessStatistics& statistics);
AccessStatistics statistics_from_json(const nlohmann::json& json);  // throws nlohmann::json::exception

}  // namespace assay
