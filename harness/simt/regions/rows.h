// Writes of a piece of which it is known before the loop which words each thread writes: in each turn of at most one
// loop, neighbouring threads write neighbouring elements, from the segment's first thread up to some thread.
//
//   out[row * cols + i], i = threadIdx.x; i < cols; i += blockDim.x     tile[threadIdx.y + step][threadIdx.x]
//
// Their cells are looked at and written row by row in front of the loop over threads, as the threads would do it. So
// are those of words that are read and leave no mark, which may lie at any distance: tile[threadIdx.x][threadIdx.y +
// step].
#pragma once

#include "harness/simt/regions/ranges.h"

namespace assay::regions {

// The segment that a loop runs for: its first thread, and how many there are. Numbers of 64 bits.
struct Segment64 {
  llvm::Value *x, *y, *z, *linear, *count;
};

// For a segment, element j of row k lies at first + k * pitch + j * stride; rows are of
// min(count, end - k * shrinks) elements.
struct Rows {
  llvm::Value *first, *pitch, *count, *elements, *end, *shrinks;
  llvm::Value* holds;  // i1: whether this is so
  int64_t stride;
};

class RowFinder {
 public:
  RowFinder(llvm::IRBuilder<>& builder, Ranges& ranges, const Segment64& segment)
      : builder_(builder), ranges_(ranges), graph_(ranges.graph()), segment_(segment) {}

  // Nothing: it cannot be told.
  std::optional<Rows> of(llvm::Value* address, const llvm::BasicBlock* block);

 private:
  // first + j * of_thread + k * of_turn, in turn k by thread j of the segment.
  struct Affine {
    llvm::Value* first;
    int64_t of_thread;
    llvm::Value* of_turn;
  };
  using Found = std::optional<Affine>;

  Found affine(llvm::Value* value, unsigned depth);
  Found of_lane(const llvm::BinaryOperator& operation);
  Found of_loop(const llvm::PHINode& phi, unsigned depth);
  bool find_loop(const llvm::BasicBlock* block);
  bool walk(const llvm::BasicBlock* from, const llvm::BasicBlock* to, bool in_turn);
  const llvm::BasicBlock* behind(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;
  enum class When { before, in_turn, after_turn };
  bool add(Condition condition, const llvm::BasicBlock* at, When when);
  bool limit(const Affine& value, llvm::Value* end, bool after_turn);
  void require(llvm::Value* condition) { rows_.holds = ranges_.both(rows_.holds, condition); }
  llvm::ConstantInt* number(int64_t value) { return builder_.getInt64(static_cast<uint64_t>(value)); }

  llvm::IRBuilder<>& builder_;
  Ranges& ranges_;
  PieceGraph& graph_;
  const Segment64& segment_;
  const llvm::BasicBlock *header_ = nullptr, *latch_ = nullptr;
  Rows rows_{};
};

}  // namespace assay::regions
