// The shadow's cells as records of the past, and how an access becomes part of it.
//
// word_records.cpp has cells as two records, half_records.cpp cells as two halves. Nothing here judges: history() says
// what came before an access, note() adds the access. Bits are in shadow.h.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/simt/checked/arena.h"
#include "harness/simt/checked/listener.h"
#include "harness/simt/checked/timeline.h"

namespace assay::simt::checked {

class Records {
 public:
  Records(const Arena& arena, const Timeline& time) : arena_(arena), time_(time) {}

  void begin_launch() { half_sites_.assign(1, nullptr); }

  // Whether the past cannot make this access wrong, whoever it was: most atomics, and whole words that come the long
  // way.
  bool settled(const Now& now, const Cell& cell) const;
  History history(const Now& now, const Cell& cell) const;
  void note(const Now& now, Cell& cell) const;
  // Whether the cell's reads are of one thread, which a read of this one would make several.
  bool drops_reader(const Now& now, const Cell& cell) const;
  uint64_t record(const Now& now) const;

  void split(const Now& now, Cell& cell);
  void unite(const Now& now, Cell& cell) const;
  Half half(const Now& now, uint64_t word) const;  // as this access finds it
  History history(const Now& now, const Half& half, uint32_t byte_mask) const;
  uint64_t note(const Now& now, Half half, uint32_t byte_mask);

  // Records keep the low bits of a return address; the rest is that of the access that found it.
  static const void* pc_of(const Now& now, uint64_t site);

 private:
  bool is_uninitialised(const Now& now, uint64_t write) const;
  uint64_t merged(const Now& now, uint64_t old, uint64_t mine) const;
  uint32_t site_number(const void* pc);

  const Arena& arena_;
  const Timeline& time_;
  std::vector<const void*> half_sites_ = {nullptr};
};

}  // namespace assay::simt::checked
