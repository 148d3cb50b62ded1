// Who accessed which bytes of memory last, and which accesses nothing orders.
//
// Neighbouring bytes with the same past are one span. A past is kept as the number of a list of pieces of work, because
// few lists are the past of many spans. Only what a later piece of work can race with stays in it: a write makes all
// that was done before it forgotten, and so does the host's waiting.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/program/stream_clocks.h"
#include "harness/simt/checked/footprint.h"

namespace assay::program {

// Something that accesses memory: a kernel's launch, a copy. Whoever makes it knows more of it.
struct PieceOfWork {
  Moment moment = {};
};
using Piece = std::shared_ptr<const PieceOfWork>;

// Bytes that two pieces of work access without order.
struct Unordered {
  Piece earlier;  // that was given first
  simt::Touch earlier_touch, touch;
  uintptr_t begin, end;  // the first bytes together
  size_t bytes;          // of all
};

class MemoryPast {
 public:
  // A piece of work accesses bytes. `done`: before it; `host`: what every later piece comes after.
  std::vector<Unordered> access(const Piece& piece, const Clock& done, const Clock& host,
                                const simt::Footprint& footprint);
  // The first of these bytes with an access that the host, which now accesses them so, does not know to be done.
  std::optional<Unordered> unordered_with_host(uintptr_t begin, uintptr_t end, simt::Touch touch,
                                               const Clock& host) const;
  // How bytes from `begin` to before `end` are accessed by what the host does not know to be done.
  simt::Footprint unfinished(uintptr_t begin, uintptr_t end, const Clock& host) const;
  // Nobody can access these bytes any more, or they are new.
  void forget(uintptr_t begin, uintptr_t end);

  size_t spans() const { return spans_.size(); }

 private:
  using Access = std::pair<uint32_t, simt::Touch>;  // by number of the piece
  using Past = std::vector<Access>;
  struct Span {
    uintptr_t begin, end;
    uint32_t past;
  };
  struct Change {
    uint32_t past;
    std::vector<size_t> races;
  };

  template <class Make>
  void change(const simt::Footprint& footprint, Make make);
  uint32_t number_of(Past past);
  Change after(uint32_t past, uint32_t piece, simt::Touch touch, const Clock& done, const Clock& host,
               std::vector<Unordered>& races);
  void drop_what_is_done(const Clock& host);

  std::vector<Span> spans_;  // by ascending address
  std::vector<Past> pasts_ = {{}};
  std::map<Past, uint32_t> numbers_ = {{{}, 0}};
  std::vector<Piece> pieces_;
  size_t pieces_max_ = 256;  // at which those that are done are dropped
};

}  // namespace assay::program
