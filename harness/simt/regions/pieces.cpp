// Cutting blocks, and reaching from each point.
#include "harness/simt/regions/pieces.h"

#include "harness/simt/regions/markers.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace assay::regions {

using namespace llvm;

const Point* Pieces::ending(const BasicBlock* block) const {
  for (const auto& point : points)
    if (point->block == block && point->kind != Point::entry) return point.get();
  return nullptr;
}

namespace {

void add_point(Pieces& pieces, Point::Kind kind, CallInst* call, BasicBlock* block) {
  auto point = std::make_unique<Point>();
  point->kind = kind;
  point->number = static_cast<unsigned>(pieces.points.size()) + 1;
  point->call = call;
  point->block = block;
  point->start = block->getSingleSuccessor();
  FoldSingleEntryPHINodes(point->start);
  pieces.points.push_back(std::move(point));
}

void reach(const Pieces& pieces, Point& from) {
  from.piece.insert(from.start);
  for (size_t i = 0; i < from.piece.size(); ++i) {
    BasicBlock* const block = from.piece[i];
    if (const Point* const end = pieces.ending(block)) {
      from.ends.insert(end->number);
    } else if (isa<ReturnInst>(block->getTerminator())) {
      from.ends.insert(kReturned);
    } else {
      from.piece.insert(succ_begin(block), succ_end(block));
    }
  }
}

}  // namespace

Pieces cut(Function& function, BasicBlock* prologue) {
  Pieces pieces;
  add_point(pieces, Point::entry, nullptr, prologue);
  SmallVector<CallInst*> calls;
  for (Instruction& i : instructions(function))
    if (callee_name(&i) == kBarrier || callee_name(&i) == kCollective) calls.push_back(cast<CallInst>(&i));
  for (CallInst* call : calls) {
    BasicBlock* const block = call->getParent();
    SplitBlock(block, call->getNextNode());
    const bool is_barrier = callee_name(call) == kBarrier;
    (is_barrier ? pieces.has_barriers : pieces.has_collectives) = true;
    add_point(pieces, is_barrier ? Point::barrier : Point::collective, call, block);
  }
  for (const auto& point : pieces.points) reach(pieces, *point);
  return pieces;
}

}  // namespace assay::regions
