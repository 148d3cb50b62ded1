// Entries with their element types, spelled and marked.
#include "harness/adapter/build/ptx_route/markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/adapter/build/element_type.h"
#include "harness/adapter/build/ptx_route/entries.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/read/kernel_source.h"

namespace assay {
namespace {

bool names_type(const std::string& entry) { return with_type(entry, "") != entry; }

}  // namespace

Result<std::vector<WantedEntry>> wanted_of(const std::vector<Adapter>& adapters) {
  std::vector<WantedEntry> all;
  for (const Adapter& adapter : adapters)
    for (const AdapterLaunch& launch : adapter.launches) {
      if (launch.is_launcher)
        return fail(fmt::format("{} launches kernels itself, and the PTX has only kernels", launch.entry),
                    "--kernel names a kernel, and an adapter says how it is launched");
      for (const DType dtype : adapter.dtypes) {
        const auto is_same = [&](const WantedEntry& each) { return each.entry == launch.entry && each.dtype == dtype; };
        if (std::none_of(all.begin(), all.end(), is_same))
          all.push_back({launch.entry, dtype, with_type(launch.entry, cpp_type(dtype))});
      }
    }
  return all;
}

std::string markers_of(const std::set<std::string>& templates, const std::vector<WantedEntry>& wanted) {
  std::string text;
  if (std::any_of(wanted.begin(), wanted.end(), [](const WantedEntry& each) { return names_type(each.entry); }))
    text = "\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n";
  text += kMarkerBegin;
  // All template arguments by default: a name alone would be the template's.
  const auto is_bare = [&](const std::string& entry) {
    return !entry.ends_with('>') && templates.contains(kernel_of(entry));
  };
  std::map<std::string, int> numbers;
  for (const WantedEntry& each : wanted)
    if (numbers.emplace(each.spelled, static_cast<int>(numbers.size())).second)
      text += marker(each.spelled + (is_bare(each.spelled) ? "<>" : ""), numbers[each.spelled]);
  return text;
}

bool has_all(const ptx::Module& module, const std::vector<WantedEntry>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const WantedEntry& each) { return !entry_spelled(module, each.spelled).empty(); });
}

}  // namespace assay
