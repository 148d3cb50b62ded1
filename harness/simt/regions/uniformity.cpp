// The sources of divergence, and the fixed point with LLVM's analysis.
#include "harness/simt/regions/uniformity.h"

#include "harness/simt/include/simt/warp_op.h"
#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/lanes.h"
#include "harness/simt/regions/markers.h"
#include "harness/simt/regions/memory.h"
#include "llvm/ADT/GenericUniformityImpl.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace assay::regions {
namespace {

using namespace llvm;

using Values = DenseSet<const Value*>;

// How LLVM asks.
class Oracle final : public TargetTransformInfoImplCRTPBase<Oracle> {
  using Base = TargetTransformInfoImplCRTPBase<Oracle>;

 public:
  Oracle(const DataLayout& layout, const Values& divergent, const Values& uniform)
      : Base(layout), divergent_(divergent), uniform_(uniform) {}
  bool hasBranchDivergence(const Function* = nullptr) const { return true; }
  bool isSourceOfDivergence(const Value* value) const { return divergent_.contains(value); }
  bool isAlwaysUniform(const Value* value) const { return uniform_.contains(value); }

 private:
  const Values& divergent_;
  const Values& uniform_;
};

// Tells of one instruction what it is by itself.
class Sources {
 public:
  Sources(const Pieces& pieces, Group group) : pieces_(pieces), group_(group) {
    for (const auto& point : pieces.points) written_.push_back(written_in(*point));
  }

  enum Answer { divergent, uniform, as_operands };
  Answer of(const Instruction& i, const Values& known) const {
    if (const int index = index_of_thread(&i); index >= 0)
      return group_ == Group::warp && (index == 1 || index == 2) ? uniform : divergent;
    if (group_ == Group::warp && same_in_warp(i, known)) return uniform;
    // LLVM takes an undefined operand of a phi for whatever suits; a slot would take it from one thread for all.
    if (isa<PHINode>(i) && any_of(i.operands(), [](const Value* v) { return isa<UndefValue>(v); })) return divergent;
    if (isa<AllocaInst>(i) || isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i)) return divergent;
    if (const auto* const load = dyn_cast<LoadInst>(&i)) return of_load(*load);
    if (const auto* const call = dyn_cast<CallBase>(&i)) return of_call(*call, known);
    return as_operands;
  }

 private:
  Answer of_load(const LoadInst& load) const {
    const auto read = memory_at(load.getPointerOperand());
    const auto is = [](Memory::Kind kind) { return [kind](const Memory& memory) { return memory.kind == kind; }; };
    if (load.isVolatile() || load.isAtomic() || any_of(read, is(Memory::local))) return divergent;
    if (all_of(read, is(Memory::constant)) || is_of_block(load)) return as_operands;
    return written_beside(load, read) ? divergent : as_operands;
  }

  // blockIdx and its like, and what a barrier makes of votes.
  static bool is_of_block(const LoadInst& load) {
    constexpr uint64_t kResultTrue = 52, kResultFalse = 56;
    if (load.hasMetadata(LLVMContext::MD_invariant_load)) return true;
    APInt offset(64, 0);
    const Value* const base =
        load.getPointerOperand()->stripAndAccumulateConstantOffsets(load.getDataLayout(), offset, true);
    return isa<GlobalVariable>(base) && base->getName() == kBlock && (offset == kResultTrue || offset == kResultFalse);
  }

  // Whether a piece in which the load is may write what it reads.
  bool written_beside(const LoadInst& load, ArrayRef<Memory> read) const {
    for (size_t n = 0; n < written_.size(); ++n) {
      if (!pieces_.points[n]->piece.contains(const_cast<BasicBlock*>(load.getParent()))) continue;
      if (written_[n].anything) return true;
      for (const Memory& a : written_[n].memory)
        for (const Memory& b : read)
          if (may_overlap(a, b)) return true;
    }
    return false;
  }

  Answer of_call(const CallBase& call, const Values& known) const {
    const StringRef name = callee_name(&call);
    if (name == kCollective) return group_ == Group::warp && gives_all_the_same(call, known) ? uniform : divergent;
    if (const auto* const intrinsic = dyn_cast<IntrinsicInst>(&call))
      return intrinsic->mayReadFromMemory() ? divergent : as_operands;
    if (is_mathematics(name)) return as_operands;
    return call.getType()->isVoidTy() ? as_operands : divergent;
  }

  // Votes, reductions and matches of the whole warp, and a shuffle whose source is one lane.
  static bool gives_all_the_same(const CallBase& call, const Values& known) {
    using simt::WarpOp;
    const auto* const mask = dyn_cast<ConstantInt>(call.getArgOperand(0));
    const auto* const operation = dyn_cast<ConstantInt>(call.getArgOperand(1));
    if (mask == nullptr || operation == nullptr || !mask->isMinusOne()) return false;
    switch (static_cast<WarpOp>(operation->getZExtValue())) {
      case WarpOp::match_any:
      case WarpOp::converged:
      case WarpOp::call:
        return false;
      case WarpOp::shuffle:
        return isa<Constant>(call.getArgOperand(3)) || known.contains(call.getArgOperand(3));
      default:
        return true;
    }
  }

  // The memory that a piece writes, each object once.
  struct Written {
    SmallVector<Memory, 4> memory;
    bool anything = false;
  };
  static Written written_in(const Point& point) {
    Written all;
    for (const BasicBlock* block : point.piece)
      for (const Instruction& i : *block) {
        SmallVector<Memory, 4> written;
        if (!writes(i, written)) continue;
        all.anything |= written.empty();
        for (const Memory& memory : written)
          if (none_of(all.memory, [&](const Memory& other) { return other.object == memory.object; }))
            all.memory.push_back(memory);
      }
    return all;
  }

  const Pieces& pieces_;
  Group group_;
  std::vector<Written> written_;  // by point
};

std::vector<const Cycle*> depth_first_cycles(const CycleInfo& cycles) {
  std::vector<const Cycle*> result(cycles.toplevel_begin(), cycles.toplevel_end());
  for (size_t i = 0; i < result.size(); ++i)
    for (const Cycle* child : result[i]->children()) result.push_back(child);
  return result;
}

// From which a point can be reached.
DenseSet<const BasicBlock*> blocks_before_points(const Pieces& pieces) {
  SmallVector<const BasicBlock*> todo;
  for (const auto& point : pieces.points)
    if (point->kind != Point::entry) todo.push_back(point->block);
  DenseSet<const BasicBlock*> result;
  while (!todo.empty()) {
    const BasicBlock* const block = todo.pop_back_val();
    if (!result.insert(block).second) continue;
    todo.append(pred_begin(block), pred_end(block));
  }
  return result;
}

}  // namespace

Uniformity::Uniformity(Function& function, const Pieces& pieces, Group group) {
  const DominatorTree dominators(function);
  CycleInfo cycles;
  cycles.compute(function);
  const Sources sources(pieces, group);
  // More is known to be uniform after each round, and patterns of lanes ask for it.
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    Values divergent, always;
    for (const Instruction& i : instructions(function)) {
      const auto answer = sources.of(i, uniform_);
      if (answer == Sources::divergent) divergent.insert(&i);
      if (answer == Sources::uniform) always.insert(&i);
    }
    TargetTransformInfo oracle(Oracle(function.getDataLayout(), divergent, always));
    UniformityInfo analysis(dominators, cycles, &oracle);
    analysis.compute();
    const size_t before = uniform_.size();
    uniform_.clear();
    divided_.clear();
    for (const Instruction& i : instructions(function))
      if (!analysis.isDivergent(static_cast<const Value*>(&i))) uniform_.insert(&i);
    for (const BasicBlock& block : function)
      if (block.getTerminator()->getNumSuccessors() > 1 && analysis.hasDivergentTerminator(block))
        divided_.insert(&block);
    if (uniform_.size() == before) break;
  }
  for (const auto* cycle : depth_first_cycles(cycles)) forget_values_behind(*cycle);
  find_inside(function, pieces);
}

// A value of a cycle that threads may leave one by one is another one for each thread behind it.
void Uniformity::forget_values_behind(const Cycle& cycle) {
  if (none_of(cycle.blocks(), [&](const BasicBlock* block) { return divided_.contains(block); })) return;
  for (const BasicBlock* block : cycle.blocks())
    for (const Instruction& i : *block)
      if (any_of(i.users(), [&](const User* user) { return !cycle.contains(cast<Instruction>(user)->getParent()); }))
        uniform_.erase(&i);
}

// From the branch to where all ways meet again. A way on which no point lies leads to the thread's end: the others go
// on without it, and are together.
void Uniformity::find_inside(Function& function, const Pieces& pieces) {
  const PostDominatorTree post_dominators(function);
  const auto to_points = blocks_before_points(pieces);
  for (const BasicBlock* block : divided_) {
    if (any_of(successors(block), [&](const BasicBlock* next) { return !to_points.contains(next); })) {
      const auto staying =
          count_if(successors(block), [&](const BasicBlock* next) { return to_points.contains(next); });
      if (staying <= 1) continue;
    }
    const auto* const node = post_dominators.getNode(block);
    const BasicBlock* const stop =
        node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
    SmallVector<const BasicBlock*> todo(successors(block));
    DenseSet<const BasicBlock*> seen;
    while (!todo.empty()) {
      const BasicBlock* const reached = todo.pop_back_val();
      if (reached == stop || !seen.insert(reached).second) continue;
      inside_.insert(reached);
      todo.append(succ_begin(reached), succ_end(reached));
    }
  }
}

bool Uniformity::is_uniform(const Value* value) const {
  return isa<Constant>(value) || isa<Argument>(value) || uniform_.contains(value);
}

}  // namespace assay::regions
