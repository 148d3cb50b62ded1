// A block's number is taken for its place in the tensors, x first and x last: where neither is so, the suspects and the
// random ones are left.
#include "harness/judge/sampled_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/rng.h"

namespace assay::judge {
namespace {

constexpr int kRandomBlocks = 16;
constexpr size_t kBlocksMost = 200;
// Memory that all blocks together may touch: some seconds of filling and comparing it.
constexpr int64_t kTouchedMost = int64_t{1} << 29;

}  // namespace

std::optional<uint64_t> SampledBlocks::next(const simt::Launch& shape) {
  if (!refusal_.empty()) return std::nullopt;
  if (!is_running_) begin(shape);
  if (running_) end_block();
  if (queue_.empty() && !has_suspects_ && refusal_.empty()) {
    has_suspects_ = true;
    for (const uint64_t block : judge_.suspects()) add(block);
  }
  if (queue_.empty() || touched_bytes_ > kTouchedMost || !refusal_.empty()) {
    is_running_ = false;
    return std::nullopt;
  }
  running_ = queue_.front();
  queue_.pop_front();
  return running_;
}

// A grid is too large for a GPU where rows are many, and the kernel is for fewer. More blocks than there are elements
// come of a number that has wrapped: that stays a finding.
void SampledBlocks::refused(const simt::Launch& shape) {
  const Grid grid{shape.grid.x, shape.grid.y, shape.grid.z};
  int64_t elements = 0;
  for (const VirtualTensor& tensor : tensors_) elements = std::max(elements, tensor.count());
  if (grid.count() <= static_cast<uint64_t>(elements))
    refusal_ = fmt::format("not sampled: no GPU launches a grid of ({},{},{})", grid.x, grid.y, grid.z);
}

void SampledBlocks::begin(const simt::Launch& shape) {
  is_running_ = true;
  if (++launches_ > 1) {
    refusal_ =
        "not sampled: it launches several kernels, of which each may need what all blocks of the one before made";
    return;
  }
  grid_ = {shape.grid.x, shape.grid.y, shape.grid.z};
  choose();
}

void SampledBlocks::end_block() {
  judge_.ended(grid_, *running_);
  running_.reset();
  for (VirtualTensor& tensor : tensors_) {
    touched_bytes_ += tensor.touched_bytes();
    tensor.forget();
  }
}

void SampledBlocks::choose() {
  // The first along each axis, from which the distances follow at which blocks write.
  for (const uint64_t block : {uint64_t{0}, uint64_t{1}, grid_.x, grid_.x * grid_.y}) add(block);
  add(grid_.count() - 1);
  for (const VirtualTensor& tensor : tensors_) {
    const auto count = static_cast<double>(tensor.count());
    for (const double limit : {0x1p31, 0x1p32})
      for (const double elements : {limit, limit / static_cast<double>(size_of(tensor.base().dtype()))})
        if (elements < count) choose_at(elements / count);
  }
  for (const uint64_t block : {uint64_t{2}, grid_.x - 1, grid_.count() - 2, grid_.count() - grid_.x}) add(block);
  Rng rng = Rng::stream(seed_, "sampled blocks");
  for (int i = 0; i < kRandomBlocks; ++i) add(rng.below(grid_.count()));
}

// Blocks at this part of the grid.
void SampledBlocks::choose_at(double part) {
  const auto at = static_cast<int64_t>(std::floor(part * static_cast<double>(grid_.count())));
  for (const int64_t block : {at, at + 1, at - 1}) add(static_cast<uint64_t>(block));
  if (grid_.x == grid_.count()) return;
  const auto x = static_cast<uint64_t>(part * static_cast<double>(grid_.x));
  for (const uint64_t next : {x, x + 1}) add(grid_.number(next, 0, 0)), add(grid_.number(next, grid_.y - 1, 0));
}

void SampledBlocks::add(uint64_t block) {
  if (block < grid_.count() && chosen_.size() < kBlocksMost && chosen_.insert(block).second) queue_.push_back(block);
}

}  // namespace assay::judge
