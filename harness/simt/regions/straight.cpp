// Which branches are of loops that count by the block's size, and what must hold that the others go one way.
#include "harness/simt/regions/straight.h"

#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/checks.h"
#include "harness/simt/regions/markers.h"
#include "llvm/IR/PatternMatch.h"

namespace assay::regions {
namespace {

using namespace llvm;
using namespace PatternMatch;

class WayFinder {
 public:
  WayFinder(Ranges& ranges, IRBuilder<>& builder) : ranges_(ranges), graph_(ranges.graph()), builder_(builder) {}

  std::optional<Straight> find() {
    if (!is_simple() || !find_loops()) return {};
    found_.holds = builder_.getTrue();
    for (const BasicBlock* block : graph_.blocks()) {
      if (graph_.successors(block).empty()) continue;
      const auto* const branch = dyn_cast<BranchInst>(block->getTerminator());
      if (branch == nullptr) return {};
      if (!branch->isConditional() || is_contained(of_loops_, branch)) continue;
      const auto usual = usually(branch->getCondition(), {block});
      if (!usual) return {};
      found_.ways.push_back({branch, usual->is_true});
      found_.holds = ranges_.both(found_.holds, usual->holds);
    }
    if (found_.ways.empty() && found_.size == nullptr) return {};
    return found_;
  }

 private:
  // Small, and nothing in it is an obstacle to vectors; checks are none once they are settled in front of the loop.
  bool is_simple() const {
    constexpr size_t kInstructionsMax = 120;
    size_t instructions = 0;
    for (const BasicBlock* block : graph_.blocks()) {
      instructions += block->size();
      for (const Instruction& i : *block)
        if (i.isAtomic() || i.isVolatile() ||
            (isa<CallBase>(i) && !isa<IntrinsicInst>(i) && !is_end(i) && !is_check(i)))
          return false;
    }
    return instructions <= kInstructionsMax;
  }
  bool is_end(const Instruction& i) const {
    return graph_.ends_at_point(i.getParent()) && &i == i.getParent()->getTerminator()->getPrevNode();
  }

  // False: one of the piece's loops is of another kind.
  bool find_loops() {
    for (const BasicBlock* header : graph_.blocks()) {
      const BasicBlock* latch = nullptr;
      for (const BasicBlock* from : graph_.predecessors(header)) {
        if (!graph_.dominates(header, from)) continue;
        if (std::exchange(latch, from) != nullptr) return false;
      }
      if (latch != nullptr && !add_loop(header, latch)) return false;
    }
    return true;
  }

  bool add_loop(const BasicBlock* header, const BasicBlock* latch) {
    const auto is_inside = [&](const BasicBlock* block) {
      return graph_.dominates(header, block) && (block == latch || graph_.reaches(block, latch));
    };
    const BranchInst* exit = nullptr;
    for (const BasicBlock* block : graph_.blocks()) {
      if (!is_inside(block)) continue;
      const auto after = graph_.successors(block);
      if (!after.empty() && all_of(after, is_inside)) continue;
      if (after.empty() || exit != nullptr) return false;
      exit = dyn_cast<BranchInst>(block->getTerminator());
      if (exit == nullptr) return false;
    }
    const auto* const comparison = exit == nullptr ? nullptr : dyn_cast<ICmpInst>(exit->getCondition());
    const auto* const end = comparison == nullptr ? nullptr : dyn_cast<ConstantInt>(comparison->getOperand(1));
    if (end == nullptr) return false;
    for (const PHINode& phi : header->phis()) {
      const Value* const next = phi.getIncomingValueForBlock(latch);
      const Value* const counted = comparison->getOperand(0);
      if ((counted == &phi || counted == next) && counts(phi, next, latch, *end)) {
        of_loops_.push_back(exit);
        return true;
      }
    }
    return false;
  }

  // From one number to another by the block's size, which divides their distance in the copies.
  bool counts(const PHINode& phi, const Value* next, const BasicBlock* latch, const ConstantInt& end) {
    Value* by = nullptr;
    if (!match(next, m_c_Add(m_Specific(&phi), m_Value(by)))) return false;
    Value* narrow = by;
    match(by, m_ZExtOrSExt(m_Value(narrow)));
    auto* const size = dyn_cast<LoadInst>(narrow);
    if (size == nullptr || !size->hasMetadata(LLVMContext::MD_invariant_load)) return false;
    if (found_.size != nullptr && found_.size != size) return false;
    for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k) {
      const auto* const start = dyn_cast<ConstantInt>(phi.getIncomingValue(k));
      if (phi.getIncomingBlock(k) == latch) continue;
      if (start == nullptr || !is_contained(graph_.predecessors(phi.getParent()), phi.getIncomingBlock(k)))
        return false;
      constexpr uint64_t kMost = 1024, kTurns = 4;
      const APInt distance = end.getValue() - start->getValue();
      if (distance.ugt(kMost) || distance.urem(kTurns) != 0 || distance == 0) return false;
      const uint64_t all = distance.getZExtValue();
      if (!found_.sizes.empty() && found_.sizes[0]->getZExtValue() != all) return false;
      found_.size = size;
      found_.steps.insert(by);
      found_.sizes = {builder_.getInt32(static_cast<uint32_t>(all)),
                      builder_.getInt32(static_cast<uint32_t>(all / kTurns))};
    }
    return found_.size != nullptr;
  }

  struct Usual {
    bool is_true;
    Value* holds;
  };

  // An index is usually below what is the same for all threads.
  std::optional<Usual> usually(Value* condition, Place at) {
    Value *a = nullptr, *b = nullptr;
    if (match(condition, m_Not(m_Value(a)))) {
      auto usual = usually(a, at);
      if (usual) usual->is_true = !usual->is_true;
      return usual;
    }
    const bool are_both = match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
    if (are_both || match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
      const auto first = usually(a, at), second = first ? usually(b, at) : first;
      if (!second || first->is_true != are_both || second->is_true != are_both) return {};
      return Usual{are_both, ranges_.both(first->holds, second->holds)};
    }
    CmpInst::Predicate predicate = CmpInst::BAD_ICMP_PREDICATE;
    if (!match(condition, m_ICmp(predicate, m_Value(a), m_Value(b))) || a->getType()->isPointerTy()) return {};
    auto left = ranges_.of(a, at), right = ranges_.of(b, at);
    if (!left || !right || !(left->is_single() || right->is_single()) || CmpInst::isEquality(predicate)) return {};
    if (!right->is_single()) {
      std::swap(left, right);
      predicate = CmpInst::getSwappedPredicate(predicate);
    }
    const bool is_true = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
    if (!is_true) predicate = CmpInst::getInversePredicate(predicate);
    Value* holds = ICmpInst::isLE(predicate) ? builder_.CreateICmpSLE(left->most, right->least)
                                             : builder_.CreateICmpSLT(left->most, right->least);
    if (CmpInst::isUnsigned(predicate))
      holds = ranges_.both(holds, builder_.CreateICmpSGE(left->least, builder_.getInt64(0)));
    return Usual{is_true, ranges_.both(holds, ranges_.both(left->holds, right->holds))};
  }

  Ranges& ranges_;
  PieceGraph& graph_;
  IRBuilder<>& builder_;
  SmallVector<const BranchInst*> of_loops_;
  Straight found_;
};

}  // namespace

std::optional<Straight> straight(Ranges& ranges, IRBuilder<>& builder) { return WayFinder(ranges, builder).find(); }

}  // namespace assay::regions
