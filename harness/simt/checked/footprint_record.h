// Finds the footprint of a launch in the shadow of the device's memory, which has the tick of each cell's last write
// and reads.
//
// Only pages that the launch came to are looked through. The hooks' table of pages says of none that it may be accessed
// when such a launch begins, so that the first access to each takes the slow path, which puts the page back; all other
// accesses cost what they cost without this. The records of parts of words do not say which byte it was: those accesses
// take the slow path too (pairs of bytes apart, whose halves say it), and are kept here.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "harness/simt/checked/arena.h"
#include "harness/simt/checked/footprint.h"
#include "harness/simt/checked/listener.h"

namespace assay::simt::checked {

class __attribute__((visibility("default"))) FootprintRecord {
 public:
  explicit FootprintRecord(Arena& arena) : arena_(arena) {}

  bool is_wanted = false;  // by whoever launches: from the next launch on

  bool is_on() const { return is_on_; }
  void launch_begins();
  // A thread accesses memory that is not shared, the slow way.
  void access(const Now& now) {
    for (uintptr_t page = now.address >> kPageShift; page <= (now.address + now.bytes - 1) >> kPageShift; ++page)
      put_back(page << kPageShift);
  }
  // It accesses a part of a cell, or a cell that holds halves. `launch`: the tick at which the launch began.
  void access_part(const Now& now, const Cell& cell, uint64_t launch);
  // `outside`: cells of memory that is not the arena's, by its page's address.
  void launch_ends(uint64_t launch, const std::vector<std::pair<uintptr_t, const Cell*>>& outside);
  // That of the last launch, once.
  Footprint take();

 private:
  // Pages of a buffer, with their states.
  struct Hidden {
    uintptr_t begin;
    std::vector<Page> states;
    uintptr_t buffer, buffer_end;
  };
  struct Bytes {
    std::array<uint64_t, kPageBytes / 64> read = {}, written = {};
  };
  void put_back(uintptr_t page);
  Bytes& bytes_of(uintptr_t address);
  void look_through(uintptr_t page, const Cell* cells, uint64_t launch, uintptr_t begin, uintptr_t end);

  Arena& arena_;
  bool is_on_ = false;
  std::vector<uintptr_t> accessed_;                              // pages that are back
  std::vector<Hidden> hidden_;                                   // by ascending address
  std::unordered_map<uintptr_t, std::unique_ptr<Bytes>> bytes_;  // by page
  uintptr_t last_page_ = ~uintptr_t{0};
  Bytes* last_bytes_ = nullptr;
  Footprint footprint_;
  size_t last_size_ = 0;
};

}  // namespace assay::simt::checked
