// Blocks that wait for other blocks: all that is theirs is put aside while others run in its place.
//
// Blocks run one after another, on the same stacks and in the same shared memory. A block whose threads only spin, on a
// flag that a block after it sets, say, is taken out of there and comes back to the same addresses for its next turn. A
// launch whose blocks do not wait for each other never comes here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/rng.h"
#include "harness/simt/runtime/async_copies.h"
#include "harness/simt/runtime/named_barriers.h"
#include "harness/simt/runtime/ring.h"

namespace assay::simt {

struct WaitingBlock {
  struct Piece {
    char* at;
    size_t bytes;
  };

  uint64_t number = 0;
  Block block{};
  std::unique_ptr<Ring> ring;
  Fiber* end = nullptr;
  std::vector<Warp> warps;
  std::vector<void*> parked_pc;
  Rng rng{0};
  int watch_returns = 0;
  std::unique_ptr<AsyncCopies> async_copies;
  std::unique_ptr<NamedBarriers> named_barriers;
  std::vector<Piece> pieces;  // of stacks and shared memory
  std::vector<char> memory;   // what they held, one after another

  void keep(const char* begin, const char* end_of_piece);
  void put_back() const;
};

// How many blocks of so many threads a GPU keeps at a time, and so may wait for each other: those of an H100, 132
// multiprocessors with 2048 threads or 32 blocks each.
size_t resident_blocks(uint32_t threads);

}  // namespace assay::simt
