// Finds what values of a piece may be, over all threads of a loop: intervals, by code in front of the loop that
// computes them from what is known there.
//
// The arithmetic is that of unbounded numbers: where the kernel's may wrap, the code says so when it runs, and nothing
// is known. So an interval that holds has all values that a thread computes, however it gets there.
#pragma once

#include <array>
#include <optional>

#include "harness/simt/regions/contexts.h"
#include "harness/simt/regions/piece_graph.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace assay::regions {

using SlotValues = llvm::DenseMap<const llvm::AllocaInst*, llvm::Value*>;  // by Slot::variable

// Signed numbers of 64 bits. Addresses are numbers, too.
struct Range {
  llvm::Value *least, *most;  // both included
  llvm::Value* some;          // one of the values, as far as its last bits go:
  unsigned alike = 0;         // in so many all are the same
  llvm::Value* holds;         // i1: whether this is so
  bool is_single() const { return least == most; }
};

class Ranges {
 public:
  // `builder` stands in front of the loop, where the slots' values are `before`; threads are x, y, z, and number.
  Ranges(llvm::IRBuilder<>& builder, const Point& point, const Pieces& pieces, const llvm::BasicBlock* prologue,
         const SlotValues& before, std::array<Range, 4> threads);

  // Nothing: it cannot be told.
  std::optional<Range> of(llvm::Value* value, Place at);
  Range single(llvm::Value* value);
  Range between(llvm::Value* least, llvm::Value* most);
  llvm::Value* both(llvm::Value* a, llvm::Value* b);  // and of conditions, without those that are constant
  PieceGraph& graph() { return graph_; }
  // Whether what of() gave is that of unbounded numbers, and not a condition's word alone.
  bool is_exact(const llvm::Value* value) const { return !inexact_.contains(value); }
  // The value in front of the loop, where it is the same for all threads; nullptr: it is not, or cannot be had there.
  llvm::Value* known(llvm::Value* value, unsigned depth);
  // Finds what a load of a slot loads if this thread has stored it in this piece. A slot is one value of the thread's
  // code, which is stored where it was computed. And a phi in a block that the piece has one way to; other values are
  // themselves.
  const llvm::Value* stored(const llvm::Value* value) const;
  llvm::Value* wide(llvm::Value* value);

 private:
  using Found = std::optional<Range>;
  Found compute(llvm::Value* value, Place at);
  Found of_operation(llvm::BinaryOperator& operation, Place at);
  Found of_cast(llvm::CastInst& cast, Place at);
  Found of_call(llvm::IntrinsicInst& call, Place at);
  Found of_phi(llvm::PHINode& phi);
  Found of_loop(llvm::PHINode& phi, Range start, llvm::ArrayRef<unsigned> turns);
  Found of_address(llvm::GEPOperator& address, Place at);
  Found multiplied(const Range& a, const Range& b);
  Found divided(const Range& a, llvm::Value* divisor, bool remainder);
  Range added(const Range& a, const Range& b);
  Range joined(const Range& a, const Range& b);
  Range fitted(Range range, const llvm::Type* type);

  struct Bounds {
    llvm::Value *least = nullptr, *most = nullptr, *holds = nullptr;
  };
  Bounds bounds(const llvm::Value* value, Place at);
  void bound(const llvm::Value* value, const llvm::CmpInst& comparison, bool is_true, Place at, Bounds& found);
  llvm::Value* most_before(const llvm::PHINode& phi, const llvm::Value* next, const Range& start, Place turn,
                           llvm::Value* step, llvm::Value*& holds);

  unsigned zeros_of(const llvm::Value* value) const;  // last bits that are 0
  llvm::Value* slot_before(const llvm::LoadInst& load) const;
  llvm::Value* exactly(llvm::Intrinsic::ID with_overflow, llvm::Value* a, llvm::Value* b, llvm::Value*& holds);
  llvm::Value* smaller(llvm::Value* a, llvm::Value* b);
  llvm::Value* larger(llvm::Value* a, llvm::Value* b);
  llvm::ConstantInt* number(int64_t value) { return builder_.getInt64(static_cast<uint64_t>(value)); }

  llvm::IRBuilder<>& builder_;
  PieceGraph graph_;
  const Point& point_;
  const llvm::BasicBlock* prologue_;
  const SlotValues& before_;
  std::array<Range, 4> threads_;
  std::map<std::pair<const llvm::Value*, Place>, Found> found_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> known_;
  llvm::DenseMap<const llvm::Value*, bool> in_progress_;
  llvm::DenseSet<const llvm::Value*> inexact_;
};

}  // namespace assay::regions
