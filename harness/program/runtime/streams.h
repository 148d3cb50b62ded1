// Streams and events as they are in memory.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "harness/program/runtime/abi_graph.h"
#include "harness/program/stream_clocks.h"

namespace assay::program {
struct Capture;
using Nodes = std::vector<CUgraphNode_st*>;
}  // namespace assay::program

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<assay::program::Capture> capture = {};  // that records what the stream is given; null: none does
  assay::program::Nodes tail = {};                        // which the next node of the capture waits for
  unsigned number = 0;                                    // by which findings name it; 0: of no stream that a call made
  std::optional<assay::program::StreamClocks::Stream> place = {};  // on the clocks (stream_order.h)
};
struct CUevent_st {
  std::chrono::steady_clock::time_point recorded = {};
  bool is_recorded = false;
  std::shared_ptr<assay::program::Capture> capture = {};  // in which it was last recorded; null: in none
  assay::program::Nodes nodes = {};                       // of the capture, that it stands for
  assay::program::Clock done = {};                        // when it is (stream_order.h)
};

namespace assay::program {

inline constexpr unsigned kStreamNonBlocking = 1;

// The stream of a handle, of which 0, 1 and 2 stand for streams that are always there: the legacy default stream,
// twice, and the one of the calling thread.
CUstream_st& stream_of(cudaStream_t handle);
// Whether it is the default stream that waits for others.
bool is_legacy(cudaStream_t handle);

// Sets an event's time.
void record_now(CUevent_st& event);

}  // namespace assay::program
