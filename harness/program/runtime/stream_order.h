// The order of the work that the host gives to the device: streams, events, edges of graphs, and calls that wait.
//
// Every call is done when it returns, so what is followed is not when work was done but what CUDA promises of it
// (stream_clocks.h). Following begins with the first stream, asynchronous copy or graph of a program: where all is done
// by the default stream, all is in order. These functions take the process's lock, and do nothing before that.
#pragma once

#include <memory>
#include <string>

#include "harness/program/memory_past.h"
#include "harness/program/runtime/graph.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/streams.h"

namespace assay::program {

// A piece of work as findings name it.
struct GivenPiece : PieceOfWork {
  std::string what = {};    // "cudaMemcpyAsync", "kernel scale(float*, int) of launch 3"
  std::string stream = {};  // "stream 1"
  CallSite site = {};
  Called called = Called::directly;
  const CUgraphExec_st* graph = nullptr;  // of which it is a node
  bool may_outlast_call = false;          // though the call is no asynchronous one
  bool tells_host = false;                // by its atomics, if it is a launch
  Clock done = {};                        // when it is, if it is a launch
};

// The work that a thread of the host is doing.
struct DoneWork {
  std::shared_ptr<GivenPiece> piece;
  Clock done = {};                 // when it is
  DoneWork* outer = nullptr;       // of which it is a part
  CUgraphExec_st* exec = nullptr;  // the graph that it is
  size_t lines = 0;                // of that graph, that nodes have now
};

// Streams are followed from now on, where races are looked for.
void follow_streams();
// Whether they are.
bool follows_streams();
// Those of this process; the caller holds its lock.
StreamClocks& stream_clocks();
// The work that the calling thread is doing; null: no work that a stream was given.
DoneWork* work_now();

// The host gives work to a stream, and what the thread does while this lives is that work.
class GivenWork {
 public:
  GivenWork(const char* name, cudaStream_t stream);
  ~GivenWork();
  GivenWork(const GivenWork&) = delete;
  GivenWork& operator=(const GivenWork&) = delete;
  // It is a launch of the graph, which comes after earlier ones.
  void launches(CUgraphExec_st& exec);

 private:
  std::unique_ptr<DoneWork> work_ = {};
  StreamClocks::Stream stream_ = 0;
};

// The thread runs the nodes of a graph, as a part of the work that it does.
class GivenNodes {
 public:
  // A node begins: what the thread does is that node until it ends.
  void begin(const CUgraphNode_st& node);
  void end(const CUgraphNode_st& node);

 private:
  struct Ended {
    Clock done;
    uint32_t line;
    bool has_next = false;  // on its line
  };
  std::map<const CUgraphNode_st*, Ended> ended_ = {};
  std::unique_ptr<DoneWork> node_ = {};
  Clock begin_ = {};
  bool has_begun_ = false;
};

// The thread runs the body of a conditional node, maybe many times: each turn comes behind all of the one before, so
// that its nodes have the same lines.
class TurnsOfBody {
 public:
  TurnsOfBody();
  ~TurnsOfBody();
  TurnsOfBody(const TurnsOfBody&) = delete;
  TurnsOfBody& operator=(const TurnsOfBody&) = delete;
  void next();

 private:
  DoneWork* whole_ = nullptr;
  size_t begin_ = 0, end_ = 0;
};

// The host waits for what that was given, or learns that it is done.
void host_waits(const Clock& done);
void host_waits_for_device();
void host_waits_for_stream(cudaStream_t stream);
void host_waits_for_event(const CUevent_st& event);
// The thread's work calls a function of the host, which may tell other threads that it has come so far.
void host_is_called();
// An event stands for what its stream was given so far, or for the thread's work.
void event_is_recorded(CUevent_st& event, cudaStream_t stream);
void event_is_recorded_by_work(CUevent_st& event);
// All that comes behind it in the stream, or in the work, waits for the event.
void stream_waits_for_event(cudaStream_t stream, const CUevent_st& event);
void work_waits_for_event(const CUevent_st& event);
// Their lines may be used by others.
void stream_is_destroyed(CUstream_st& stream);
void graph_is_destroyed(CUgraphExec_st& exec);

}  // namespace assay::program
