// Counted loops, and the copy of the piece inside.
#include "harness/simt/regions/thread_loops.h"

#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/state.h"
#include "harness/simt/regions/working.h"
#include "llvm/IR/Module.h"

namespace assay::regions {
namespace {

using namespace llvm;
using simt::regions::Segment;
using simt::regions::State;

// for (i = begin; i < end; ++i), which runs at least once.
struct CountedLoop {
  BasicBlock *body, *latch;
  PHINode* index;

  CountedLoop(BasicBlock* from, BasicBlock* to, Value* begin, Value* end, const char* name) {
    Function& function = *from->getParent();
    body = BasicBlock::Create(function.getContext(), name, &function);
    latch = BasicBlock::Create(function.getContext(), "latch", &function);
    BranchInst::Create(body, from);
    IRBuilder<> builder(body);
    index = builder.CreatePHI(builder.getInt32Ty(), 2, name);
    builder.SetInsertPoint(latch);
    Value* const next = builder.CreateAdd(index, builder.getInt32(1), "", true, true);
    builder.CreateCondBr(builder.CreateICmpULT(next, end), body, to);
    index->addIncoming(begin, from);
    index->addIncoming(next, latch);
  }
};

// Element `index` of the array that a member of the state points to.
Value* element(IRBuilder<>& builder, Value* state, uint64_t offset, Type* type, Value* index) {
  Value* const array = builder.CreateLoad(builder.getPtrTy(), member(builder, state, offset));
  return builder.CreateLoad(type,
                            builder.CreateInBoundsGEP(type, array, builder.CreateZExt(index, builder.getInt64Ty())));
}

struct Visited {
  Value *begin, *end;
};

// The threads of a segment that have work, by their place in it.
Visited visited(IRBuilder<>& builder, const PieceCopy& copy, Value* first, Value* x, Value* count) {
  Value* const zero = builder.getInt32(0);
  if (!copy.guard) return {zero, count};
  Value* bound = copy.guard->bound;
  if (const auto* const load = dyn_cast<LoadInst>(bound); load != nullptr && isa<AllocaInst>(load->getPointerOperand()))
    bound = copy.before.lookup(cast<AllocaInst>(load->getPointerOperand()));
  Value* const index = copy.guard->is_linear ? first : x;
  Value* const none = builder.getInt32(simt::regions::kThreads);
  if (copy.guard->test == Guard::equal) {
    Value* const at = builder.CreateSub(bound, index);  // of no thread if it is not in [0, count)
    return {at, builder.CreateSelect(builder.CreateICmpULT(at, count), builder.CreateAdd(at, builder.getInt32(1)), at)};
  }
  const bool is_signed = copy.guard->test == Guard::below_signed;
  Value* const least = is_signed ? builder.CreateBinaryIntrinsic(Intrinsic::smax, bound, zero) : bound;
  Value* const below = builder.CreateBinaryIntrinsic(Intrinsic::umin, least, none);
  Value* const end = builder.CreateBinaryIntrinsic(Intrinsic::smin, builder.CreateSub(below, index), count);
  return {zero, builder.CreateBinaryIntrinsic(Intrinsic::smax, end, zero)};
}

// Proofs are of all threads that the loops may run for: those of a block, and of a warp's segment.
std::array<Range, 4> threads_of_block(IRBuilder<>& builder) {
  Value* const block = builder.GetInsertBlock()->getModule()->getOrInsertGlobal(kBlock, builder.getInt8Ty());
  Value *end[4], *threads = builder.getInt64(1);
  for (uint64_t d = 0; d < 3; ++d) {
    constexpr uint64_t kBlockDim = 12;  // as in indices.cpp
    Value* const size = builder.CreateLoad(builder.getInt32Ty(), member(builder, block, kBlockDim + 4 * d));
    end[d] = builder.CreateZExt(size, builder.getInt64Ty());
    threads = builder.CreateMul(threads, end[d]);
  }
  end[3] = threads;
  std::array<Range, 4> ranges;
  for (size_t k = 0; k < ranges.size(); ++k)
    ranges[k] = {builder.getInt64(0), builder.CreateSub(end[k], builder.getInt64(1)), builder.getInt64(0), 0,
                 builder.getTrue()};
  return ranges;
}
Value* prove_for_segment(IRBuilder<>& builder, const PieceCopy& copy, const Thread& first, Value* count) {
  const auto of = [&](Value* value, bool is_single) {
    Value* const least = builder.CreateZExt(value, builder.getInt64Ty());
    Value* const others = builder.CreateSub(builder.CreateZExt(count, builder.getInt64Ty()), builder.getInt64(1));
    return is_single ? Range{least, least, least, 64, builder.getTrue()}
                     : Range{least, builder.CreateAdd(least, others), builder.getInt64(0), 0, builder.getTrue()};
  };
  return copy.proofs->prove(builder, copy.before,
                            {of(first.x, false), of(first.y, true), of(first.z, true), of(first.linear, false)});
}

std::optional<Straight> straight_for_block(IRBuilder<>& builder, const PieceCopy& copy) {
  const BasicBlock* const prologue = &copy.point.start->getParent()->getEntryBlock();
  Ranges ranges(builder, copy.point, copy.pieces, prologue, copy.before, threads_of_block(builder));
  return straight(ranges, builder);
}

// The number of the copy that runs, of those that `usual` has; their count: none of them.
Value* choose(IRBuilder<>& builder, const Straight& usual) {
  const auto number = [&](size_t k) { return builder.getInt32(static_cast<uint32_t>(k)); };
  Value* const none = number(usual.copies());
  Value* which = usual.size == nullptr ? number(0) : none;
  for (size_t k = 0; k < usual.sizes.size(); ++k)
    which = builder.CreateSelect(builder.CreateICmpEQ(usual.size, usual.sizes[k]), number(k), which);
  return builder.CreateSelect(usual.holds, which, none);
}

}  // namespace

void loop_over_threads(const PieceCopy& copy, Value* group, bool is_warp, BasicBlock* from, BasicBlock* to) {
  IRBuilder<> builder(from);
  Value* proven = copy.proofs != nullptr && !is_warp
                      ? copy.proofs->prove(builder, copy.before, threads_of_block(builder))
                      : nullptr;
  std::optional<Straight> usual;
  if (copy.proofs == nullptr && !is_warp && !copy.guard) usual = straight_for_block(builder, copy);
  Value* const which = usual ? choose(builder, *usual) : nullptr;
  Type* const i32 = builder.getInt32Ty();
  Value* const begin = element(builder, copy.state, offsetof(State, begin), i32, group);
  Value* const end = element(builder, copy.state, offsetof(State, end), i32, group);
  Value* const segments =
      builder.CreateLoad(builder.getPtrTy(), member(builder, copy.state, offsetof(State, segments)));
  BasicBlock* const any = BasicBlock::Create(from->getContext(), "some", from->getParent());
  builder.CreateCondBr(builder.CreateICmpULT(begin, end), any, to);
  const CountedLoop each(any, to, begin, end, "segment");
  builder.SetInsertPoint(each.body);
  Value* const place =
      builder.CreateNUWMul(builder.CreateZExt(each.index, builder.getInt64Ty()), builder.getInt64(sizeof(Segment)));
  Value* const segment = builder.CreateInBoundsGEP(builder.getInt8Ty(), segments, place);
  const auto of_segment = [&](uint64_t offset) { return builder.CreateLoad(i32, member(builder, segment, offset)); };
  Value *const first = of_segment(offsetof(Segment, first)), *const x = of_segment(offsetof(Segment, x));
  Value *const y = of_segment(offsetof(Segment, y)), *const z = of_segment(offsetof(Segment, z));
  Value* const count = of_segment(offsetof(Segment, count));
  Visited range = visited(builder, copy, first, x, count);
  if (copy.proofs != nullptr && is_warp) proven = prove_for_segment(builder, copy, {x, y, z, first}, count);
  // One of those without work stores for all what they store.
  if (const auto working = proven == nullptr || copy.guard || copy.ending.checks_agreement
                               ? std::nullopt
                               : working_threads(builder, copy.proofs->ranges(), copy.contexts)) {
    Value* const index = builder.CreateZExt(working->is_linear ? first : x, builder.getInt64Ty());
    Value* const some = builder.CreateBinaryIntrinsic(Intrinsic::ssub_sat, working->end, index);
    Value* const one = builder.CreateBinaryIntrinsic(Intrinsic::smax, some, builder.getInt64(1));
    Value* const most = builder.CreateZExt(count, builder.getInt64Ty());
    range.end = builder.CreateTrunc(builder.CreateBinaryIntrinsic(Intrinsic::smin, one, most), i32);
  }
  const auto new_block = [&] { return BasicBlock::Create(from->getContext(), "run", from->getParent()); };
  BasicBlock* const run = new_block();
  builder.CreateCondBr(builder.CreateICmpULT(range.begin, range.end), run, each.latch);
  const auto run_threads = [&](BasicBlock* start, const Settled& settled) {
    const CountedLoop threads(start, each.latch, range.begin, range.end, "thread");
    IRBuilder<> inside(threads.body);
    const auto plus = [&](Value* a) { return inside.CreateAdd(a, threads.index, "", true, true); };
    copy_piece(copy, threads.body, threads.latch, {plus(x), y, z, plus(first)}, settled);
  };
  if (proven == nullptr) {
    BasicBlock* const general = usual ? new_block() : run;
    auto* const ways = usual ? SwitchInst::Create(which, general, 2, run) : nullptr;
    for (unsigned k = 0; usual && k < usual->copies(); ++k) {
      BasicBlock* const start = new_block();
      ways->addCase(builder.getInt32(k), start);
      run_threads(start, {.straight = &*usual, .size = usual->sizes.empty() ? nullptr : usual->sizes[k]});
    }
    return run_threads(general, {});
  }
  BasicBlock *const checked = new_block(), *const settled = new_block();
  builder.SetInsertPoint(run);
  const auto wide = [&](Value* value) { return builder.CreateZExt(value, builder.getInt64Ty()); };
  proven = copy.proofs->prove_rows({wide(x), wide(y), wide(z), wide(first), wide(count)}, proven, copy.times);
  builder.CreateCondBr(proven, settled, checked);
  run_threads(settled, {.checks = true});
  run_threads(checked, {});
}

}  // namespace assay::regions
