// From each loop's exits back to what they hang on.
#include "harness/simt/regions/spinning.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace assay::regions {
namespace {

using namespace llvm;

bool reads_for_others(const Instruction& i) {
  const auto* const load = dyn_cast<LoadInst>(&i);
  return (load != nullptr && (load->isVolatile() || load->isAtomic())) || isa<AtomicRMWInst>(i) ||
         isa<AtomicCmpXchgInst>(i);
}

// All that the value is computed from inside the cycle; through phis, and up to loads.
SetVector<const Instruction*> origins(const Cycle& cycle, const Value* value) {
  SetVector<const Instruction*> found;
  const auto add = [&](const Value* from) {
    const auto* const i = dyn_cast<Instruction>(from);
    if (i != nullptr && cycle.contains(i->getParent())) found.insert(i);
  };
  add(value);
  for (size_t n = 0; n < found.size(); ++n)
    if (!isa<LoadInst>(found[n]))
      for (const Value* operand : found[n]->operands()) add(operand);
  return found;
}

// old = *p; do { assumed = old; old = CAS(p, assumed, f(assumed)); } while (old != assumed): the cycle ends when what
// is read equals what the turn before has read. Alone, it does so in the second turn at the latest.
bool tries_again(const Cycle& cycle, const Value* condition) {
  const auto* const comparison = dyn_cast<ICmpInst>(condition);
  if (comparison == nullptr || !comparison->isEquality()) return false;
  for (unsigned k = 0; k < 2; ++k) {
    const auto* const assumed = dyn_cast<PHINode>(comparison->getOperand(k));
    const auto* const read = dyn_cast<LoadInst>(comparison->getOperand(1 - k));
    if (assumed == nullptr || read == nullptr || assumed->getParent() != cycle.getHeader()) continue;
    bool fed_back = true;
    for (unsigned n = 0; n < assumed->getNumIncomingValues(); ++n)
      if (cycle.contains(assumed->getIncomingBlock(n))) fed_back &= assumed->getIncomingValue(n) == read;
    if (fed_back) return true;
  }
  return false;
}

bool waits(const Cycle& cycle) {
  for (const BasicBlock* block : cycle.blocks()) {
    if (all_of(successors(block), [&](const BasicBlock* next) { return cycle.contains(next); })) continue;
    const Instruction* const end = block->getTerminator();
    const Value* condition = nullptr;
    if (const auto* const branch = dyn_cast<BranchInst>(end); branch != nullptr && branch->isConditional())
      condition = branch->getCondition();
    if (const auto* const choice = dyn_cast<SwitchInst>(end)) condition = choice->getCondition();
    if (condition == nullptr || tries_again(cycle, condition)) continue;
    if (any_of(origins(cycle, condition), [](const Instruction* i) { return reads_for_others(*i); })) return true;
  }
  return false;
}

}  // namespace

bool may_wait(Function& function) {
  CycleInfo cycles;
  cycles.compute(function);
  std::vector<const Cycle*> all(cycles.toplevel_begin(), cycles.toplevel_end());
  for (size_t i = 0; i < all.size(); ++i) {
    if (waits(*all[i])) return true;
    for (const Cycle* child : all[i]->children()) all.push_back(child);
  }
  return false;
}

}  // namespace assay::regions
