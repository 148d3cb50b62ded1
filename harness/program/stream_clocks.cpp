// The rules, one for each call.
#include "harness/program/stream_clocks.h"

#include <algorithm>

namespace assay::program {

void Clock::join(const Clock& other) {
  if (done_.size() < other.done_.size()) done_.resize(other.done_.size());
  for (size_t line = 0; line < other.done_.size(); ++line) done_[line] = std::max(done_[line], other.done_[line]);
}

void Clock::add(const Moment& moment) {
  if (done_.size() <= moment.line) done_.resize(moment.line + 1);
  done_[moment.line] = std::max(done_[moment.line], moment.number);
}

StreamClocks::Stream StreamClocks::add_stream(bool blocks) {
  const Line made{.blocks = blocks, .line = take_line(), .done = {}};
  if (removed_.empty()) {
    streams_.push_back(made);
    return streams_.size() - 1;
  }
  const Stream stream = removed_.back();
  removed_.pop_back();
  streams_[stream] = made;
  return stream;
}

void StreamClocks::remove_stream(Stream stream) {
  give_back_line(streams_[stream].line);
  removed_.push_back(stream);
}

Clock StreamClocks::record(Stream stream) {
  Line& line = streams_[stream];
  if (stream == kLegacy) line.done.join(blocking_);
  if (stream != kLegacy && line.blocks) line.done.join(streams_[kLegacy].done);
  line.done.join(host_);
  return line.done;
}

void StreamClocks::wait(Stream stream, const Clock& done) {
  streams_[stream].done.join(done);
  if (streams_[stream].blocks) blocking_.join(done);
}

void StreamClocks::prolong(Stream stream, const Clock& done) {
  wait(stream, done);
  all_.join(done);
}

Timed StreamClocks::give(Stream stream) {
  const uint32_t line = streams_[stream].line;
  Timed given{.moment = {line, ++last_[line]}, .done = record(stream)};
  given.done.add(given.moment);
  prolong(stream, given.done);
  return given;
}

// Work on a line that others have used comes after theirs in its numbers, so the host must know theirs to be done.
uint32_t StreamClocks::take_line() {
  const auto free = std::ranges::find_if(unused_, [this](uint32_t line) { return host_.at(line) >= last_[line]; });
  if (free != unused_.end()) {
    const uint32_t line = *free;
    unused_.erase(free);
    return line;
  }
  last_.push_back(0);
  return static_cast<uint32_t>(last_.size() - 1);
}

Timed StreamClocks::run_node(uint32_t line, const Clock& before) {
  Timed given{.moment = {line, ++last_[line]}, .done = before};
  given.done.add(given.moment);
  return given;
}

}  // namespace assay::program
