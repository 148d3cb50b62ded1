// Which work of a device is done before which other, by CUDA's rules on streams, events and the host.
//
// Work is numbered along lines: a stream is one, and so is a chain of nodes of a graph. A clock says of each line how
// many of its pieces of work are done. A piece of work comes with the clock of what is done before it begins, so it
// comes after another where its clock covers that one's moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::program {

// A piece of work on its line; the first has number 1.
struct Moment {
  uint32_t line = 0, number = 0;
};

class Clock {
 public:
  bool covers(const Moment& moment) const { return at(moment.line) >= moment.number; }
  uint32_t at(uint32_t line) const { return line < done_.size() ? done_[line] : 0; }
  // It covers all that the other covers, too.
  void join(const Clock& other);
  void add(const Moment& moment);

 private:
  std::vector<uint32_t> done_;  // by line
};

// A piece of work, and what is done when it is: all before it, and itself.
struct Timed {
  Moment moment;
  Clock done;
};

class StreamClocks {
 public:
  using Stream = size_t;
  static constexpr Stream kLegacy = 0;  // the default stream that blocking streams wait for, and that waits for them

  // `blocks`: it was not made with cudaStreamNonBlocking.
  Stream add_stream(bool blocks);
  // Nothing is given to the stream any more; what it has been given goes on.
  void remove_stream(Stream stream);

  // The host gives work to a stream.
  Timed give(Stream stream);
  // The clock at which all is done that the stream has been given; an event stands for it.
  Clock record(Stream stream);
  // Work that the stream is given from now on waits for that.
  void wait(Stream stream, const Clock& done);
  // The stream's last work is done when that is: a graph that it was given.
  void prolong(Stream stream, const Clock& done);

  // The host waits, or learns that something is done.
  void host_waits(const Clock& done) { host_.join(done); }
  void host_waits_for(Stream stream) { host_.join(record(stream)); }
  void host_waits_for_all() { host_.join(all_); }
  // All that the host knows to be done, so that it is done before all work to come.
  const Clock& host() const { return host_; }

  // Lines for nodes of graphs: work that one stream is given at once, and does in another order.
  uint32_t take_line();
  void give_back_line(uint32_t line) { unused_.push_back(line); }
  // A node that begins when `before` is done.
  Timed run_node(uint32_t line, const Clock& before);

 private:
  struct Line {
    bool blocks = false;
    uint32_t line = 0;
    Clock done;  // when all of it is
  };
  std::vector<Line> streams_ = {Line{.blocks = true, .line = 0, .done = {}}};
  std::vector<uint32_t> last_ = {0};  // by line: the number of its last piece of work
  std::vector<uint32_t> unused_;      // lines that nothing is added to
  std::vector<Stream> removed_;
  Clock host_, all_, blocking_;  // `blocking_`: all that was given to streams that wait for the legacy one
};

}  // namespace assay::program
