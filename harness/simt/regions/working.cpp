// From the piece's start along conditions that are the same for all threads, to one that asks for the index.
#include "harness/simt/regions/working.h"

#include "harness/simt/regions/markers.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace assay::regions {
namespace {

using namespace llvm;

class Finder {
 public:
  Finder(IRBuilder<>& builder, Ranges& ranges, const Contexts& contexts)
      : builder_(builder), ranges_(ranges), graph_(ranges.graph()) {
    for (const Slot& slot : contexts.slots)
      if (slot.is_uniform) uniform_.insert(slot.variable);
  }

  std::optional<Working> find() {
    Value* const end = from(graph_.start(), 0);
    if (!index_ || end == all()) return {};
    return Working{*index_ == kNumber, end};
  }

 private:
  static constexpr int kX = 0, kNumber = 3;

  Value* all() { return builder_.getInt64(INT64_MAX); }

  // The end of those that have work from here on.
  Value* from(const BasicBlock* block, unsigned depth) {
    constexpr unsigned kDeepest = 8;
    const auto* const branch = dyn_cast<BranchInst>(block->getTerminator());
    const auto after = graph_.successors(block);
    if (depth > kDeepest || branch == nullptr || after.empty() || !is_same_for_all(*block)) return all();
    if (!branch->isConditional()) return from(after[0], depth + 1);
    if (Value* const condition = ranges_.known(branch->getCondition(), 0)) {
      Value *const first = from(after[0], depth + 1), *const second = from(after[1], depth + 1);
      return first == second ? first : builder_.CreateSelect(condition, first, second);
    }
    const auto* const comparison = dyn_cast<ICmpInst>(branch->getCondition());
    const int index = comparison == nullptr ? -1 : index_of_thread(comparison->getOperand(0));
    Value* const bound = index < 0 ? nullptr : ranges_.known(comparison->getOperand(1), 0);
    if ((index != kX && index != kNumber) || index_.value_or(index) != index || bound == nullptr) return all();
    const CmpInst::Predicate predicate = comparison->getPredicate();
    const bool is_below = predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_ULT;
    if (!is_below && predicate != CmpInst::ICMP_SGE && predicate != CmpInst::ICMP_UGE) return all();
    const BasicBlock* const idle_end = end_of_idle_way(after[is_below ? 1 : 0]);
    if (idle_end == nullptr || !all_ways_end_at(after[is_below ? 0 : 1], idle_end)) return all();
    index_ = index;
    // As an unsigned number a negative bound is above all indices.
    const bool is_signed = predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_SGE;
    return is_signed ? builder_.CreateSExt(bound, builder_.getInt64Ty())
                     : builder_.CreateZExt(bound, builder_.getInt64Ty());
  }

  bool is_same_for_all(const BasicBlock& block) const {
    return none_of(block, [&](const Instruction& i) {
      const auto* const store = dyn_cast<StoreInst>(&i);
      return i.mayHaveSideEffects() && (store == nullptr || !uniform_.contains(store->getPointerOperand()));
    });
  }

  // The block at which a way ends on which nothing happens; nullptr: something does, or the thread returns.
  const BasicBlock* end_of_idle_way(const BasicBlock* block) const {
    SmallPtrSet<const BasicBlock*, 8> seen;
    while (seen.insert(block).second) {
      const bool ends = graph_.ends_at_point(block);
      const Instruction* const last = ends ? block->getTerminator()->getPrevNode() : block->getTerminator();
      for (const Instruction& i : *block) {
        if (&i == last) break;
        if (i.mayHaveSideEffects()) return nullptr;
      }
      if (ends) return block;
      const auto after = graph_.successors(block);
      if (after.size() != 1) return nullptr;
      block = after[0];
    }
    return nullptr;
  }

  bool all_ways_end_at(const BasicBlock* from, const BasicBlock* end) const {
    SmallVector<const BasicBlock*> todo = {from};
    SmallPtrSet<const BasicBlock*, 16> seen;
    while (!todo.empty()) {
      const BasicBlock* const block = todo.pop_back_val();
      if (!seen.insert(block).second) continue;
      const auto after = graph_.successors(block);
      if (after.empty() && block != end) return false;
      todo.append(after.begin(), after.end());
    }
    return true;
  }

  IRBuilder<>& builder_;
  Ranges& ranges_;
  PieceGraph& graph_;
  SmallPtrSet<const Value*, 8> uniform_;
  std::optional<int> index_;
};

}  // namespace

std::optional<Working> working_threads(IRBuilder<>& builder, Ranges& ranges, const Contexts& contexts) {
  return Finder(builder, ranges, contexts).find();
}

}  // namespace assay::regions
