// Outputs of a composite's step that no later step takes. A composite's references run in full, since what one leaves
// out the next cannot compute with; these may be samples all the same, as those of the step's own judge are. Gradients
// of weights are most of a layer's backward, and nobody takes them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/op/reference.h"

namespace assay {

// For as long as the object lives, rows_of() takes samples of these tensors beyond `flops_max` operations.
class LastOutputs {
 public:
  LastOutputs(std::set<std::string, std::less<>> tensors, double flops_max)
      : tensors_(std::move(tensors)), flops_max_(flops_max), outer_(std::exchange(current_, this)) {}
  ~LastOutputs() { current_ = outer_; }
  LastOutputs(const LastOutputs&) = delete;
  LastOutputs& operator=(const LastOutputs&) = delete;

  // How much work a reference does in full for these tensors together.
  static double flops_max(std::initializer_list<std::string_view> of) {
    const bool all_last = current_ && std::all_of(of.begin(), of.end(), [](std::string_view tensor) {
                            return current_->tensors_.contains(tensor);
                          });
    return all_last ? current_->flops_max_ : reference_flops_max;
  }

 private:
  inline static thread_local const LastOutputs* current_ = nullptr;
  const std::set<std::string, std::less<>> tensors_;
  const double flops_max_;
  const LastOutputs* const outer_;
};

// ReferenceIo::rows() of these tensors, for a reference that computes others by other rows.
template <class S>
std::vector<int64_t> rows_of(ReferenceIo<S>& io, std::initializer_list<std::string_view> tensors, int64_t count,
                             double flops) {
  const double usual = std::exchange(reference_flops_max, LastOutputs::flops_max(tensors));
  std::vector<int64_t> rows = io.rows(count, flops);
  reference_flops_max = usual;
  return rows;
}

}  // namespace assay
