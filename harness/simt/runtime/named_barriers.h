// The barriers of a block that threads come to one by one, by number. The block's own barrier is none of them: it is
// the ring's (scheduler.cpp), and far cheaper.
#pragma once

#include <array>
#include <cstdint>

#include "harness/simt/runtime/executor.h"
#include "harness/simt/runtime/ring.h"

namespace assay::simt {

struct NamedBarriers {
  struct Barrier {
    uint32_t threads = 0;                       // that open it; 0: all of the block
    uint32_t arrived = 0, opened = 0;           // threads of whole warps; how often
    std::array<uint32_t, kWarpsMax> came{};     // lanes of warps that have not come as a whole
    std::array<uint32_t, 2> votes{}, result{};  // by what was voted
  };
  static constexpr uint32_t kCount = 16;  // that kernels name
  // Behind them come those of cooperative groups' tiles: 16 of 64 threads, 8 of 128, 4 of 256 and 2 of 512.
  static constexpr uint32_t kAll = kCount + 30;

  std::array<Barrier, kAll> all{};
  struct Waiting {
    uint8_t barrier = kAll;  // kAll: at none
    const void* pc = nullptr;
  };
  std::array<Waiting, kThreadsMax> waiting{};

  void begin_block() { *this = {}; }
};

}  // namespace assay::simt
