// The calls of a program as steps of the clocks.
#include "harness/program/runtime/stream_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/program/runtime/settings.h"
#include "harness/program/runtime/stream_races.h"

namespace assay::program {
namespace {

bool is_following = false;
thread_local DoneWork* now = nullptr;

// The stream on the clocks, from its first work on.
StreamClocks::Stream place_of(cudaStream_t handle) {
  if (is_legacy(handle)) return StreamClocks::kLegacy;
  CUstream_st& stream = stream_of(handle);
  if (!stream.place) stream.place = stream_clocks().add_stream((stream.flags & kStreamNonBlocking) == 0);
  return *stream.place;
}

std::string name_of(cudaStream_t handle) {
  if (is_legacy(handle)) return "the default stream";
  const CUstream_st& stream = stream_of(handle);
  if (stream.number == 0) return "the thread's default stream";
  return fmt::format("stream {}{}", stream.number, (stream.flags & kStreamNonBlocking) != 0 ? " (non-blocking)" : "");
}

template <class Body>
void follow(Body body) {
  if (!is_following) return;
  const std::lock_guard lock(GpuProcess::get().lock());
  body(stream_clocks());
}

}  // namespace

void follow_streams() {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  if (is_following || settings().tools.find("racecheck") == std::string::npos) return;
  is_following = true;
  process.want_footprints();
}

bool follows_streams() { return is_following; }

StreamClocks& stream_clocks() {
  static auto& clocks = *new StreamClocks;
  return clocks;
}

DoneWork* work_now() { return now; }

GivenWork::GivenWork(const char* name, cudaStream_t stream) {
  if (!is_legacy(stream)) follow_streams();  // a thread's own default stream is not made by any call
  follow([&](StreamClocks& clocks) {
    stream_ = place_of(stream);
    Timed given = clocks.give(stream_);
    auto piece = std::make_shared<GivenPiece>();
    piece->moment = given.moment, piece->what = name, piece->stream = name_of(stream), piece->site = call_site();
    work_ =
        std::make_unique<DoneWork>(DoneWork{.piece = std::move(piece), .done = std::move(given.done), .outer = now});
    now = work_.get();
  });
}

GivenWork::~GivenWork() {
  if (work_ == nullptr) return;
  now = work_->outer;
  follow([&](StreamClocks& clocks) {
    clocks.prolong(stream_, work_->done);
    if (work_->exec != nullptr) work_->exec->done = work_->done;
  });
}

void GivenWork::launches(CUgraphExec_st& exec) {
  if (work_ == nullptr) return;
  work_->exec = &exec;
  work_->done.join(exec.done);
}

void GivenNodes::begin(const CUgraphNode_st& node) {
  if (now == nullptr) return;
  follow([&](StreamClocks& clocks) {
    DoneWork* whole = now;
    while (whole->outer != nullptr) whole = whole->outer;
    if (whole->exec == nullptr) return;  // its host function launches graphs, which none may do
    if (!std::exchange(has_begun_, true)) begin_ = now->done;
    Clock before = begin_;
    Ended* chained = nullptr;  // the one whose line this goes on with
    for (const CUgraphNode_st* const each : node.dependencies)
      if (const auto found = ended_.find(each); found != ended_.end()) {
        before.join(found->second.done);
        if (!found->second.has_next) chained = &found->second;
      }
    std::vector<uint32_t>& lines = whole->exec->lines;
    if (chained == nullptr && whole->lines == lines.size()) lines.push_back(clocks.take_line());
    const uint32_t line = chained != nullptr ? chained->line : lines[whole->lines++];
    if (chained != nullptr) chained->has_next = true;
    Timed given = clocks.run_node(line, before);
    auto piece = std::make_shared<GivenPiece>(*now->piece);
    piece->moment = given.moment, piece->what = node.name, piece->graph = whole->exec;
    node_ =
        std::make_unique<DoneWork>(DoneWork{.piece = std::move(piece), .done = std::move(given.done), .outer = now});
    now = node_.get();
  });
}

void GivenNodes::end(const CUgraphNode_st& node) {
  if (node_ == nullptr) return;
  now = node_->outer;
  now->done.join(node_->done);
  ended_[&node] = {std::move(node_->done), node_->piece->moment.line};
  node_ = nullptr;
}

TurnsOfBody::TurnsOfBody() : whole_(now) {
  while (whole_ != nullptr && whole_->outer != nullptr) whole_ = whole_->outer;
  if (whole_ != nullptr) begin_ = end_ = whole_->lines;
}

void TurnsOfBody::next() {
  if (whole_ == nullptr) return;
  end_ = std::max(end_, whole_->lines);
  whole_->lines = begin_;
}

// Nodes that run beside this one must have other lines than its body had.
TurnsOfBody::~TurnsOfBody() {
  if (whole_ != nullptr) whole_->lines = std::max(end_, whole_->lines);
}

void host_waits(const Clock& done) {
  follow([&](StreamClocks& clocks) {
    clocks.host_waits(done);
    host_has_waited();
  });
}
void host_waits_for_device() {
  follow([](StreamClocks& clocks) {
    clocks.host_waits_for_all();
    host_has_waited();
  });
}
void host_waits_for_stream(cudaStream_t stream) {
  follow([&](StreamClocks& clocks) {
    clocks.host_waits_for(place_of(stream));
    host_has_waited();
  });
}
void host_waits_for_event(const CUevent_st& event) { host_waits(event.done); }
void host_is_called() {
  if (now != nullptr) host_waits(now->done);
}
void event_is_recorded(CUevent_st& event, cudaStream_t stream) {
  follow([&](StreamClocks& clocks) { event.done = clocks.record(place_of(stream)); });
}
void event_is_recorded_by_work(CUevent_st& event) {
  follow([&](StreamClocks&) {
    if (now != nullptr) event.done = now->done;
  });
}
void stream_waits_for_event(cudaStream_t stream, const CUevent_st& event) {
  follow([&](StreamClocks& clocks) { clocks.wait(place_of(stream), event.done); });
}
void work_waits_for_event(const CUevent_st& event) {
  follow([&](StreamClocks&) {
    if (now != nullptr) now->done.join(event.done);
  });
}
void stream_is_destroyed(CUstream_st& stream) {
  if (!stream.place) return;
  follow([&](StreamClocks& clocks) { clocks.remove_stream(*stream.place); });
}
void graph_is_destroyed(CUgraphExec_st& exec) {
  follow([&](StreamClocks& clocks) {
    for (const uint32_t line : exec.lines) clocks.give_back_line(line);
  });
}

}  // namespace assay::program
