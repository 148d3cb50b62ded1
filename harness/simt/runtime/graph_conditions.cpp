// The conditions of a process, by their handles.
#include "harness/simt/include/simt/graph_conditions.h"

#include <map>

namespace assay::simt {
namespace {

std::map<uint64_t, uint32_t>& conditions() {
  static auto& all = *new std::map<uint64_t, uint32_t>;
  return all;
}

}  // namespace

uint64_t make_condition() {
  const uint64_t handle = conditions().size() + 1;
  conditions()[handle] = 0;
  return handle;
}

bool set_condition(uint64_t handle, uint32_t value) {
  const auto found = conditions().find(handle);
  if (found == conditions().end()) return false;
  found->second = value;
  return true;
}

std::optional<uint32_t> condition(uint64_t handle) {
  const auto found = conditions().find(handle);
  if (found == conditions().end()) return std::nullopt;
  return found->second;
}

}  // namespace assay::simt
