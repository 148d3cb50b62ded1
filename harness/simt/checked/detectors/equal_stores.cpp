// A hint: lanes that store 0 and -0, or NaNs of different bits, to one address by one instruction.
//
// The numbers are equal, so whichever stays is right for most kernels: a maximum that each lane has taken in an order
// of its own may be either zero. A kernel that looks at the sign or the bits gets one result or another.
#include <fmt/format.h>

#include "harness/simt/checked/monitor.h"

namespace assay::simt::checked {
namespace {

class EqualStores : public Listener {
 public:
  using Listener::Listener;

  void stored_equal(const Now& now, uint32_t earlier_thread, const std::string& values) override {
    monitor.hint(now, fmt::format("but lanes {} and {} of warp {} store equal numbers of different bits{} in this one "
                                  "instruction; which of them stays is not defined",
                                  earlier_thread % 32, now.me % 32, now.me / 32, values));
  }
};

const Registered<EqualStores> registered("equal_stores", Kind::none, false);

}  // namespace
}  // namespace assay::simt::checked
