// Launches that would do again what they have done. Programs that measure themselves launch one kernel hundreds of
// times; here that would take minutes, and show nothing.
//
// The executor is deterministic: a kernel with the same arguments on the same memory does the same. So where a launch
// has left every byte of device memory as it was, the same launch on the same bytes need not run, and neither do its
// findings change. Kernels that print, allocate or look at a clock always run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace assay::program {

// A hash of bytes, to go on from: 8 GB and more a second.
uint64_t hash_of(const void* begin, size_t bytes, uint64_t from);

class RepeatedLaunches {
 public:
  // `clock`: seconds, since when does not matter.
  explicit RepeatedLaunches(std::function<double()> clock) : clock_(std::move(clock)) {}

  // Runs `launch` unless it is known to change nothing. `key`: the kernel, its arguments and its shape; `state`: a hash
  // of all that it may read.
  // False: it did not run.
  bool run(const std::string& key, const std::function<uint64_t()>& state, const std::function<void()>& launch);

  // Whether the launch may be left out from now on, where the bytes are the same.
  bool is_settled(const std::string& key) const;
  // The launch runs at least once more.
  void forget(const std::string& key) { known_.erase(key); }

  uint64_t left_out() const { return left_out_; }

 private:
  double seconds_of(const std::function<void()>& body) const;

  struct Known {
    double seconds = 0;                    // that it ran
    std::optional<uint64_t> settled = {};  // the state that it leaves as it is
  };
  std::function<double()> clock_;
  std::unordered_map<std::string, Known> known_;
  uint64_t left_out_ = 0;
};

}  // namespace assay::program
