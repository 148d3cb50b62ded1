// Counted loops, and the copy of the piece inside.
#include "harness/simt/regions/thread_loops.h"

#include "harness/simt/regions/state.h"

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

struct Range {
  Value *begin, *end;
};

// The threads of a segment that have work, by their place in it.
Range range_of(IRBuilder<>& builder, const PieceCopy& copy, Value* first, Value* x, Value* count) {
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

}  // namespace

void loop_over_threads(const PieceCopy& copy, Value* group, BasicBlock* from, BasicBlock* to) {
  IRBuilder<> builder(from);
  Type* const i32 = builder.getInt32Ty();
  Value* const begin = element(builder, copy.state, offsetof(State, begin), i32, group);
  Value* const end = element(builder, copy.state, offsetof(State, end), i32, group);
  Value* const segments =
      builder.CreateLoad(builder.getPtrTy(), member(builder, copy.state, offsetof(State, segments)));
  BasicBlock* const some = BasicBlock::Create(from->getContext(), "some", from->getParent());
  builder.CreateCondBr(builder.CreateICmpULT(begin, end), some, to);
  const CountedLoop each(some, to, begin, end, "segment");
  builder.SetInsertPoint(each.body);
  Value* const place =
      builder.CreateNUWMul(builder.CreateZExt(each.index, builder.getInt64Ty()), builder.getInt64(sizeof(Segment)));
  Value* const segment = builder.CreateInBoundsGEP(builder.getInt8Ty(), segments, place);
  const auto of_segment = [&](uint64_t offset) { return builder.CreateLoad(i32, member(builder, segment, offset)); };
  Value *const first = of_segment(offsetof(Segment, first)), *const x = of_segment(offsetof(Segment, x));
  Value *const y = of_segment(offsetof(Segment, y)), *const z = of_segment(offsetof(Segment, z));
  Value* const count = of_segment(offsetof(Segment, count));
  const Range range = range_of(builder, copy, first, x, count);
  BasicBlock* const run = BasicBlock::Create(from->getContext(), "run", from->getParent());
  builder.CreateCondBr(builder.CreateICmpULT(range.begin, range.end), run, each.latch);
  const CountedLoop threads(run, each.latch, range.begin, range.end, "thread");
  builder.SetInsertPoint(threads.body);
  const auto plus = [&](Value* a) { return builder.CreateAdd(a, threads.index, "", true, true); };
  copy_piece(copy, threads.body, threads.latch, {plus(x), y, z, plus(first)});
}

}  // namespace assay::regions
