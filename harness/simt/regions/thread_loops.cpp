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
// The number of the copy that runs, of those that `usual` has; their count: none of them.
Value* choose(IRBuilder<>& builder, const Straight& usual) {
  const auto number = [&](size_t k) { return builder.getInt32(static_cast<uint32_t>(k)); };
  Value* const none = number(usual.copies());
  Value* which = usual.size == nullptr ? number(0) : none;
  for (size_t k = 0; k < usual.sizes.size(); ++k)
    which = builder.CreateSelect(builder.CreateICmpEQ(usual.size, usual.sizes[k]), number(k), which);
  return builder.CreateSelect(usual.holds, which, none);
}

class Loops {
 public:
  Loops(const PieceCopy& copy, bool is_warp, IRBuilder<>& builder, Value* group, BasicBlock* to)
      : copy_(copy), is_warp_(is_warp), builder_(builder), to_(to) {
    Type* const i32 = builder.getInt32Ty();
    begin_ = element(builder, copy.state, offsetof(State, begin), i32, group);
    end_ = element(builder, copy.state, offsetof(State, end), i32, group);
    segments_ = builder.CreateLoad(builder.getPtrTy(), member(builder, copy.state, offsetof(State, segments)));
    BasicBlock* const any = new_block("some");
    builder.CreateCondBr(builder.CreateICmpULT(begin_, end_), any, to);
    builder.SetInsertPoint(any);
  }

  void make() {
    Ranges ranges(builder_, copy_.point, copy_.pieces, &to_->getParent()->getEntryBlock(), copy_.before,
                  is_warp_ ? threads_of_warp() : threads_of_block(builder_));
    Value* proven = copy_.proofs == nullptr ? nullptr : copy_.proofs->prove(builder_, ranges);
    working_ = working_threads(builder_, ranges, copy_.contexts, copy_.ending);
    std::optional<Straight> usual;
    if ((copy_.proofs == nullptr || proven != nullptr) && !is_warp_ && !working_) usual = straight(ranges, builder_);
    Value* const which = usual ? choose(builder_, *usual) : nullptr;
    BasicBlock* start = builder_.GetInsertBlock();
    if (proven != nullptr) {
      BasicBlock *const checked = new_block("checked"), *const settled = new_block("settled");
      proven = prove_rows(proven);
      builder_.CreateCondBr(proven, settled, checked);
      run(checked, {});
      start = settled;
      if (!copy_.proofs->are_all_settled()) usual.reset();
    }
    const Settled rest{.checks = proven != nullptr};
    if (!usual) return run(start, rest);
    BasicBlock* const general = new_block("general");
    auto* const ways = SwitchInst::Create(which, general, 2, start);
    for (unsigned k = 0; k < usual->copies(); ++k) {
      BasicBlock* const copied = new_block("usual");
      ways->addCase(builder_.getInt32(k), copied);
      run(copied,
          {.checks = rest.checks, .straight = &*usual, .size = usual->sizes.empty() ? nullptr : usual->sizes[k]});
    }
    run(general, rest);
  }

 private:
  struct Loaded {
    Value *first, *x, *y, *z, *count;
  };
  BasicBlock* new_block(const char* name) { return BasicBlock::Create(to_->getContext(), name, to_->getParent()); }
  Loaded segment(IRBuilder<>& builder, Value* index) const {
    Value* const place =
        builder.CreateNUWMul(builder.CreateZExt(index, builder.getInt64Ty()), builder.getInt64(sizeof(Segment)));
    Value* const at = builder.CreateInBoundsGEP(builder.getInt8Ty(), segments_, place);
    const auto load = [&](uint64_t offset) {
      return builder.CreateLoad(builder.getInt32Ty(), member(builder, at, offset));
    };
    return {load(offsetof(Segment, first)), load(offsetof(Segment, x)), load(offsetof(Segment, y)),
            load(offsetof(Segment, z)), load(offsetof(Segment, count))};
  }

  // A warp that lives is one segment.
  std::array<Range, 4> threads_of_warp() {
    Value* const is_one = builder_.CreateICmpEQ(builder_.CreateSub(end_, begin_), builder_.getInt32(1));
    const Loaded loaded = segment(builder_, begin_);
    const auto wide = [&](Value* value) { return builder_.CreateZExt(value, builder_.getInt64Ty()); };
    Value* const others = builder_.CreateSub(wide(loaded.count), builder_.getInt64(1));
    const auto many = [&](Value* value) {
      return Range{wide(value), builder_.CreateAdd(wide(value), others), builder_.getInt64(0), 0, is_one};
    };
    const auto one = [&](Value* value) {
      Value* const number = wide(value);
      return Range{number, number, number, 64, is_one};
    };
    return {many(loaded.x), one(loaded.y), one(loaded.z), many(loaded.first)};
  }

  // For all segments, so that marks are there before the first thread runs.
  Value* prove_rows(Value* proven) {
    BasicBlock *const from = builder_.GetInsertBlock(), *const done = new_block("proven");
    const CountedLoop each(from, done, begin_, end_, "segment");
    builder_.SetInsertPoint(each.body);
    PHINode* const before = builder_.CreatePHI(builder_.getInt1Ty(), 2);
    const Loaded loaded = segment(builder_, each.index);
    const auto wide = [&](Value* value) { return builder_.CreateZExt(value, builder_.getInt64Ty()); };
    Value* const after = copy_.proofs->prove_rows(
        {wide(loaded.x), wide(loaded.y), wide(loaded.z), wide(loaded.first), wide(loaded.count)}, before, copy_.times);
    builder_.CreateBr(each.latch);
    before->addIncoming(proven, from);
    before->addIncoming(after, each.latch);
    builder_.SetInsertPoint(done);
    return after;
  }

  // The threads of a segment that have work, by their place in it.
  std::pair<Value*, Value*> visited(IRBuilder<>& builder, const Loaded& loaded) const {
    if (!working_) return {builder.getInt32(0), loaded.count};
    Type *const i32 = builder.getInt32Ty(), *const i64 = builder.getInt64Ty();
    Value* const index = builder.CreateZExt(working_->is_linear ? loaded.first : loaded.x, i64);
    Value* const count = builder.CreateZExt(loaded.count, i64);
    const auto place = [&](Value* thread) {
      Value* const behind = builder.CreateBinaryIntrinsic(Intrinsic::ssub_sat, thread, index);
      Value* const least = builder.CreateBinaryIntrinsic(Intrinsic::smax, behind, builder.getInt64(0));
      return builder.CreateBinaryIntrinsic(Intrinsic::smin, least, count);
    };
    Value *begin = place(working_->begin), *end = place(working_->end);
    if (working_->needs_one) {
      Value* const none = builder.CreateICmpUGE(begin, end);
      begin = builder.CreateSelect(none, builder.getInt64(0), begin);
      end = builder.CreateSelect(none, builder.getInt64(1), end);
    }
    return {builder.CreateTrunc(begin, i32), builder.CreateTrunc(end, i32)};
  }

  // The piece for each thread, by a loop from `start` to `to`.
  void run(BasicBlock* start, const Settled& settled) {
    const CountedLoop each(start, to_, begin_, end_, "segment");
    IRBuilder<> builder(each.body);
    const Loaded loaded = segment(builder, each.index);
    const auto [begin, end] = visited(builder, loaded);
    BasicBlock* const some = new_block("run");
    builder.CreateCondBr(builder.CreateICmpULT(begin, end), some, each.latch);
    const CountedLoop threads(some, each.latch, begin, end, "thread");
    builder.SetInsertPoint(threads.body);
    const auto plus = [&](Value* a) { return builder.CreateAdd(a, threads.index, "", true, true); };
    copy_piece(copy_, threads.body, threads.latch, {plus(loaded.x), loaded.y, loaded.z, plus(loaded.first)}, settled);
  }

  const PieceCopy& copy_;
  bool is_warp_;
  IRBuilder<>& builder_;
  BasicBlock* to_;
  Value *begin_, *end_, *segments_;
  std::optional<Working> working_ = std::nullopt;
};

}  // namespace

void loop_over_threads(const PieceCopy& copy, Value* group, bool is_warp, BasicBlock* from, BasicBlock* to) {
  IRBuilder<> builder(from);
  Loops(copy, is_warp, builder, group, to).make();
}

}  // namespace assay::regions
