// Declarations of the markers, and their recognition.
#include "harness/simt/regions/markers.h"

#include "llvm/IR/IRBuilder.h"

namespace assay::regions {

using namespace llvm;

StringRef callee_name(const Value* value) {
  const auto* const call = dyn_cast<CallBase>(value);
  const Function* const function = call == nullptr ? nullptr : call->getCalledFunction();
  return function == nullptr ? "" : function->getName();
}

int index_of_thread(const Value* value) {
  const StringRef name = callee_name(value);
  for (int d = 0; d < 3; ++d)
    if (name == kIndex[d]) return d;
  return name == kLinear ? 3 : -1;
}

FunctionCallee marker(Module& module, const char* name, FunctionType* type, bool synchronises) {
  FunctionCallee callee = module.getOrInsertFunction(name, type);
  auto* const function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  if (synchronises) {
    function->addFnAttr(Attribute::Convergent);
    function->addFnAttr(Attribute::NoMerge);
  } else {
    function->setMemoryEffects(MemoryEffects::none());
    function->setWillReturn();
    function->addFnAttr(Attribute::Speculatable);
  }
  return callee;
}

FunctionCallee index_marker(Module& module, const char* name) {
  return marker(module, name, FunctionType::get(Type::getInt32Ty(module.getContext()), false), false);
}

Instruction* number_of_thread(Function& function) {
  for (Instruction& i : function.getEntryBlock())
    if (index_of_thread(&i) == 3) return &i;
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  return builder.CreateCall(index_marker(*function.getParent(), kLinear));
}

}  // namespace assay::regions
