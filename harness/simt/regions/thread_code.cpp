// Copying a kernel, and inlining what it calls.
#include "harness/simt/regions/thread_code.h"

#include <map>

#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/checks.h"
#include "harness/simt/regions/indices.h"
#include "harness/simt/regions/markers.h"
#include "harness/simt/regions/state.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

namespace assay::regions {
namespace {

using namespace llvm;

constexpr size_t kInstructionsMax = 60'000;

// Simplifies what inlining leaves, without moving a barrier.
constexpr const char* kClean =
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg<no-simplify-cond-branch>,instcombine<no-verify-fixpoint>";
// The same, and loops of few trips unrolled, so that local arrays become values.
constexpr const char* kSimplify =
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg<no-simplify-cond-branch>,instcombine<no-verify-fixpoint>,"
    "loop-simplify,lcssa,loop(loop-rotate,indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,early-cse<memssa>,"
    "simplifycfg<no-simplify-cond-branch>,instcombine<no-verify-fixpoint>,gvn,simplifycfg<no-simplify-cond-branch>,"
    "instcombine<no-verify-fixpoint>,dce";

class Maker {
 public:
  Maker(Function& kernel, FunctionAnalysisManager& analyses, PassBuilder& passes)
      : module_(*kernel.getParent()), context_(kernel.getContext()), analyses_(analyses), passes_(passes) {
    ValueToValueMapTy map;
    code_.function = CloneFunction(&kernel, map);
    code_.function->setName(kernel.getName() + ".split");
    code_.function->setLinkage(GlobalValue::InternalLinkage);
    code_.function->setVisibility(GlobalValue::DefaultVisibility);
    code_.function->setComdat(nullptr);
    for (Argument& argument : code_.function->args()) argument.removeAttr(Attribute::NoAlias);
  }

  ThreadCode make() {
    copy_parameters();
    if (!inline_all()) return refused();
    forget_scopes();
    if (wants_checks(module_)) straighten_traps(f());
    simplify(kClean);
    read_indices(f());
    simplify(kSimplify);
    if (wants_checks(module_)) drop_checks_of_records(f());
    split_prologue();
    return code_;
  }

 private:
  ThreadCode refused() {
    code_.function->eraseFromParent();
    code_.function = nullptr;
    return code_;
  }
  bool refuse(std::string why) {
    code_.refused = std::move(why);
    return false;
  }

  Function& f() { return *code_.function; }

  void simplify(const char* pipeline) {
    FunctionPassManager manager;
    if (Error error = passes_.parsePassPipeline(manager, pipeline)) report_fatal_error(std::move(error));
    analyses_.invalidate(f(), PreservedAnalyses::none());
    manager.run(f(), analyses_);
    analyses_.invalidate(f(), PreservedAnalyses::none());
  }

  // A parameter in memory belongs to the thread, which may write it; threads of a split kernel have one between them.
  void copy_parameters() {
    IRBuilder<> builder(&*f().getEntryBlock().getFirstInsertionPt());
    for (Argument& argument : f().args()) {
      if (!argument.hasByValAttr()) continue;
      Type* const type = argument.getParamByValType();
      auto* const copy = builder.CreateAlloca(type);
      const Align align = f().getParamAlign(argument.getArgNo()).valueOrOne();
      copy->setAlignment(std::max(copy->getAlign(), align));
      argument.replaceAllUsesWith(copy);
      builder.CreateMemCpy(copy, align, &argument, align, module_.getDataLayout().getTypeAllocSize(type));
    }
  }

  // Inlining goes on until only calls are left that the pass knows.
  bool inline_all() {
    std::map<const Function*, unsigned> times;
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<CallBase*> calls;
      for (Instruction& i : instructions(f()))
        if (auto* call = dyn_cast<CallBase>(&i); call != nullptr && !isa<IntrinsicInst>(call)) calls.push_back(call);
      for (CallBase* call : calls) {
        const Treatment treatment = treatment_of(*call);
        if (treatment.kind == Treatment::refuse) return refuse(treatment.why);
        if (treatment.kind == Treatment::keep) continue;
        changed = true;
        if (treatment.kind == Treatment::replace) {
          replace(*call, treatment);
          continue;
        }
        const Function* const callee = call->getCalledFunction();
        if (++times[callee] > 20'000) return refuse(("recursion: " + callee->getName()).str());
        InlineFunctionInfo info;
        const InlineResult result = InlineFunction(*call, info);
        if (!result.isSuccess()) return refuse(std::string("cannot be inlined: ") + result.getFailureReason());
      }
      if (f().getInstructionCount() > kInstructionsMax) return refuse("too large, or recursion");
    }
    return end_unwinding();
  }

  // Functions that the pass keeps never throw, so nobody lands anywhere.
  bool end_unwinding() {
    SmallVector<InvokeInst*> invokes;
    for (Instruction& i : instructions(f()))
      if (auto* invoke = dyn_cast<InvokeInst>(&i)) invokes.push_back(invoke);
    for (InvokeInst* invoke : invokes) changeToCall(invoke);
    removeUnreachableBlocks(f());
    for (Instruction& i : instructions(f())) {
      if (isa<LandingPadInst>(i) || isa<IndirectBrInst>(i) || isa<CallBrInst>(i)) return refuse("unusual control flow");
      if (auto* local = dyn_cast<AllocaInst>(&i); local != nullptr && !isa<ConstantInt>(local->getArraySize()))
        return refuse("local array of variable length");
    }
    f().setPersonalityFn(nullptr);
    return true;
  }

  void replace(CallBase& call, const Treatment& treatment) {
    IRBuilder<> builder(&call);
    Value* value = nullptr;
    Type *const i32 = builder.getInt32Ty(), *const i64 = builder.getInt64Ty();
    Type* const nothing = builder.getVoidTy();
    if (treatment.by == Meaning::barrier) {
      value = builder.CreateCall(marker(module_, kBarrier, FunctionType::get(nothing, {i32}, false), true),
                                 {call.getArgOperand(0)});
    } else if (treatment.by == Meaning::collective) {
      auto* const type = FunctionType::get(i64, {i32, builder.getInt8Ty(), i64, i32}, false);
      value = builder.CreateCall(
          marker(module_, kCollective, type, true),
          {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2), call.getArgOperand(3)});
    } else if (treatment.by == Meaning::current) {
      value = builder.CreateCall(marker(module_, kCurrent, FunctionType::get(builder.getPtrTy(), false), false));
    } else if (treatment.by == Meaning::lane) {
      value = builder.CreateAnd(builder.CreateCall(index_marker(module_, kLinear)), simt::regions::kLanesOfWarp - 1);
    }
    if (value != nullptr && !call.getType()->isVoidTy()) call.replaceAllUsesWith(value);
    if (auto* invoke = dyn_cast<InvokeInst>(&call)) {
      invoke->getUnwindDest()->removePredecessor(invoke->getParent());
      BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
    }
    call.eraseFromParent();
  }

  // A promise of `restrict` holds within a thread; here threads share a function. Variables of a debugger are dropped.
  void forget_scopes() {
    for (Instruction& i : make_early_inc_range(instructions(f()))) {
      i.setMetadata(LLVMContext::MD_noalias, nullptr);
      i.setMetadata(LLVMContext::MD_alias_scope, nullptr);
      i.dropDbgRecords();
      if (isa<NoAliasScopeDeclInst>(i) || isa<DbgInfoIntrinsic>(i)) i.eraseFromParent();
    }
  }

  // The loads and indices of read_indices() go to the front again, from where simplification has sunk them to.
  void split_prologue() {
    BasicBlock& entry = f().getEntryBlock();
    SmallVector<Instruction*> first;
    for (Instruction& i : instructions(f()))
      if (isa<AllocaInst>(i) || index_of_thread(&i) >= 0 || i.hasMetadata(LLVMContext::MD_invariant_load))
        first.push_back(&i);
    Instruction* at = &*entry.getFirstInsertionPt();
    for (Instruction* i : first) {
      if (auto* load = dyn_cast<LoadInst>(i); load != nullptr && !can_stand_first(*load)) continue;
      if (i == at) {
        at = at->getNextNode();
        continue;
      }
      i->moveBefore(at);
    }
    code_.prologue = &entry;
    SplitBlock(&entry, at);
  }
  static bool can_stand_first(const LoadInst& load) { return isa<Constant>(load.getPointerOperand()); }

  Module& module_;
  LLVMContext& context_;
  FunctionAnalysisManager& analyses_;
  PassBuilder& passes_;
  ThreadCode code_;
};

}  // namespace

ThreadCode make_thread_code(Function& kernel, FunctionAnalysisManager& analyses, PassBuilder& passes) {
  return Maker(kernel, analyses, passes).make();
}

}  // namespace assay::regions
