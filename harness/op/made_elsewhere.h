// Tensors whose data a GPU makes itself: make_tensors leaves them empty and says what they hold.
//
// To fill and to send a tensor takes the host longer than all kernels of its case. Where nobody reads it on the host,
// both can be left out: every element is a function of a counter (tensor/counter.h), with the same bits on either side.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

// The fill whose values are those of normal_at() as they are, rounded to the tensor's dtype.
inline constexpr std::string_view kMadeElsewhere = "normal";

// While one lives, make_tensors leaves the bytes of such tensors and of outputs unspecified, and notes them here.
// Tensors from which others are derived must be there: it is only for ops that derive none.
class MadeElsewhere {
 public:
  MadeElsewhere() : outer_(std::exchange(current_, this)) {}
  ~MadeElsewhere() { current_ = outer_; }
  MadeElsewhere(const MadeElsewhere&) = delete;
  MadeElsewhere& operator=(const MadeElsewhere&) = delete;

  static MadeElsewhere* current() { return current_; }

  std::map<std::string, uint64_t> counters;  // by tensor: its element i is normal_at(counter, i)
  std::set<std::string> outputs;             // to be poisoned

 private:
  inline static thread_local MadeElsewhere* current_ = nullptr;
  MadeElsewhere* outer_;
};

}  // namespace assay
