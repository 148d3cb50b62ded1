// Copying blocks; slots become variables of the copy, which are loaded at its beginning and stored at its ends.
#include "harness/simt/regions/piece_copy.h"

#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/markers.h"
#include "harness/simt/regions/state.h"
#include "llvm/IR/CFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace assay::regions {
namespace {

using namespace llvm;
using simt::regions::State;

class Copier {
 public:
  Copier(const PieceCopy& copy, BasicBlock* from, BasicBlock* latch, const Thread& thread)
      : copy_(copy), function_(*from->getParent()), from_(from), latch_(latch), thread_(thread) {}

  void run(const Settled& settled) {
    IRBuilder<> builder(from_);
    map_indices();
    if (settled.size != nullptr)
      for (Value* step : settled.straight->steps)
        map_[step] = ConstantInt::get(step->getType(), settled.size->getZExtValue());
    for (const LocalArray& array : copy_.contexts.arrays)
      map_[array.variable] = address(builder, array.offset, array.stride);
    for (const Slot& slot : copy_.contexts.slots) begin_slot(builder, slot);
    for (BasicBlock* block : copy_.point.piece) {
      BasicBlock* const copied = CloneBasicBlock(block, map_, "", &function_);
      map_[block] = copied;
      blocks_.push_back(copied);
    }
    for (BasicBlock* block : blocks_)
      for (Instruction& i : *block) RemapInstruction(&i, map_, RF_IgnoreMissingLocals | RF_NoModuleLevelChanges);
    for (size_t i = 0; i < blocks_.size(); ++i) {
      drop_ways_from_elsewhere(copy_.point.piece[i], blocks_[i]);
      end_block(copy_.point.piece[i], blocks_[i]);
      name_thread_in_calls(blocks_[i]);
    }
    builder.CreateBr(blocks_.front());
    if (settled.straight != nullptr)
      for (const auto& [branch, is_true] : settled.straight->ways)
        cast<BranchInst>(cast<BasicBlock>(map_[branch->getParent()])->getTerminator())
            ->setCondition(builder.getInt1(is_true));
    if (settled.checks) copy_.proofs->simplify(map_);
  }

 private:
  void map_indices() {
    Value* const of[] = {thread_.x, thread_.y, thread_.z, thread_.linear};
    for (Instruction& i : function_.getEntryBlock()) {
      if (const int index = index_of_thread(&i); index >= 0) map_[&i] = of[index];
      for (size_t k = 0; k < copy_.times.size(); ++k)
        if (callee_name(&i) == kTimes[k]) map_[&i] = copy_.times[k];
    }
  }

  Value* address(IRBuilder<>& builder, uint64_t offset, uint64_t stride) const {
    Value* const place =
        builder.CreateNUWMul(builder.CreateZExt(thread_.linear, builder.getInt64Ty()), builder.getInt64(stride));
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), copy_.context,
                                     builder.CreateNUWAdd(place, builder.getInt64(offset)));
  }
  Value* address(IRBuilder<>& builder, const Slot& slot) const {
    Type* const type = slot.variable->getAllocatedType();
    return address(builder, slot.offset, function_.getDataLayout().getTypeAllocSize(type));
  }

  void begin_slot(IRBuilder<>& builder, const Slot& slot) {
    Type* const type = slot.variable->getAllocatedType();
    IRBuilder<> entry(&*function_.getEntryBlock().begin());
    AllocaInst* const own = entry.CreateAlloca(type);
    map_[slot.variable] = own;
    if (!slot.lives_behind(copy_.point.number)) return;
    Value* const value = slot.is_uniform ? loaded_before(slot) : builder.CreateLoad(type, address(builder, slot));
    builder.CreateStore(value, own);
  }
  // A uniform value is read where the loop has not begun: its first thread may change the variable.
  Value* loaded_before(const Slot& slot) const { return copy_.before.lookup(slot.variable); }

  bool is_written(const Slot& slot) const {
    return any_of(slot.variable->users(), [&](const User* user) {
      const auto* const store = dyn_cast<StoreInst>(user);
      return store != nullptr && copy_.point.piece.contains(const_cast<BasicBlock*>(store->getParent()));
    });
  }

  // Phis keep what comes from blocks of the piece.
  void drop_ways_from_elsewhere(BasicBlock* original, BasicBlock* copied) {
    SmallVector<BasicBlock*> elsewhere;
    for (BasicBlock* before : predecessors(original))
      if (!copy_.point.piece.contains(before) || copy_.pieces.ending(before) != nullptr) elsewhere.push_back(before);
    for (PHINode& phi : make_early_inc_range(copied->phis()))
      for (BasicBlock* before : elsewhere) {
        BasicBlock* const mapped = copy_.point.piece.contains(before) ? cast<BasicBlock>(map_[before]) : before;
        while (phi.getBasicBlockIndex(mapped) >= 0) phi.removeIncomingValue(mapped, false);
      }
  }

  void end_block(BasicBlock* original, BasicBlock* copied) {
    const Point* const end = copy_.pieces.ending(original);
    if (end == nullptr && !isa<ReturnInst>(copied->getTerminator())) return;
    if (end != nullptr) copied->getTerminator()->getPrevNode()->eraseFromParent();  // the barrier, or the operation
    copied->getTerminator()->eraseFromParent();
    IRBuilder<> builder(copied);
    if (end == nullptr)
      thread_returns(builder);
    else
      thread_stops(builder, end->number);
    builder.CreateBr(latch_);
  }
  void thread_returns(IRBuilder<>& builder) {
    if (!copy_.ending.marks_returned) return;
    Value* const flags =
        builder.CreateLoad(builder.getPtrTy(), member(builder, copy_.state, offsetof(State, returned)));
    builder.CreateStore(builder.getInt8(1), builder.CreateInBoundsGEP(builder.getInt8Ty(), flags, index64(builder)));
    builder.CreateStore(builder.getTrue(), copy_.outcome.exited);
  }
  void thread_stops(IRBuilder<>& builder, unsigned number) {
    for (const Slot& slot : copy_.contexts.slots)
      if (slot.lives_behind(number) && is_written(slot)) end_slot(builder, slot);
    if (copy_.ending.checks_agreement) check_agreement(builder, number);
    if (copy_.ending.is_recorded) builder.CreateStore(builder.getInt32(number), copy_.outcome.next);
  }
  void end_slot(IRBuilder<>& builder, const Slot& slot) {
    Type* const type = slot.variable->getAllocatedType();
    Value* const value = builder.CreateLoad(type, map_[slot.variable]);
    builder.CreateStore(value, slot.is_uniform ? copy_.outcome.uniform.lookup(slot.variable) : address(builder, slot));
  }
  void check_agreement(IRBuilder<>& builder, unsigned number) {
    auto* const i16 = builder.getInt16Ty();
    Value* const places = builder.CreateLoad(builder.getPtrTy(), member(builder, copy_.state, offsetof(State, place)));
    builder.CreateStore(builder.getInt16(static_cast<uint16_t>(number)),
                        builder.CreateInBoundsGEP(i16, places, index64(builder)));
    Value* const next = builder.CreateLoad(builder.getInt32Ty(), copy_.outcome.next);
    Value* const other = builder.CreateAnd(builder.CreateICmpNE(next, builder.getInt32(kReturned)),
                                           builder.CreateICmpNE(next, builder.getInt32(number)));
    Value* const before = builder.CreateLoad(builder.getInt1Ty(), copy_.outcome.diverged);
    builder.CreateStore(builder.CreateOr(before, other), copy_.outcome.diverged);
  }
  Value* index64(IRBuilder<>& builder) const { return builder.CreateZExt(thread_.linear, builder.getInt64Ty()); }

  // Functions of the executor may say that the thread did wrong.
  void name_thread_in_calls(BasicBlock* block) {
    for (Instruction& i : *block) {
      if (!names_thread(callee_name(&i))) continue;
      IRBuilder<> builder(&i);
      builder.CreateStore(thread_.linear, member(builder, copy_.state, offsetof(State, thread)));
    }
  }

  const PieceCopy& copy_;
  Function& function_;
  BasicBlock *from_, *latch_;
  const Thread& thread_;
  ValueToValueMapTy map_;
  SmallVector<BasicBlock*> blocks_;
};

}  // namespace

Value* member(IRBuilder<>& builder, Value* state, uint64_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, offset);
}

void copy_piece(const PieceCopy& copy, BasicBlock* from, BasicBlock* latch, const Thread& thread,
                const Settled& settled) {
  Copier(copy, from, latch, thread).run(settled);
}

}  // namespace assay::regions
