// The proof asks LLVM's uniformity; the operands are arrays by lane.
#include "harness/simt/regions/collectives.h"

#include "harness/simt/include/simt/warp_op.h"
#include "harness/simt/regions/markers.h"
#include "harness/simt/regions/piece_copy.h"
#include "harness/simt/regions/state.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace assay::regions {

using namespace llvm;
using simt::regions::State;

std::string why_not_by_warps(const Pieces& pieces, const Uniformity& warp) {
  for (const auto& point : pieces.points) {
    if (point->kind != Point::collective) continue;
    const auto* const operation = dyn_cast<ConstantInt>(point->call->getArgOperand(1));
    if (operation == nullptr) return "a warp operation that is chosen at run time";
    if (operation->equalsInt(static_cast<uint64_t>(simt::WarpOp::converged))) return "coalesced threads";
    if (warp.is_divided(point->block)) return "a warp operation below a branch that is not proven uniform in a warp";
  }
  return "";
}

void lower_collectives(Function& function, const Pieces& pieces) {
  Instruction* const linear = number_of_thread(function);
  Value* const state =
      function.getParent()->getOrInsertGlobal("assay_simt_regions", Type::getInt8Ty(function.getContext()));
  for (const auto& point : pieces.points) {
    if (point->kind != Point::collective) continue;
    const auto place = [&](IRBuilder<>& builder, uint64_t offset, Type* type) {
      Value* const lane = builder.CreateAnd(linear, simt::regions::kLanesOfWarp - 1);
      return builder.CreateInBoundsGEP(type, member(builder, state, offset),
                                       builder.CreateZExt(lane, builder.getInt64Ty()));
    };
    IRBuilder<> before(point->call);
    const auto leave = [&](uint64_t offset, Value* value) {
      before.CreateStore(value, place(before, offset, value->getType()));
    };
    leave(offsetof(State, masks), point->call->getArgOperand(0));
    const auto operation = static_cast<simt::WarpOp>(cast<ConstantInt>(point->call->getArgOperand(1))->getZExtValue());
    if (operation != simt::WarpOp::sync) leave(offsetof(State, values), point->call->getArgOperand(2));
    if (operation == simt::WarpOp::shuffle) leave(offsetof(State, sources), point->call->getArgOperand(3));
    if (point->call->use_empty()) continue;
    IRBuilder<> behind(&*point->start->getFirstInsertionPt());
    Value* const result =
        behind.CreateLoad(behind.getInt64Ty(), place(behind, offsetof(State, results), behind.getInt64Ty()));
    point->call->replaceAllUsesWith(result);
  }
}

}  // namespace assay::regions
