// The cost of one request to a GPU's memory system: the figures of a single execution of an access by the lanes of a
// warp.
//
// Sectors follow the CUDA C++ Programming Guide's device memory accesses of compute capability 6.0 and up; banks follow
// its shared memory of compute capability 5.0 and up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay::simt::checked {

struct LaneAccess {
  uint32_t lane = 0;
  uintptr_t address = 0;
  uint32_t bytes = 0;
};

// One thread's, because it keeps its scratch memory from request to request.
class RequestFigures {
 public:
  using Request = std::span<const LaneAccess>;

  struct Sectors {
    int64_t touched = 0;  // distinct sectors of 32 bytes
    int64_t ideal = 0;    // as many as the distinct bytes would fill; a broadcast needs no more than one
  };
  Sectors sectors(Request request);

  // The most distinct 4-byte words that lie in one of the 32 banks; 1: no conflict. Lanes that read one word share it.
  // A bank gives 4 bytes at a time, so a warp's accesses of 8 bytes are served by halves, of 16 by quarters: the degree
  // is that of the worst part.
  int64_t bank_conflict_degree(Request request);

  // The most lanes that hit one address.
  int64_t contention(Request request);

 private:
  struct Piece {
    uintptr_t sector;
    uint32_t bytes;  // which of its bytes, one bit each
  };
  int64_t degree_of_words();

  std::vector<Piece> pieces_;
  std::vector<uintptr_t> words_;
};

}  // namespace assay::simt::checked
