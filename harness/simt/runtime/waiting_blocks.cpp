// Putting a block aside, and back.
#include "harness/simt/runtime/waiting_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/simt/include/simt/limits.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

constexpr size_t kBelowStackPointer = 16;  // the frame pointer lies there (ASSAY_SIMT_SUSPEND)

}  // namespace

void WaitingBlock::keep(const char* begin, const char* end_of_piece) {
  if (begin >= end_of_piece) return;
  pieces.push_back({const_cast<char*>(begin), static_cast<size_t>(end_of_piece - begin)});
  memory.insert(memory.end(), begin, end_of_piece);
}

void WaitingBlock::put_back() const {
  const char* from = memory.data();
  for (const Piece& piece : pieces) {
    std::memcpy(piece.at, from, piece.bytes);
    from += piece.bytes;
  }
}

size_t resident_blocks(uint32_t threads) {
  constexpr uint32_t kMultiprocessors = 132, kThreads = 2048, kBlocks = 32;
  return size_t{kMultiprocessors} * std::clamp(kThreads / threads, 1u, kBlocks);
}

void Worker::put_block_aside() {
  WaitingBlock& aside = waiting_.emplace_back();
  aside.number = block_number_;
  aside.block = block;
  aside.warps.assign(warps_.begin(), warps_.begin() + warp_count_);
  aside.end = end_;
  aside.parked_pc.assign(parked_pc_.begin(), parked_pc_.begin() + (end_ - ring_->begin()));
  aside.rng = rng_;
  aside.watch_returns = assay_simt_state.watch_returns;
  aside.async_copies = std::move(async_copies);
  aside.named_barriers = std::move(named_barriers);
  for (const Fiber* fiber = ring_->begin(); fiber != end_; ++fiber) {
    if (is_dead(*fiber)) continue;
    const char* const sp = static_cast<const char*>(fiber->sp);
    const char* const top = stacks.top(stacks.holding(sp));
    aside.keep(sp - kBelowStackPointer, top + sizeof(uint3));  // the label stands at the top
  }
  const Module& module = launch->kernel.module;
  const bool has_dynamic = module.dynamic >= module.shared && module.dynamic < module.shared_end;
  aside.keep(module.shared, has_dynamic ? module.dynamic : module.shared_end);
  if (has_dynamic) {
    aside.keep(module.dynamic, module.dynamic + launch->shape.shared_bytes);
    aside.keep(module.dynamic + kSharedBytesMax, module.shared_end);
  }
  aside.ring = std::exchange(ring_, std::make_unique<Ring>(*image_));
}

// The block that has waited longest.
void Worker::take_block_back() {
  WaitingBlock aside = std::move(waiting_.front());
  waiting_.pop_front();
  block_number_ = aside.number;
  block = aside.block;
  std::copy(aside.warps.begin(), aside.warps.end(), warps_.begin());
  ring_ = std::move(aside.ring);
  end_ = aside.end;
  std::copy(aside.parked_pc.begin(), aside.parked_pc.end(), parked_pc_.begin());
  rng_ = aside.rng;
  assay_simt_state.watch_returns = aside.watch_returns;
  async_copies = std::move(aside.async_copies);
  named_barriers = std::move(aside.named_barriers);
  aside.put_back();
  set_mixed(true);
}

}  // namespace assay::simt
