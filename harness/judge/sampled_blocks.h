// The blocks that run of a huge case: first, last, those around 2^31 and 2^32 bytes and elements of each tensor, others
// by the case's seed, and those that should have written what one of these did.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/judge/ownership.h"
#include "harness/simt/runtime/executor.h"
#include "harness/tensor/virtual_tensor.h"

namespace assay::judge {

class SampledBlocks : public simt::BlockSample {
 public:
  // `ended` is called for each block that has run, while memory is as it left it; then memory is as before the run.
  // `suspects` names further blocks, once all others have run.
  struct Judge {
    std::function<void(const Grid& grid, uint64_t block)> ended;
    std::function<std::vector<uint64_t>()> suspects;
  };
  SampledBlocks(std::vector<VirtualTensor>& tensors, uint64_t seed, Judge judge)
      : tensors_(tensors), seed_(seed), judge_(std::move(judge)) {}

  std::optional<uint64_t> next(const simt::Launch& shape) override;
  void refused(const simt::Launch& shape) override;

  int64_t blocks() const { return std::ssize(chosen_) - std::ssize(queue_); }  // that have run
  const Grid& grid() const { return grid_; }
  const std::string& refusal() const { return refusal_; }  // why the case cannot be sampled; "" where it can

 private:
  void begin(const simt::Launch& shape);
  void end_block();
  void choose();
  void choose_at(double part);
  void add(uint64_t block);

  std::vector<VirtualTensor>& tensors_;
  uint64_t seed_;
  Judge judge_;
  Grid grid_;
  int launches_ = 0;
  bool is_running_ = false, has_suspects_ = false;
  std::optional<uint64_t> running_;  // the block
  std::set<uint64_t> chosen_;
  std::deque<uint64_t> queue_;
  int64_t touched_bytes_ = 0;
  std::string refusal_;
};

}  // namespace assay::judge
