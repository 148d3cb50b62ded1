// Liveness over points, and what becomes of each live value.
#include "harness/simt/regions/contexts.h"

#include "harness/simt/regions/liveness.h"
#include "harness/simt/regions/local_arrays.h"
#include "harness/simt/regions/markers.h"
#include "harness/simt/regions/memory.h"
#include "harness/simt/regions/state.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

namespace assay::regions {
namespace {

using namespace llvm;

class Maker {
 public:
  Maker(Function& function, BasicBlock* prologue, const Pieces& pieces, const Uniformity& block, const Uniformity* warp)
      : function_(function), prologue_(prologue), pieces_(pieces), block_(block), warp_(warp) {}

  Contexts make() {
    // Moving or repeating a value lets its operands live longer, so the question is asked again.
    while (avoid_slots()) continue;
    const auto arrays = arrays_that_cross(function_, pieces_);
    give_slots();
    for (AllocaInst* array : arrays) give_place(array);
    return std::move(contexts_);
  }

 private:
  // The values that are needed behind each point, in the order of the code.
  using Crossing = MapVector<Instruction*, SmallVector<unsigned, 4>>;
  Crossing find_crossing() {
    const Liveness liveness(function_, *prologue_);
    Crossing crossing;
    for (const auto& point : pieces_.points)
      if (point->kind != Point::entry)
        for (Instruction* value : liveness.behind(point->block)) crossing[value].push_back(point->number);
    return crossing;
  }

  // ---- values that need no slot
  bool avoid_slots() {
    bool changed = false;
    for (const auto& [value, lives] : find_crossing()) {
      if (is_for_prologue(value, 0))
        move_to_prologue(value);
      else if (is_cheap(value, 0))
        repeat(*value);
      else
        continue;
      changed = true;
    }
    return changed;
  }

  // Nobody's thread index, no memory that changes, no fault.
  bool is_for_prologue(Value* value, unsigned depth) const {
    auto* const i = dyn_cast<Instruction>(value);
    if (i == nullptr || i->getParent() == prologue_) return index_of_thread(value) < 0 && !is_of_thread(value);
    if (depth > 16 || isa<PHINode>(i) || isa<AllocaInst>(i) || !block_.is_uniform(i)) return false;
    if (!isSafeToSpeculativelyExecute(i) || !reads_nothing_that_changes(*i)) return false;
    return all_of(i->operands(), [&](Value* operand) { return is_for_prologue(operand, depth + 1); });
  }
  // The prologue holds the arrays of the thread, whose addresses are the thread's own.
  static bool is_of_thread(const Value* value) { return isa<AllocaInst>(value); }
  static bool reads_nothing_that_changes(const Instruction& i) {
    if (!i.mayReadFromMemory()) return true;
    const auto* const load = dyn_cast<LoadInst>(&i);
    if (load == nullptr || load->isVolatile()) return false;
    return all_of(memory_at(load->getPointerOperand()), [](const Memory& m) { return m.kind == Memory::constant; });
  }
  void move_to_prologue(Value* value) {
    auto* const i = dyn_cast<Instruction>(value);
    if (i == nullptr || i->getParent() == prologue_) return;
    for (Value* operand : i->operands()) move_to_prologue(operand);
    i->moveBefore(prologue_->getTerminator());
    i->dropPoisonGeneratingFlags();
    i->dropUBImplyingAttrsAndMetadata();
  }

  // A few operations on arguments, the prologue's values and the thread's index.
  static constexpr unsigned kCheapDepth = 5;
  bool is_cheap(Value* value, unsigned depth) const {
    auto* const i = dyn_cast<Instruction>(value);
    if (i == nullptr || i->getParent() == prologue_) return true;
    if (depth >= kCheapDepth || i->mayReadOrWriteMemory()) return false;
    if (!isa<BinaryOperator, CastInst, CmpInst, GetElementPtrInst, SelectInst, FreezeInst>(i) &&
        !(isa<IntrinsicInst>(i) && cast<IntrinsicInst>(i)->getIntrinsicID() == Intrinsic::threadlocal_address))
      return false;
    if (isa<FreezeInst>(i)) return false;  // twice frozen may be two values
    const unsigned code = i->getOpcode();
    if (code == Instruction::SDiv || code == Instruction::UDiv || code == Instruction::SRem ||
        code == Instruction::URem || code == Instruction::FDiv || code == Instruction::FRem)
      return false;
    return all_of(i->operands(), [&](Value* operand) { return is_cheap(operand, depth + 1); });
  }
  void repeat(Instruction& value) {
    SmallVector<Use*> uses;
    for (Use& use : value.uses()) uses.push_back(&use);
    for (Use* use : uses) {
      auto* const user = cast<Instruction>(use->getUser());
      auto* const phi = dyn_cast<PHINode>(user);
      Instruction* const at = phi == nullptr ? user : phi->getIncomingBlock(*use)->getTerminator();
      if (at->getParent() == value.getParent() && phi == nullptr) continue;
      Value* const again = copy_before(&value, at);
      if (phi == nullptr) {
        use->set(again);
        continue;
      }
      BasicBlock* const from = phi->getIncomingBlock(*use);  // which may be there twice
      for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
        if (phi->getIncomingBlock(k) == from) phi->setIncomingValue(k, again);
    }
    // A value without uses stays: another one at its address would be taken for it.
  }
  Value* copy_before(Value* value, Instruction* at) {
    auto* const i = dyn_cast<Instruction>(value);
    if (i == nullptr || i->getParent() == prologue_) return value;
    Instruction* const copy = i->clone();
    for (Use& operand : copy->operands()) operand.set(copy_before(operand.get(), at));
    copy->insertBefore(at);
    return copy;
  }

  // ---- slots
  void give_slots() {
    Crossing crossing = find_crossing();
    for (auto& [value, lives] : crossing) {
      Slot slot{nullptr, is_alike(*value, lives), 0, lives};
      Type* const type = value->getType();
      slot.variable = DemoteRegToStack(*value, false, prologue_->getFirstInsertionPt());
      if (!slot.is_uniform) slot.offset = reserve(type, stride_of(type));
      contexts_.slots.push_back(std::move(slot));
    }
  }
  // At a point that only some threads may come to, they may do so in different turns of a loop. What is needed behind
  // warp operations only is held for one warp at a time.
  bool is_alike(const Instruction& value, ArrayRef<unsigned> lives) const {
    const auto is_collective = [&](unsigned number) { return pieces_.point(number).kind == Point::collective; };
    const Uniformity& group = warp_ != nullptr && all_of(lives, is_collective) ? *warp_ : block_;
    return group.is_uniform(&value) &&
           none_of(lives, [&](unsigned number) { return group.is_divided(pieces_.point(number).block); });
  }
  void give_place(AllocaInst* array) {
    const DataLayout& layout = function_.getDataLayout();
    const uint64_t bytes = *array->getAllocationSize(layout);
    const uint64_t stride = alignTo(std::max<uint64_t>(bytes, 1), array->getAlign());
    contexts_.arrays.push_back({array, reserve(array->getAllocatedType(), stride), stride});
  }
  uint64_t stride_of(Type* type) const { return function_.getDataLayout().getTypeAllocSize(type); }
  uint64_t reserve(Type*, uint64_t stride) {
    constexpr uint64_t kAlignment = 64;
    const uint64_t offset = contexts_.bytes;
    contexts_.bytes = alignTo(offset + stride * simt::regions::kThreads, kAlignment);
    return offset;
  }

  Function& function_;
  BasicBlock* prologue_;
  const Pieces& pieces_;
  const Uniformity& block_;
  const Uniformity* warp_;
  Contexts contexts_;
};

}  // namespace

Contexts make_contexts(Function& function, BasicBlock* prologue, const Pieces& pieces, const Uniformity& block,
                       const Uniformity* warp) {
  return Maker(function, prologue, pieces, block, warp).make();
}

}  // namespace assay::regions
