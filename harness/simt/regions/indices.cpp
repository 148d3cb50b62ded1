// Recognition of the loads, by where they read.
#include "harness/simt/regions/indices.h"

#include <map>

#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/markers.h"
#include "harness/simt/regions/state.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

namespace assay::regions {
namespace {

using namespace llvm;

constexpr uint64_t kThreadIdxOffset = 16;  // of Fiber::thread_idx (include/simt/fiber.h)
constexpr uint64_t kFiberBytes = 32;
constexpr uint64_t kIndicesEnd = 36;  // block_idx, block_dim and grid_dim are the first members of Block

class Reader {
 public:
  explicit Reader(Function& function)
      : function_(function), module_(*function.getParent()), context_(function.getContext()) {}

  void read() {
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Value* index[3];
    for (int d = 0; d < 3; ++d) index[d] = ranged(builder.CreateCall(index_marker(module_, kIndex[d])), 0, 1024);
    Value* const linear = ranged(builder.CreateCall(index_marker(module_, kLinear)), 0, 1024);
    builder.SetInsertPoint(cast<Instruction>(index[0]));  // which stays
    SmallVector<Instruction*> currents, dead;
    for (Instruction& i : instructions(function_)) {
      if (callee_name(&i) == kCurrent) currents.push_back(&i);
      if (callee_name(&i) == kLinear && &i != linear) dead.push_back(&i);
    }
    for (Instruction* i : dead) i->replaceAllUsesWith(linear), i->eraseFromParent();
    std::map<uint64_t, Value*> of_block;
    const DataLayout& layout = module_.getDataLayout();
    for (Instruction& i : make_early_inc_range(instructions(function_))) {
      auto* const load = dyn_cast<LoadInst>(&i);
      if (load == nullptr || !load->getType()->isIntegerTy(32)) continue;
      APInt offset(64, 0);
      Value* const base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
      const uint64_t at = offset.getZExtValue();
      Value* value = nullptr;
      if (callee_name(base) == kCurrent && at >= kThreadIdxOffset && at < kThreadIdxOffset + 12 && at % 4 == 0)
        value = index[(at - kThreadIdxOffset) / 4];
      else if (base->getName() == kBlock && isa<GlobalVariable>(base) && at < kIndicesEnd && at % 4 == 0)
        value = of_block[at] != nullptr ? of_block[at] : of_block[at] = load_of_block(builder, base, at);
      if (value == nullptr) continue;
      load->replaceAllUsesWith(value);
      load->eraseFromParent();
    }
    for (Instruction* current : currents) give_record(*current, linear);
  }

 private:
  Value* ranged(Instruction* value, uint64_t least, uint64_t end) {
    value->setMetadata(LLVMContext::MD_range, MDBuilder(context_).createRange(APInt(32, least), APInt(32, end)));
    return value;
  }

  Value* load_of_block(IRBuilder<>& builder, Value* block, uint64_t offset) {
    auto* const load = builder.CreateLoad(builder.getInt32Ty(),
                                          builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), block, offset));
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(context_, {}));
    if (offset < 12) return ranged(load, 0, 0x7fffffff);
    return offset < 24 ? ranged(load, 1, 1025) : ranged(load, 1, 0x80000000u);
  }

  // Other uses of current() hand it to functions of the executor, which read the thread's index.
  void give_record(Instruction& current, Value* linear) {
    IRBuilder<> builder(&current);
    if (!current.use_empty()) {
      auto* const state = module_.getOrInsertGlobal("assay_simt_regions", builder.getInt8Ty());
      Value* const address =
          builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, offsetof(simt::regions::State, fibers));
      auto* const records = builder.CreateLoad(builder.getPtrTy(), address);
      records->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(context_, {}));
      Value* const offset =
          builder.CreateMul(builder.CreateZExt(linear, builder.getInt64Ty()), builder.getInt64(kFiberBytes));
      current.replaceAllUsesWith(builder.CreateInBoundsGEP(builder.getInt8Ty(), records, offset));
    }
    current.eraseFromParent();
  }

  Function& function_;
  Module& module_;
  LLVMContext& context_;
};

}  // namespace

void read_indices(Function& function) { Reader(function).read(); }

}  // namespace assay::regions
