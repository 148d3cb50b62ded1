// Finds uninitialised reads: of memory that nothing has written, of shared memory that this block has not, and of the
// destination of a cp.async before the thread has waited for it.
#include <fmt/format.h>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/source_lines.h"

namespace assay::simt::checked {
namespace {

class Initialisation : public Listener {
 public:
  using Listener::Listener;

  void unsettled(const Now& now, const History& history) override {
    if (!history.uninitialised || !now.reads()) return;
    monitor.report(Kind::uninitialised, now, [&] { return why(now); });
  }

  const char* why(const Now& now) const {
    if (now.space == Space::shared)
      return "but this block has not written it; shared memory starts with what an earlier block left";
    const Placed* const placed = now.space == Space::device ? monitor.arena.nearest(now.cell) : nullptr;
    if (placed != nullptr && placed->buffer.contents == Contents::gaps)
      return "but that element is dead: padding, or past what the case fills, and holds NaN; not reading it fixes it";
    return "but nothing has written it; outputs, workspaces and the heap do not start with zeros";
  }

  // With anybody else's access the copy races.
  void while_copying(const Now& now, const Copy& copy) override {
    if (copy.thread != now.me || now.access != Access::read) return;
    monitor.report(Kind::uninitialised, now,
                   fmt::format("but the thread has not waited for its cp.async ({}); a cp.async wait between the two "
                               "lines, for that group, fixes it",
                               source_line(copy.pc)),
                   copy.pc);
  }
};

const Registered<Initialisation> registered("initialisation", Kind::uninitialised);

}  // namespace
}  // namespace assay::simt::checked
