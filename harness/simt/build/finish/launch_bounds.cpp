// Counting the nops between the label .LPFE… and the function's.
#include "harness/simt/build/finish/launch_bounds.h"

namespace assay::simt::finish {

std::unordered_map<std::string_view, uint64_t> take_launch_bounds(Assembly& assembly) {
  std::unordered_map<std::string_view, uint64_t> bounds;
  uint64_t nops = 0;
  bool counting = false;
  for (Line& line : assembly.lines) {
    if (line.section == "__patchable_function_entries") {
      line.dropped = true;
    } else if (line.label.starts_with(".LPFE")) {
      line.dropped = true;
      counting = true;
      nops = 0;
    } else if (counting && line.operation == "nop") {
      line.dropped = true;
      ++nops;
    } else if (counting && !line.function.empty() && line.label == line.function) {
      bounds[line.function] = nops;
      counting = false;
    }
  }
  return bounds;
}

}  // namespace assay::simt::finish
