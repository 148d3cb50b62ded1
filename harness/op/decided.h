// Decisions of the kernel under judgement, for references of ops whose outputs are codes.
//
// A quotient next to a threshold may be rounded to either side, and then another code is right: there is no error to
// hold against a budget. While a Decided lives, a reference asks what the kernel wrote, and decides as it did wherever
// that is right too; everything else it computes as always. An element that then differs from the kernel's output is
// wrong.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "harness/tensor/tensor.h"

namespace assay {

class Decided {
 public:
  explicit Decided(const Tensors& got) : got_(got), outer_(std::exchange(current_, this)) {}
  ~Decided() { current_ = outer_; }
  Decided(const Decided&) = delete;
  Decided& operator=(const Decided&) = delete;

  // The tensor that the kernel wrote; nullptr where nothing is under judgement.
  static const Tensor* written(std::string_view name) {
    if (!current_) return nullptr;
    current_->asked_ = true;
    return &current_->got_.get(name);
  }

  // The number of decisions that were the kernel's, and not those of exact arithmetic.
  static void took(int64_t decisions) {
    if (current_) current_->taken_ += decisions;
  }

  bool asked() const { return asked_; }
  int64_t taken() const { return taken_; }

 private:
  inline static thread_local Decided* current_ = nullptr;
  const Tensors& got_;
  Decided* outer_;
  bool asked_ = false;
  int64_t taken_ = 0;
};

}  // namespace assay
