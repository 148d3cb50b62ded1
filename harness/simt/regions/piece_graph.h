// The ways through one piece, which is a part of its function: where a thread comes from, and what branches say on all
// ways to a block.
#pragma once

#include <map>
#include <vector>

#include "harness/simt/regions/pieces.h"
#include "llvm/ADT/DenseMap.h"

namespace assay::regions {

// A block, at its begin; or the way from it to the next.
struct Place {
  const llvm::BasicBlock* block;
  const llvm::BasicBlock* next = nullptr;
  auto operator<=>(const Place&) const = default;
};

// A condition, and what it is.
struct Condition {
  const llvm::Value* value;
  bool is_true;
};

class PieceGraph {
 public:
  PieceGraph(const Point& point, const Pieces& pieces);

  const llvm::BasicBlock* start() const { return blocks_.front(); }
  llvm::ArrayRef<const llvm::BasicBlock*> blocks() const { return blocks_; }
  // The next block that all ways to this one lead through; the start's is itself.
  const llvm::BasicBlock* dominator(const llvm::BasicBlock* block) const {
    return blocks_[dominator_[number_.lookup(block)]];
  }
  llvm::SmallVector<const llvm::BasicBlock*, 4> successors(const llvm::BasicBlock* block) const;
  bool ends_at_point(const llvm::BasicBlock* block) const { return pieces_.ending(block) != nullptr; }
  bool contains(const llvm::BasicBlock* block) const { return number_.contains(block); }
  bool dominates(const llvm::BasicBlock* a, const llvm::BasicBlock* b) const;
  // Whether a thread can come from the end of one block to the begin of the other.
  bool reaches(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;
  // Within the piece; its start is come to from outside, too.
  llvm::ArrayRef<const llvm::BasicBlock*> predecessors(const llvm::BasicBlock* block) const;
  const std::vector<Condition>& conditions(Place place);

 private:
  void number_blocks();
  void find_dominators();
  static void add_conditions(const llvm::BasicBlock* from, const llvm::BasicBlock* to, std::vector<Condition>& all);

  const Point& point_;
  const Pieces& pieces_;
  std::vector<const llvm::BasicBlock*> blocks_;  // in an order in which a block follows what dominates it
  llvm::DenseMap<const llvm::BasicBlock*, size_t> number_;
  std::vector<llvm::SmallVector<const llvm::BasicBlock*, 4>> predecessors_;
  std::vector<size_t> dominator_;
  std::map<Place, std::vector<Condition>> known_;
};

}  // namespace assay::regions
