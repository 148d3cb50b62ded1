// A memcpy whose source and destination overlap: it may read what it has already written. A race of the copy with
// itself, so that is its kind; memmove is defined.
#include <fmt/format.h>

#include "harness/simt/checked/monitor.h"

namespace assay::simt::checked {
namespace {

class OverlappingCopies : public Listener {
 public:
  using Listener::Listener;

  void overlapping(const Now& now, uintptr_t from) override {
    const uintptr_t apart = now.address > from ? now.address - from : from - now.address;
    monitor.report(Kind::race, now,
                   fmt::format("by a memcpy of {} bytes whose source begins {} bytes {} its destination; it may read "
                               "what it has written already. Use memmove",
                               now.bytes, apart, from < now.address ? "before" : "behind"));
  }
};

const Registered<OverlappingCopies> registered("overlapping_copies", Kind::race);

}  // namespace
}  // namespace assay::simt::checked
