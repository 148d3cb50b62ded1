// Which accesses are looked at, and by which function.
#include "harness/simt/regions/checks.h"

#include "harness/simt/regions/callees.h"
#include "harness/simt/regions/markers.h"
#include "harness/simt/regions/memory.h"
#include "harness/simt/sieve/state.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

namespace assay::regions {
namespace {

using namespace llvm;

constexpr const char* kGiveUp = "assay_simt_sieve_give_up";

// The executor's own variables, which kernels read for indices and votes.
bool is_executors(const Memory& memory) {
  const StringRef name = memory.object->getName();
  return isa<GlobalVariable>(memory.object) && (name.starts_with("_ZN5assay4simt") || name.starts_with("assay_simt_"));
}

bool is_own(const Memory& memory) {
  return memory.kind == Memory::local || memory.kind == Memory::constant || is_executors(memory);
}

bool is_shared(const Value* address) {
  const auto objects = memory_at(address);
  return !objects.empty() && all_of(objects, [](const Memory& m) { return m.kind == Memory::shared; });
}

bool needs_no_look(const Value* address) {
  const auto objects = memory_at(address);
  return !objects.empty() && all_of(objects, is_own);
}

struct Access {
  Value* address;
  uint64_t offset, bytes;
  Align align;
  bool writes;
};

// Appends those of `bytes` bytes, by instructions of 16 bytes at most.
void append(SmallVectorImpl<Access>& all, Value* address, uint64_t bytes, Align align, bool writes) {
  constexpr uint64_t kLargest = 16;
  const uint64_t each = std::min(kLargest, uint64_t{1} << countr_zero(bytes));
  for (uint64_t offset = 0; offset < bytes; offset += each)
    all.push_back({address, offset, each, commonAlignment(align, offset), writes});
}

// The instruction's accesses to the block's and the device's memory; nullopt: it cannot be told.
std::optional<SmallVector<Access, 2>> accesses_of(Instruction& i, const DataLayout& layout) {
  constexpr uint64_t kCopiedMost = 256;
  SmallVector<Access, 2> all;
  const auto add = [&](Value* address, uint64_t bytes, Align align, bool writes) {
    if (!needs_no_look(address)) append(all, address, bytes, align, writes);
  };
  if (auto* const load = dyn_cast<LoadInst>(&i))
    add(load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), load->getAlign(), false);
  if (auto* const store = dyn_cast<StoreInst>(&i))
    add(store->getPointerOperand(), layout.getTypeStoreSize(store->getValueOperand()->getType()), store->getAlign(),
        true);
  if (!all.empty() && i.isAtomic()) return std::nullopt;
  auto* const memory = dyn_cast<MemIntrinsic>(&i);
  if (memory == nullptr) return all;
  const auto* const length = dyn_cast<ConstantInt>(memory->getLength());
  const bool is_short = length != nullptr && length->getZExtValue() - 1 < kCopiedMost;
  auto* const copy = dyn_cast<MemTransferInst>(memory);
  const bool is_own = needs_no_look(memory->getRawDest()) && (copy == nullptr || needs_no_look(copy->getRawSource()));
  if (!is_short) return is_own ? std::optional(all) : std::nullopt;
  if (copy != nullptr) add(copy->getRawSource(), length->getZExtValue(), copy->getSourceAlign().valueOrOne(), false);
  const bool reads = !all.empty();
  add(memory->getRawDest(), length->getZExtValue(), memory->getDestAlign().valueOrOne(), true);
  return reads && all.back().writes ? std::nullopt : std::optional(all);  // the two may overlap
}

// Calls that touch no memory of the block, or end the launch.
bool is_harmless(const CallBase& call) {
  if (call.isInlineAsm() || !call.mayReadOrWriteMemory()) return true;
  const StringRef name = callee_name(&call);
  if (name == kBarrier || name == kCollective || name == kGiveUpIf || is_mathematics(name)) return true;
  if (name.contains("assertion_failed") || name.contains("trapped") || name.contains("approximated")) return true;
  return name == "printf" || name == "puts" || name == "putchar";
}

bool is_understood(Instruction& i) {
  if (isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i)) return false;
  if (isa<MemIntrinsic>(i)) return true;
  if (const auto* const intrinsic = dyn_cast<IntrinsicInst>(&i))
    return intrinsic->getIntrinsicID() != Intrinsic::ubsantrap && intrinsic->getIntrinsicID() != Intrinsic::trap &&
           (!intrinsic->mayReadOrWriteMemory() || intrinsic->isAssumeLikeIntrinsic());
  const auto* const call = dyn_cast<CallBase>(&i);
  return call == nullptr || is_harmless(*call);
}

class Inserter {
 public:
  Inserter(Function& function, BasicBlock* prologue)
      : function_(function), module_(*function.getParent()), prologue_(prologue) {}

  void run() {
    SmallVector<Instruction*> looked_at, not_understood;
    for (Instruction& i : instructions(function_)) {
      const auto accesses = accesses_of(i, module_.getDataLayout());
      const bool is_known = accesses && is_understood(i) &&
                            all_of(*accesses, [&](const Access& each) { return function(each) != nullptr; });
      if (!is_known)
        not_understood.push_back(&i);
      else if (!accesses->empty())
        looked_at.push_back(&i);
      in_halves_ |= accesses && any_of(*accesses, [](const Access& a) { return a.bytes == 2 && is_shared(a.address); });
    }
    linear_ = number_of_thread(function_);
    IRBuilder<> first(linear_);
    for (const char* const time : kTimes) times_.push_back(first.CreateCall(index_marker(module_, time)));
    for (Instruction* i : looked_at) look(*i);
    for (Instruction& i : instructions(function_))
      if (callee_name(&i) == kGiveUpIf) call(cast<CallBase>(i), module_.getFunction("assay_sieve_give_up_if"));
    for (Instruction* i : not_understood)
      IRBuilder<>(i).CreateCall(module_.getOrInsertFunction(kGiveUp, Type::getVoidTy(module_.getContext())));
  }

 private:
  Function* function(const Access& access) const {
    const char* const where = !is_shared(access.address) ? "global" : in_halves_ ? "halves" : "words";
    return module_.getFunction(
        (Twine("assay_sieve_") + (access.writes ? "write_" : "read_") + where + "_" + Twine(access.bytes)).str());
  }

  // A load in the prologue is every thread's.
  void look(Instruction& i) {
    IRBuilder<> builder(&i);
    const bool is_first = i.getParent() == prologue_;
    const auto times = is_first ? load_times(builder) : times_;
    Value* const thread = is_first ? static_cast<Value*>(builder.getInt32(simt::sieve::kMany))
                                   : builder.CreateShl(linear_, simt::sieve::kThreadShift);
    Value* const mine = builder.CreateOr(times[0], thread);
    const auto accesses = accesses_of(i, module_.getDataLayout());
    for (const Access& access : *accesses) {
      Value* const address = builder.CreateConstGEP1_64(builder.getInt8Ty(), access.address, access.offset);
      const auto align = static_cast<uint32_t>(std::max(access.align.value(), std::min<uint64_t>(access.bytes, 4)));
      SmallVector<Value*> arguments{address, mine, builder.getInt32(align)};
      if (is_shared(access.address))
        arguments.append({times[2], times[1]});
      else
        arguments.append({times[3], builder.getInt1(in_halves_)});
      call(*builder.CreateCall(function(access), arguments), function(access));
    }
  }

  // A call that will be inlined needs a place in the source.
  void call(CallBase& made, Function* callee) const {
    made.setCalledFunction(callee);
    if (DISubprogram* const program = function_.getSubprogram(); program != nullptr && !made.getDebugLoc())
      made.setDebugLoc(DILocation::get(module_.getContext(), 0, 0, program));
  }

  Function& function_;
  Module& module_;
  const BasicBlock* prologue_;
  bool in_halves_ = false;  // some access of the kernel is to half a word of shared memory
  Instruction* linear_ = nullptr;
  SmallVector<Value*, 4> times_;
};

// Whether a condition is about the address of a record of the executor, such as the one that has threadIdx.
bool is_of_record(const Value* condition) {
  const auto* const compared = dyn_cast<ICmpInst>(condition);
  const auto* const low_bits = compared == nullptr ? nullptr : dyn_cast<BinaryOperator>(compared->getOperand(0));
  const auto* const address = low_bits == nullptr ? nullptr : dyn_cast<PtrToIntInst>(low_bits->getOperand(0));
  if (address == nullptr) return false;
  const Value* const object = getUnderlyingObject(address->getPointerOperand(), 0);
  const auto* const record = dyn_cast<LoadInst>(object);
  return is_executors(
      {Memory::unknown, record == nullptr ? object : getUnderlyingObject(record->getPointerOperand(), 0)});
}

}  // namespace

// The trap of a branch is where clang's -fsanitize-trap ends: threads would part there for good.
void straighten_traps(Function& function) {
  Module& module = *function.getParent();
  auto* const type =
      FunctionType::get(Type::getVoidTy(module.getContext()), {Type::getInt1Ty(module.getContext())}, false);
  FunctionCallee give_up_if = marker(module, kGiveUpIf, type, false);
  auto* const callee = cast<Function>(give_up_if.getCallee());
  callee->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  callee->removeFnAttr(Attribute::Speculatable);
  const auto traps = [](const BasicBlock* block) {
    const auto* const first = dyn_cast<IntrinsicInst>(block->getFirstNonPHIOrDbgOrLifetime());
    return first != nullptr && first->getIntrinsicID() == Intrinsic::ubsantrap;
  };
  for (BasicBlock& block : function) {
    auto* const branch = dyn_cast<BranchInst>(block.getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    const bool first = traps(branch->getSuccessor(0));
    if (first == traps(branch->getSuccessor(1))) continue;
    BasicBlock *const trap = branch->getSuccessor(first ? 0 : 1), *const goes_on = branch->getSuccessor(first ? 1 : 0);
    IRBuilder<> builder(branch);
    Value* const condition = branch->getCondition();
    builder.CreateCall(give_up_if, {first ? condition : builder.CreateNot(condition)});
    builder.CreateBr(goes_on);
    trap->removePredecessor(&block);
    branch->eraseFromParent();
  }
  removeUnreachableBlocks(function);
}

void drop_checks_of_records(Function& function) {
  for (Instruction& i : make_early_inc_range(instructions(function)))
    if (callee_name(&i) == kGiveUpIf && (is_of_record(cast<CallBase>(i).getArgOperand(0)) ||
                                         cast<CallBase>(i).getArgOperand(0) == ConstantInt::getFalse(i.getContext())))
      i.eraseFromParent();
}

bool is_check(const Instruction& i) { return callee_name(&i).starts_with("assay_sieve_"); }

bool wants_checks(const Module& module) { return module.getFunction(kGiveUp) != nullptr; }

SmallVector<Value*, 4> load_times(IRBuilder<>& builder) {
  using simt::sieve::State;
  Module& module = *builder.GetInsertBlock()->getModule();
  Value* const state = module.getOrInsertGlobal("assay_simt_sieve", builder.getInt8Ty());
  SmallVector<Value*, 4> times;
  for (const size_t offset :
       {offsetof(State, now), offsetof(State, barrier), offsetof(State, block), offsetof(State, launch)})
    times.push_back(builder.CreateLoad(builder.getInt32Ty(),
                                       builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, offset)));
  return times;
}

void insert_checks(Function& function, BasicBlock* prologue) { Inserter(function, prologue).run(); }

}  // namespace assay::regions
