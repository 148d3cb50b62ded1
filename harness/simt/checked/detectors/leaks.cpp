// A leak: memory that kernels have allocated and none has freed when the case ends.
//
// Launches share the heap, so a later kernel may free what an earlier one allocated.
#include <fmt/format.h>

#include <map>

#include "harness/simt/checked/monitor.h"

namespace assay::simt::checked {
namespace {

class Leaks : public Listener {
 public:
  using Listener::Listener;

  void heap_ends(Findings& findings) override {
    struct Sum {
      size_t blocks = 0, bytes = 0;
      const HeapBlock* first = nullptr;
    };
    std::map<const void*, Sum> by_line;  // addresses of the code, which ascend with the lines
    for (const auto& [address, block] : device_heap().blocks()) {
      if (block.is_freed()) continue;
      Sum& sum = by_line[block.made.pc];
      if (sum.blocks++ == 0) sum.first = &block;
      sum.bytes += block.bytes;
    }
    for (const auto& [pc, sum] : by_line)
      findings.push_back(
          {Kind::leak, fmt::format("{} bytes in {} allocation{} never freed, the first by {}", sum.bytes, sum.blocks,
                                   sum.blocks == 1 ? " are" : "s are", simt::words(sum.first->made))});
  }
};

const Registered<Leaks> registered("leaks", Kind::leak);

}  // namespace
}  // namespace assay::simt::checked
