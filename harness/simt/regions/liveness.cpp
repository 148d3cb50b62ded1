// The usual data flow, backwards.
#include "harness/simt/regions/liveness.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace assay::regions {

using namespace llvm;

Liveness::Liveness(Function& function, const BasicBlock& prologue) {
  for (BasicBlock& block : function)
    for (Instruction& i : block)
      if (&block != &prologue && !i.getType()->isVoidTy()) {
        number_[&i] = static_cast<unsigned>(values_.size());
        values_.push_back(&i);
      }
  for (BasicBlock& block : function) in_[&block] = BitVector(static_cast<unsigned>(values_.size()));
  const std::vector<const BasicBlock*> order(po_begin(&function), po_end(&function));
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock* block : order) changed |= update(*block);
  }
}

bool Liveness::update(const BasicBlock& block) {
  BitVector live = out_of(block);
  for (const Instruction& i : reverse(block)) {
    if (const auto own = number_.find(&i); own != number_.end()) live.reset(own->second);
    if (isa<PHINode>(i)) continue;
    for (const Value* operand : i.operands()) use(live, operand);
  }
  BitVector& in = in_[&block];
  if (live == in) return false;
  in = std::move(live);
  return true;
}

void Liveness::use(BitVector& live, const Value* operand) const {
  if (const auto value = number_.find(operand); value != number_.end()) live.set(value->second);
}

BitVector Liveness::out_of(const BasicBlock& block) const {
  BitVector live(static_cast<unsigned>(values_.size()));
  for (const BasicBlock* next : successors(&block)) {
    live |= in_.find(next)->second;
    for (const PHINode& phi : next->phis()) use(live, phi.getIncomingValueForBlock(&block));
  }
  return live;
}

std::vector<Instruction*> Liveness::behind(const BasicBlock* block) const {
  std::vector<Instruction*> result;
  const BitVector live = out_of(*block);
  for (const unsigned number : live.set_bits()) result.push_back(values_[number]);
  return result;
}

}  // namespace assay::regions
