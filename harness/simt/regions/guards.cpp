// The piece's first branch, and whether one of its ways does nothing.
#include "harness/simt/regions/guards.h"

#include "harness/simt/regions/markers.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace assay::regions {
namespace {

using namespace llvm;

// Whether the block's instructions but its last, and the call at which a piece ends, do nothing.
bool is_idle(const BasicBlock& block, const Point* end) {
  return none_of(block, [&](const Instruction& i) {
    return !i.isTerminator() && (end == nullptr || &i != end->call) && i.mayHaveSideEffects();
  });
}

// Whether the way from here leads to the piece's end without doing anything.
bool is_idle_way(const BasicBlock* block, const Pieces& pieces) {
  SmallPtrSet<const BasicBlock*, 8> seen;
  while (block != nullptr && seen.insert(block).second) {
    const Point* const end = pieces.ending(block);
    if (!is_idle(*block, end)) return false;
    if (end != nullptr || isa<ReturnInst>(block->getTerminator())) return true;
    block = block->getSingleSuccessor();
  }
  return false;
}

bool is_known_before(const Value* bound, const BasicBlock* prologue, const BasicBlock* start) {
  if (isa<ConstantInt>(bound) || isa<Argument>(bound)) return true;
  const auto* const i = dyn_cast<Instruction>(bound);
  if (i == nullptr) return false;
  if (i->getParent() == prologue) return index_of_thread(i) < 0;
  // A slot's variable, which its piece has not written yet.
  const auto* const load = dyn_cast<LoadInst>(i);
  if (load == nullptr || load->getParent() != start || !isa<AllocaInst>(load->getPointerOperand())) return false;
  for (const Instruction& before : *start) {
    if (&before == load) return true;
    if (before.mayWriteToMemory()) return false;
  }
  return false;
}

}  // namespace

std::optional<Guard> guard_of(const Point& point, const Pieces& pieces, const BasicBlock* prologue) {
  const auto* const branch = dyn_cast<BranchInst>(point.start->getTerminator());
  if (branch == nullptr || !branch->isConditional() || pieces.ending(point.start) != nullptr) return {};
  // A piece that comes to its start again has no first branch of its own.
  if (!is_idle(*point.start, nullptr) || point.start->getSinglePredecessor() != point.block) return {};
  const auto* const comparison = dyn_cast<ICmpInst>(branch->getCondition());
  if (comparison == nullptr || comparison->getParent() != point.start) return {};
  const bool first_is_idle = is_idle_way(branch->getSuccessor(0), pieces);
  if (first_is_idle == is_idle_way(branch->getSuccessor(1), pieces)) return {};
  const CmpInst::Predicate predicate = first_is_idle ? comparison->getInversePredicate() : comparison->getPredicate();
  const int index = index_of_thread(comparison->getOperand(0));
  Value* const bound = comparison->getOperand(1);
  if ((index != 0 && index != 3) || !is_known_before(bound, prologue, point.start)) return {};
  if (predicate == CmpInst::ICMP_SLT) return Guard{index == 3, Guard::below_signed, bound};
  if (predicate == CmpInst::ICMP_ULT) return Guard{index == 3, Guard::below_unsigned, bound};
  if (predicate == CmpInst::ICMP_EQ) return Guard{index == 3, Guard::equal, bound};
  return {};
}

}  // namespace assay::regions
