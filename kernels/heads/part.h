// Some heads, rows and lanes of a tensor [heads, rows, lanes], for properties that run a variant on them.
#pragma once

#include <vector>

#include "harness/tensor/tensor.h"

namespace assay::ops::heads {

// Head h of the part is head h / repeats of the whole; rows and lanes are the first ones.
class Part {
 public:
  Part(const std::vector<int64_t>& whole, int64_t heads, int64_t rows, int64_t lanes, int64_t repeats = 1)
      : shape_{heads, rows, lanes} {
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t lane = 0; lane < lanes; ++lane)
          places_.push_back((h / repeats * whole[1] + row) * whole[2] + lane);
  }

  Tensor of(const Tensor& whole) const {
    Tensor part(whole.name(), whole.dtype(), whole.role(), shape_);
    for (size_t i = 0; i < places_.size(); ++i) part.set_bits(static_cast<int64_t>(i), whole.bits(places_[i]));
    return part;
  }
  std::vector<double> of(const std::vector<double>& whole) const {
    std::vector<double> part;
    for (const int64_t place : places_) part.push_back(whole[static_cast<size_t>(place)]);
    return part;
  }

 private:
  std::vector<int64_t> shape_, places_;
};

}  // namespace assay::ops::heads
