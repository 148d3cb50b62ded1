// The pass: splits every kernel of a module that it can, beside the code for fibers, and writes a table of what became
// of each. clang++-19 -fpass-plugin=… runs it in front of its own optimisation.
//
// ASSAY_REGIONS_REPORT names a file to which a line for each kernel is added: `split`, `split by warps` or `refused:
// why`.
#include <cstdlib>
#include <fstream>

#include "harness/simt/regions/split.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace {

using namespace llvm;
using assay::regions::Split;

// The annotations by which kernel_prelude.h replaces __global__ and __launch_bounds__.
constexpr const char *kKernel = "assay_kernel", *kLaunchBounds = "assay_launch_bounds";

struct Kernels {
  SetVector<Function*> all;
  DenseMap<const Function*, uint64_t> threads_max;
};

Kernels kernels_of(Module& module) {
  Kernels kernels;
  const GlobalVariable* const annotations = module.getNamedGlobal("llvm.global.annotations");
  if (annotations == nullptr) return kernels;
  for (const Use& use : cast<ConstantArray>(annotations->getInitializer())->operands()) {
    const auto* const entry = cast<ConstantStruct>(use.get());
    const auto of = [&](unsigned field) { return cast<GlobalVariable>(entry->getOperand(field)->stripPointerCasts()); };
    const auto* const text = dyn_cast<ConstantDataArray>(of(1)->getInitializer());
    auto* const function = dyn_cast<Function>(entry->getOperand(0)->stripPointerCasts());
    if (text == nullptr || function == nullptr || function->isDeclaration()) continue;
    if (text->getAsCString() == kKernel) kernels.all.insert(function);
    if (text->getAsCString() == kLaunchBounds)
      kernels.threads_max[function] =
          cast<ConstantInt>(of(4)->getInitializer()->getAggregateElement(0u))->getZExtValue();
  }
  return kernels;
}

// A row is a SplitKernel of state.h.
Constant* row(Module& module, Function& kernel, const Split& split, uint64_t threads_max) {
  LLVMContext& context = module.getContext();
  auto* const i64 = Type::getInt64Ty(context);
  auto* const i32 = Type::getInt32Ty(context);
  Constant* const text = ConstantDataArray::getString(context, split.refused);
  auto* const reason = new GlobalVariable(module, text->getType(), true, GlobalValue::PrivateLinkage, text);
  Constant* const function = split.function != nullptr ? static_cast<Constant*>(split.function)
                                                       : ConstantPointerNull::get(PointerType::getUnqual(context));
  return ConstantStruct::getAnon({&kernel, function, ConstantInt::get(i64, split.context_bytes),
                                  ConstantInt::get(i32, split.by_warps), ConstantInt::get(i32, split.pieces),
                                  ConstantInt::get(i64, threads_max), reason, ConstantInt::get(i64, split.checks)});
}

void hand_over(Module& module, ArrayRef<Constant*> rows) {
  auto* const type = ArrayType::get(rows[0]->getType(), rows.size());
  auto* const table =
      new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage, ConstantArray::get(type, rows));
  IRBuilder<> builder(module.getContext());
  auto* const signature = FunctionType::get(builder.getVoidTy(), false);
  auto* const constructor = Function::Create(signature, GlobalValue::InternalLinkage, "assay_split_kernels", module);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", constructor));
  const FunctionCallee receiver = module.getOrInsertFunction(
      "assay_simt_regions_register",
      FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), builder.getInt64Ty()}, false));
  builder.CreateCall(receiver, {table, builder.getInt64(rows.size())});
  builder.CreateRetVoid();
  appendToGlobalCtors(module, constructor, 65535);
}

void report(const Function& kernel, const Split& split) {
  const char* const path = std::getenv("ASSAY_REGIONS_REPORT");
  if (path == nullptr) return;
  std::ofstream out(path, std::ios::app);
  out << demangle(kernel.getName().str()) << "\t"
      << (split.function == nullptr ? "refused: " + split.refused
          : split.by_warps          ? "split by warps"
                                    : "split")
      << "\t" << split.pieces << " pieces, " << split.instructions << " instructions, " << split.slots << " slots, "
      << split.uniform_slots << " of them uniform, " << split.context_bytes << " bytes\n";
}

struct SplitKernels : PassInfoMixin<SplitKernels> {
  explicit SplitKernels(PassBuilder& builder) : passes(builder) {}
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    std::vector<Constant*> rows;
    const Kernels kernels = kernels_of(module);
    for (Function* kernel : kernels.all) {
      const Split split = assay::regions::split(*kernel, functions, passes);
      report(*kernel, split);
      rows.push_back(row(module, *kernel, split, kernels.threads_max.lookup(kernel)));
    }
    if (rows.empty()) return PreservedAnalyses::all();
    hand_over(module, rows);
    return PreservedAnalyses::none();
  }
  PassBuilder& passes;
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "assay-regions", "1", [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [&builder](ModulePassManager& passes, OptimizationLevel) { passes.addPass(SplitKernels(builder)); });
          }};
}
