// A hint: shared memory that a block writes and no thread of it ever reads.
//
// Such a write is harmless, but it costs bandwidth and room, and often the read was meant to be there: an array too
// large, a result kept twice, a staging buffer that the next step does not use. It counts words, not bytes. Where
// a word is written more than once before the block ends unread, the last write is named.
#include <map>
#include <unordered_map>

#include "harness/simt/checked/monitor.h"

namespace assay::simt::checked {
namespace {

class DeadSharedWrites : public Listener {
 public:
  using Listener::Listener;

  void every_access(const Now& now) override {
    if (now.space != Space::shared) return;
    for (uintptr_t word = now.address / 4; word * 4 < now.address + now.bytes; ++word) {
      if (now.reads())
        last_write_[word].read = true;
      else
        last_write_[word].by = now;
    }
  }

  void block_ends() override {
    std::map<uintptr_t, Now> unread;  // by address, so that hints come in one order
    for (const auto& [word, entry] : last_write_)
      if (!entry.read) unread.emplace(word, entry.by);
    for (const auto& [word, by] : unread) monitor.hint(by, "which no thread of the block reads");
    last_write_.clear();
  }

 private:
  struct Entry {
    Now by;
    bool read = false;
  };
  std::unordered_map<uintptr_t, Entry> last_write_;  // of this block, by address / 4
};

const Registered<DeadSharedWrites> registered("dead_shared_writes", Kind::none, false);

}  // namespace
}  // namespace assay::simt::checked
