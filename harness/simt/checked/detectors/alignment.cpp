// Finds misaligned accesses: one through a pointer that lacks its type's alignment, or an atomic, where a GPU stops.
#include <fmt/format.h>

#include <string>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt::checked {
namespace {

class Alignment : public Listener {
 public:
  using Listener::Listener;

  void misaligned(const Now& now, const char* type) override {
    if (type == nullptr)
      return monitor.report(Kind::misaligned, now,
                            fmt::format("whose address is no multiple of {}; a GPU stops the kernel here", now.bytes));
    const auto what = [&] {
      return fmt::format(
          "through a pointer to {}, whose address is no multiple of {}; a GPU stops the kernel here. Start the vector "
          "part of a row at an aligned element, or read single elements",
          type, now.bytes);
    };
    // Instructions for 16 bytes and more trap on a CPU too.
    if (now.bytes >= 16)
      stop_launch(Kind::misaligned,
                  fmt::format("{}: {} ({}) {}", monitor.place(now), now.access == Access::read ? "read" : "write",
                              source_line(now.pc), what()));
    monitor.report(Kind::misaligned, now, what);
  }
};

const Registered<Alignment> registered("alignment", Kind::misaligned);

}  // namespace
}  // namespace assay::simt::checked
