// The kinds of memory, and what calls write.
#include "harness/simt/regions/memory.h"

#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/markers.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace assay::regions {

using namespace llvm;

namespace {

const Value* without_thread_local_address(const Value* value) {
  const auto* const call = dyn_cast<IntrinsicInst>(value);
  return call != nullptr && call->getIntrinsicID() == Intrinsic::threadlocal_address ? call->getArgOperand(0) : value;
}

Memory kind_of(const Value* object) {
  object = without_thread_local_address(object);
  if (isa<AllocaInst>(object)) return {Memory::local, object};
  if (const auto* const variable = dyn_cast<GlobalVariable>(object)) {
    if (variable->isConstant()) return {Memory::constant, object};
    return {variable->isThreadLocal() ? Memory::shared : Memory::global, object};
  }
  if (const auto* const argument = dyn_cast<Argument>(object))
    return {argument->hasByValAttr() ? Memory::constant : Memory::global, object};
  return {Memory::unknown, object};
}

}  // namespace

SmallVector<Memory, 4> memory_at(const Value* address) {
  SmallVector<const Value*, 8> objects;
  getUnderlyingObjects(address, objects, nullptr, 0);
  SmallVector<Memory, 4> result;
  for (const Value* object : objects) {
    // The address of a thread-local may hide more steps behind it.
    const Value* const inner = without_thread_local_address(object);
    result.push_back(kind_of(inner == object ? object : getUnderlyingObject(inner, 0)));
  }
  return result;
}

bool may_overlap(const Memory& a, const Memory& b) {
  if (a.kind == Memory::constant || b.kind == Memory::constant) return false;
  if (a.kind == Memory::unknown || b.kind == Memory::unknown) return true;
  if (a.kind != b.kind) return false;
  if (a.kind == Memory::global) return true;
  if (a.object == b.object) return true;
  // All names of dynamic shared memory are one.
  return a.kind == Memory::shared && cast<GlobalVariable>(a.object)->isDeclaration() &&
         cast<GlobalVariable>(b.object)->isDeclaration();
}

bool writes(const Instruction& instruction, SmallVectorImpl<Memory>& written) {
  const Value* to = nullptr;
  if (const auto* const store = dyn_cast<StoreInst>(&instruction)) to = store->getPointerOperand();
  if (const auto* const update = dyn_cast<AtomicRMWInst>(&instruction)) to = update->getPointerOperand();
  if (const auto* const swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) to = swap->getPointerOperand();
  if (const auto* const copy = dyn_cast<AnyMemIntrinsic>(&instruction)) to = copy->getRawDest();
  if (to != nullptr) {
    const auto objects = memory_at(to);
    written.append(objects.begin(), objects.end());
    return true;
  }
  if (!instruction.mayWriteToMemory() || isa<FenceInst>(instruction) || instruction.isLifetimeStartOrEnd())
    return false;
  if (isa<LoadInst>(instruction)) return false;  // an atomic or volatile one
  const StringRef name = callee_name(&instruction);
  return !(name == kBarrier || name == kCollective || name == kGiveUpIf || name == "printf" || name == "puts" ||
           name == "putchar");
}

bool writes_block(const Function& function) {
  const GlobalVariable* const block = function.getParent()->getNamedGlobal(kBlock);
  return any_of(instructions(function), [&](const Instruction& i) {
    const auto* const store = dyn_cast<StoreInst>(&i);
    return store != nullptr &&
           any_of(memory_at(store->getPointerOperand()), [&](const Memory& memory) { return memory.object == block; });
  });
}

}  // namespace assay::regions
