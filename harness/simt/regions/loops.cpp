// The frame of a split function: its variables, the loops of each piece, and the ways from one piece to the next.
#include "harness/simt/regions/loops.h"

#include <map>

#include "harness/simt/regions/checks.h"
#include "harness/simt/regions/endings.h"
#include "harness/simt/regions/memory.h"
#include "harness/simt/regions/piece_copy.h"
#include "harness/simt/regions/state.h"
#include "harness/simt/regions/thread_loops.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace assay::regions {
namespace {

using namespace llvm;
using simt::regions::State;

class Frame {
 public:
  Frame(Function& function, BasicBlock* prologue, const Pieces& pieces, const Contexts& contexts,
        const Uniformity& uniformity, Group group)
      : function_(function),
        prologue_(prologue),
        pieces_(pieces),
        contexts_(contexts),
        uniformity_(uniformity),
        by_warps_(group == Group::warp),
        builder_(prologue->getTerminator()) {}

  void build() {
    counts_votes_ = writes_block(function_);
    make_variables();
    for (size_t n = 0; n < pieces_.points.size(); ++n) heads_.push_back(new_block("piece"));
    return_ = new_block("return");
    ReturnInst::Create(function_.getContext(), return_);
    if (by_warps_) make_warps();
    for (const auto& point : pieces_.points) make_piece(*point);
    ReplaceInstWithInst(prologue_->getTerminator(), BranchInst::Create(by_warps_ ? interval_ : heads_[0]));
    removeUnreachableBlocks(function_);
    promote();
  }

 private:
  BasicBlock* new_block(const char* name) { return BasicBlock::Create(function_.getContext(), name, &function_); }
  BasicBlock* head(unsigned number) { return heads_[number - 1]; }
  FunctionCallee runtime(const char* name, ArrayRef<Type*> parameters) {
    return function_.getParent()->getOrInsertFunction(name, FunctionType::get(builder_.getVoidTy(), parameters, false));
  }
  AllocaInst* variable(Type* type, Value* initial, const char* name) {
    AllocaInst* const made = IRBuilder<>(&*prologue_->begin()).CreateAlloca(type, nullptr, name);
    if (initial != nullptr) builder_.CreateStore(initial, made);
    return made;
  }

  void make_variables() {
    state_ = function_.getParent()->getOrInsertGlobal("assay_simt_regions", builder_.getInt8Ty());
    FunctionCallee memory = function_.getParent()->getOrInsertFunction("assay_simt_regions_context",
                                                                       FunctionType::get(builder_.getPtrTy(), false));
    cast<Function>(memory.getCallee())->setReturnDoesNotAlias();  // no pointer of a kernel leads there
    context_ = contexts_.bytes == 0 ? Constant::getNullValue(builder_.getPtrTy())
                                    : static_cast<Value*>(builder_.CreateCall(memory));
    outcome_.next = variable(builder_.getInt32Ty(), nullptr, "next");
    outcome_.exited = variable(builder_.getInt1Ty(), nullptr, "exited");
    outcome_.diverged = variable(builder_.getInt1Ty(), nullptr, "diverged");
    group_ = variable(builder_.getInt32Ty(), builder_.getInt32(0), "group");
    for (const Slot& slot : contexts_.slots)
      if (slot.is_uniform) outcome_.uniform[slot.variable] = uniform_variable(slot);
    // A value that lives behind a barrier has a second variable, and a third for the next interval: the first belongs
    // to the warp that runs.
    for (const Slot& slot : contexts_.slots)
      if (by_warps_ && slot.is_uniform && any_of(slot.lives, [&](unsigned n) { return is_barrier(n); }))
        of_block_[slot.variable] = {uniform_variable(slot), uniform_variable(slot)};
  }
  AllocaInst* uniform_variable(const Slot& slot) {
    Type* const type = slot.variable->getAllocatedType();
    return variable(type, PoisonValue::get(type), "uniform");
  }
  bool is_barrier(unsigned number) const { return number != kReturned && pieces_.point(number).kind == Point::barrier; }

  // ---- one piece: its loops, and what follows
  void make_piece(const Point& point) {
    const Ending ending = ending_of(point, pieces_, uniformity_, by_warps_);
    BasicBlock* const head = this->head(point.number);
    BasicBlock* const after = new_block("after");
    IRBuilder<> builder(head);
    builder.CreateStore(builder.getInt32(kReturned), outcome_.next);
    builder.CreateStore(builder.getFalse(), outcome_.exited);
    builder.CreateStore(builder.getFalse(), outcome_.diverged);
    PieceCopy copy{.pieces = pieces_,
                   .point = point,
                   .contexts = contexts_,
                   .ending = ending,
                   .outcome = outcome_,
                   .state = state_,
                   .context = context_};
    for (const Slot& slot : contexts_.slots)
      if (slot.is_uniform && slot.lives_behind(point.number))
        copy.before[slot.variable] =
            builder.CreateLoad(slot.variable->getAllocatedType(), outcome_.uniform[slot.variable]);
    Proofs proofs(point, pieces_, !by_warps_);
    if (wants_checks(*function_.getParent())) {
      copy.times = load_times(builder);
      copy.proofs = &proofs;
    }
    loop_over_threads(copy, builder.CreateLoad(builder.getInt32Ty(), group_), by_warps_, head, after);
    go_on(point, ending, after);
  }

  void go_on(const Point& point, const Ending& ending, BasicBlock* after) {
    IRBuilder<> builder(after);
    if (ending.checks_agreement)
      leave_if(builder, builder.CreateLoad(builder.getInt1Ty(), outcome_.diverged),
               [&](IRBuilder<>& cold) { report_divergence(cold, builder.getInt32(0), builder.getInt32(0)); });
    if (ending.marks_returned) {
      BasicBlock *const drop = new_block("drop"), *const kept = new_block("kept");
      builder.CreateCondBr(builder.CreateLoad(builder.getInt1Ty(), outcome_.exited), drop, kept);
      builder.SetInsertPoint(drop);
      builder.CreateCall(runtime("assay_simt_regions_drop", {}));
      builder.CreateBr(kept);
      builder.SetInsertPoint(kept);
    }
    if (!ending.is_recorded) {
      builder.CreateBr(behind(point.ends[0]));
      return;
    }
    BasicBlock* const otherwise = new_block("nowhere");
    new UnreachableInst(function_.getContext(), otherwise);
    Value* const next = builder.CreateLoad(builder.getInt32Ty(), outcome_.next);
    auto* const ways = builder.CreateSwitch(next, otherwise, static_cast<unsigned>(point.ends.size()) + 1);
    ways->addCase(builder.getInt32(kReturned), behind(kReturned));
    for (const unsigned end : point.ends)
      if (end != kReturned) ways->addCase(builder.getInt32(end), behind(end));
  }

  // The block that does what happens at a point once its group has come there.
  BasicBlock* behind(unsigned number) {
    BasicBlock*& made = behind_[number];
    if (made != nullptr) return made;
    if (number == kReturned && !by_warps_) return made = return_;
    made = new_block("behind");
    IRBuilder<> builder(made);
    if (number != kReturned && pieces_.point(number).kind == Point::collective) {
      run_collective(builder, pieces_.point(number));
      builder.CreateBr(head(number));
    } else if (by_warps_) {
      builder.CreateStore(builder.getInt32(number), ended_);
      builder.CreateBr(group_end_);
    } else {
      pass_barrier(builder);
      builder.CreateBr(head(number));
    }
    return made;
  }

  void run_collective(IRBuilder<>& builder, const Point& point) {
    auto* const call =
        builder.CreateCall(runtime("assay_simt_regions_collective", {builder.getInt32Ty(), builder.getInt32Ty()}),
                           {builder.CreateLoad(builder.getInt32Ty(), group_),
                            builder.CreateZExt(point.call->getArgOperand(1), builder.getInt32Ty())});
    call->setDebugLoc(point.call->getDebugLoc());
  }

  // Votes are in, and where orders change the next is drawn.
  void pass_barrier(IRBuilder<>& builder) {
    if (wants_checks(*function_.getParent())) builder.CreateCall(runtime("assay_simt_sieve_barrier", {}));
    if (counts_votes_) builder.CreateCall(runtime("assay_simt_regions_count_votes", {}));
    BasicBlock *const order = new_block("order"), *const ordered = new_block("ordered");
    Value* const renews = builder.CreateLoad(builder.getInt32Ty(), member(builder, state_, offsetof(State, renews)));
    builder.CreateCondBr(builder.CreateICmpNE(renews, builder.getInt32(0)), order, ordered);
    builder.SetInsertPoint(order);
    builder.CreateCall(runtime("assay_simt_regions_next_order", {}));
    builder.CreateBr(ordered);
    builder.SetInsertPoint(ordered);
  }
  // ---- by warps
  void make_warps() {
    start_ = variable(builder_.getInt32Ty(), builder_.getInt32(1), "start");
    agreed_ = variable(builder_.getInt32Ty(), nullptr, "agreed");
    ended_ = variable(builder_.getInt32Ty(), nullptr, "ended");
    interval_ = new_block("interval");
    BasicBlock* const begin = new_block("group");
    group_end_ = new_block("group_end");
    IRBuilder<> builder(interval_);
    builder.CreateStore(builder.getInt32(0), group_);
    builder.CreateStore(builder.getInt32(kReturned), agreed_);
    builder.CreateBr(begin);
    builder.SetInsertPoint(begin);
    for (const auto& [slot, of_block] : of_block_) move(builder, of_block.before, outcome_.uniform[slot]);
    auto* const ways = builder.CreateSwitch(builder.CreateLoad(builder.getInt32Ty(), start_), heads_[0]);
    for (const auto& point : pieces_.points)
      if (point->kind == Point::barrier) ways->addCase(builder.getInt32(point->number), head(point->number));
    end_group(begin);
  }
  void end_group(BasicBlock* begin) {
    BasicBlock *const stopped = new_block("stopped"), *const next = new_block("next_group");
    BasicBlock *const complete = new_block("complete"), *const go = new_block("go");
    IRBuilder<> builder(group_end_);
    Value* const ended = builder.CreateLoad(builder.getInt32Ty(), ended_);
    builder.CreateCondBr(builder.CreateICmpEQ(ended, builder.getInt32(kReturned)), next, stopped);
    builder.SetInsertPoint(stopped);
    Value* const agreed = builder.CreateLoad(builder.getInt32Ty(), agreed_);
    Value* const other = builder.CreateAnd(builder.CreateICmpNE(agreed, builder.getInt32(kReturned)),
                                           builder.CreateICmpNE(agreed, ended));
    leave_if(builder, other, [&](IRBuilder<>& cold) { report_divergence(cold, agreed, ended); });
    builder.CreateStore(ended, agreed_);
    for (const auto& [slot, of_block] : of_block_) move(builder, outcome_.uniform[slot], of_block.behind);
    builder.CreateBr(next);
    builder.SetInsertPoint(next);
    Value* const group = builder.CreateAdd(builder.CreateLoad(builder.getInt32Ty(), group_), builder.getInt32(1));
    builder.CreateStore(group, group_);
    Value* const groups = builder.CreateLoad(builder.getInt32Ty(), member(builder, state_, offsetof(State, groups)));
    builder.CreateCondBr(builder.CreateICmpULT(group, groups), begin, complete);
    builder.SetInsertPoint(complete);
    Value* const start = builder.CreateLoad(builder.getInt32Ty(), agreed_);
    builder.CreateStore(start, start_);
    builder.CreateCondBr(builder.CreateICmpEQ(start, builder.getInt32(kReturned)), return_, go);
    builder.SetInsertPoint(go);
    for (const auto& [slot, of_block] : of_block_) move(builder, of_block.behind, of_block.before);
    pass_barrier(builder);
    builder.CreateBr(interval_);
  }
  static void move(IRBuilder<>& builder, AllocaInst* from, AllocaInst* to) {
    builder.CreateStore(builder.CreateLoad(from->getAllocatedType(), from), to);
  }

  // ---- what should not happen
  template <class Leave>
  void leave_if(IRBuilder<>& builder, Value* condition, const Leave& leave) {
    BasicBlock *const cold = new_block("cold"), *const stay = new_block("stay");
    builder.CreateCondBr(condition, cold, stay);
    IRBuilder<> left(cold);
    leave(left);
    left.CreateUnreachable();
    builder.SetInsertPoint(stay);
  }
  // Ends the block with a finding. `a` and `b` are two points, or 0: State::place tells.
  void report_divergence(IRBuilder<>& builder, Value* a, Value* b) {
    if (lines_ == nullptr) {
      SmallVector<uint32_t> lines{0};
      for (const auto& point : pieces_.points) {
        const auto* const line =
            point->kind == Point::barrier ? dyn_cast<ConstantInt>(point->call->getArgOperand(0)) : nullptr;
        lines.push_back(line == nullptr ? 0 : static_cast<uint32_t>(line->getZExtValue()));
      }
      Constant* const table = ConstantDataArray::get(function_.getContext(), lines);
      lines_ = new GlobalVariable(*function_.getParent(), table->getType(), true, GlobalValue::PrivateLinkage, table);
    }
    auto* const i32 = builder.getInt32Ty();
    builder.CreateCall(runtime("assay_simt_regions_diverged", {builder.getPtrTy(), i32, i32}), {lines_, a, b});
  }

  void promote() {
    DominatorTree dominators(function_);
    std::vector<AllocaInst*> variables;
    for (Instruction& i : *prologue_)
      if (auto* const made = dyn_cast<AllocaInst>(&i); made != nullptr && isAllocaPromotable(made))
        variables.push_back(made);
    PromoteMemToReg(variables, dominators);
  }

  struct OfBlock {
    AllocaInst *before, *behind;  // of the interval that runs
  };

  Function& function_;
  BasicBlock* prologue_;
  const Pieces& pieces_;
  const Contexts& contexts_;
  const Uniformity& uniformity_;
  bool by_warps_, counts_votes_ = false;
  IRBuilder<> builder_;  // at the prologue's end
  Value *state_ = nullptr, *context_ = nullptr;
  Outcome outcome_;
  std::vector<BasicBlock*> heads_;
  std::map<unsigned, BasicBlock*> behind_;
  MapVector<const AllocaInst*, OfBlock> of_block_;
  AllocaInst *group_ = nullptr, *start_ = nullptr, *agreed_ = nullptr, *ended_ = nullptr;
  BasicBlock *return_ = nullptr, *interval_ = nullptr, *group_end_ = nullptr;
  GlobalVariable* lines_ = nullptr;
};

}  // namespace

void make_loops(Function& function, BasicBlock* prologue, const Pieces& pieces, const Contexts& contexts,
                const Uniformity& uniformity, Group group) {
  Frame(function, prologue, pieces, contexts, uniformity, group).build();
}

}  // namespace assay::regions
