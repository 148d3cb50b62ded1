// From the piece's start along conditions that are the same for all threads, to one that asks for the index.
#include "harness/simt/regions/working.h"

#include "harness/simt/regions/markers.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace assay::regions {
namespace {

using namespace llvm;

class WorkFinder {
 public:
  WorkFinder(IRBuilder<>& builder, Ranges& ranges, const Contexts& contexts, const Ending& ending)
      : builder_(builder), ranges_(ranges), graph_(ranges.graph()), ending_(ending) {
    for (const Slot& slot : contexts.slots)
      if (slot.is_uniform) uniform_.insert(slot.variable);
  }

  std::optional<Working> find() {
    if (ending_.checks_agreement) return {};
    const Part part = from(graph_.start(), 0);
    if (!index_ || part == all()) return {};
    return Working{*index_ == kNumber, part.begin, part.end, needs_one_ || ending_.is_recorded};
  }

 private:
  static constexpr int kX = 0, kNumber = 3;

  struct Part {
    Value *begin, *end;
    bool operator==(const Part&) const = default;
  };
  Part all() { return {builder_.getInt64(0), builder_.getInt64(INT64_MAX)}; }

  // Those that have work from here on.
  Part from(const BasicBlock* block, unsigned depth) {
    constexpr unsigned kDeepest = 8;
    const auto* const branch = dyn_cast<BranchInst>(block->getTerminator());
    const auto after = graph_.successors(block);
    if (depth > kDeepest || branch == nullptr || after.empty() || !is_same_for_all(*block)) return all();
    if (!branch->isConditional()) return from(after[0], depth + 1);
    if (Value* const condition = ranges_.known(branch->getCondition(), 0)) {
      const Part first = from(after[0], depth + 1), second = from(after[1], depth + 1);
      const auto choose = [&](Value* a, Value* b) { return a == b ? a : builder_.CreateSelect(condition, a, b); };
      return {choose(first.begin, second.begin), choose(first.end, second.end)};
    }
    const auto* const comparison = dyn_cast<ICmpInst>(branch->getCondition());
    const int index = comparison == nullptr ? -1 : index_of_thread(comparison->getOperand(0));
    Value* const bound = index < 0 ? nullptr : ranges_.known(comparison->getOperand(1), 0);
    if ((index != kX && index != kNumber) || index_.value_or(index) != index || bound == nullptr) return all();
    const bool first_is_idle = is_idle(after[0], after[1]);
    if (!first_is_idle && !is_idle(after[1], after[0])) return all();
    const CmpInst::Predicate predicate = first_is_idle ? comparison->getInversePredicate() : comparison->getPredicate();
    // As an unsigned number a negative bound is above all indices.
    const bool is_signed = predicate == CmpInst::ICMP_SLT;
    Value* const end = is_signed ? builder_.CreateSExt(bound, builder_.getInt64Ty())
                                 : builder_.CreateZExt(bound, builder_.getInt64Ty());
    if (predicate != CmpInst::ICMP_EQ && predicate != CmpInst::ICMP_ULT && !is_signed) return all();
    index_ = index;
    if (predicate == CmpInst::ICMP_EQ) return {end, builder_.CreateAdd(end, builder_.getInt64(1))};
    return {builder_.getInt64(0), end};
  }

  bool is_idle(const BasicBlock* way, const BasicBlock* other) const {
    const BasicBlock* const end = end_of_idle_way(way);
    return end != nullptr && (!ending_.is_recorded || all_ways_end_at(other, end));
  }

  bool is_same_for_all(const BasicBlock& block) {
    for (const Instruction& i : block) {
      if (!i.mayHaveSideEffects()) continue;
      const auto* const store = dyn_cast<StoreInst>(&i);
      if (store == nullptr || !uniform_.contains(store->getPointerOperand())) return false;
      needs_one_ = true;
    }
    return true;
  }

  // The block at which a way ends on which nothing happens; nullptr: something does.
  const BasicBlock* end_of_idle_way(const BasicBlock* block) const {
    SmallPtrSet<const BasicBlock*, 8> seen;
    while (seen.insert(block).second) {
      const bool ends = graph_.ends_at_point(block);
      const Instruction* const last = ends ? block->getTerminator()->getPrevNode() : block->getTerminator();
      for (const Instruction& i : *block) {
        if (&i == last) break;
        if (i.mayHaveSideEffects()) return nullptr;
      }
      if (ends || (isa<ReturnInst>(block->getTerminator()) && !ending_.marks_returned)) return block;
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
  const Ending& ending_;
  std::optional<int> index_;
  bool needs_one_ = false;
};

}  // namespace

std::optional<Working> working_threads(IRBuilder<>& builder, Ranges& ranges, const Contexts& contexts,
                                       const Ending& ending) {
  return WorkFinder(builder, ranges, contexts, ending).find();
}

}  // namespace assay::regions
