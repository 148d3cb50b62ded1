// Which checks a proof can be tried of, and what is left of those that succeed.
#include "harness/simt/regions/proofs.h"

#include "harness/simt/regions/markers.h"
#include "harness/simt/regions/memory.h"
#include "harness/simt/sieve/state.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace assay::regions {

using namespace llvm;

namespace {

constexpr const char* kGiveUpNow = "assay_sieve_give_up_if";

const Value* object_of(const Value* address) { return getUnderlyingObject(address, 0); }

}  // namespace

std::optional<Proofs::Access> Proofs::access_of(const CallInst& call) {
  StringRef kind = callee_name(&call);
  unsigned bytes = 0;
  if (!kind.consume_front("assay_sieve_") || kind == "give_up_if") return {};
  if (kind.rsplit('_').second.getAsInteger(10, bytes)) return {};
  return Access{kind.rsplit('_').first, bytes};
}

Value* Proofs::prove(IRBuilder<>& builder, Ranges& ranges) {
  constexpr size_t kChecksMax = 200, kInstructionsMax = 3000;  // a copy costs time to compile
  size_t instructions = 0;
  for (BasicBlock* block : point_.piece) {
    instructions += block->size();
    for (Instruction& i : *block)
      if (auto* const call = dyn_cast<CallInst>(&i))
        if (access_of(*call) || callee_name(call) == kGiveUpNow) checks_.push_back(call);
  }
  if (checks_.empty() || checks_.size() > kChecksMax || instructions > kInstructionsMax) return nullptr;
  builder_ = &builder;
  ranges_ = &ranges;
  load_cells();
  Value* all = builder.getTrue();
  for (CallInst* call : checks_) {
    const auto access = access_of(*call);
    Value* const holds =
        access ? prove_access(*call, *access) : prove_condition(call->getArgOperand(0), {call->getParent()});
    if (holds == nullptr) continue;
    proven_.push_back(call);
    all = ranges_->both(all, holds);
  }
  if (proven_.empty()) return nullptr;
  for (const Area& area : areas_) all = ranges_->both(all, prove_area(area));
  reads_leave_marks_ = needs_marks();
  return all;
}

// Gives what must hold beside the range of the address, which joins the area of its object's others.
Value* Proofs::prove_access(CallInst& call, const Access& access) {
  Value* const address = call.getArgOperand(0);
  if (access.bytes == 1 || (access.kind == "read_global" && is_written(address))) return nullptr;
  const uint64_t align = cast<ConstantInt>(call.getArgOperand(2))->getZExtValue();
  const auto found = ranges_->of(address, {call.getParent()});
  if (!found || (uint64_t{1} << std::min(found->alike, 32u)) < align) return nullptr;
  Range bytes = *found;
  bytes.most = builder_->CreateBinaryIntrinsic(Intrinsic::sadd_sat, bytes.most, builder_->getInt64(access.bytes));
  Value* const last_bits = builder_->CreateAnd(bytes.some, builder_->getInt64(align - 1));
  Value* const holds = ranges_->both(bytes.holds, builder_->CreateICmpEQ(last_bits, builder_->getInt64(0)));
  const StringRef in = !access.is_global()  ? "shared"
                       : !access.is_write() ? "constant"
                       : access.bytes == 2  ? "halves"
                                            : "words";
  const Value* const object = object_of(address);
  for (Area& area : areas_)
    if (area.object == object && area.in == in) {
      area.range.least = builder_->CreateBinaryIntrinsic(Intrinsic::smin, area.range.least, bytes.least);
      area.range.most = builder_->CreateBinaryIntrinsic(Intrinsic::smax, area.range.most, bytes.most);
      return holds;
    }
  areas_.push_back({object, in, bytes});
  return holds;
}

// Such memory is no input.
bool Proofs::is_written(const Value* address) const {
  const Value* const object = object_of(address);
  for (const auto& point : pieces_.points)
    for (const BasicBlock* block : point->piece)
      for (const Instruction& i : *block) {
        const auto* const call = dyn_cast<CallInst>(&i);
        const auto access = call == nullptr ? std::nullopt : access_of(*call);
        if (access && access->is_write() && object_of(call->getArgOperand(0)) == object) return true;
      }
  return false;
}

// That a condition is false for all threads: a comparison of indices with a size, or of an address's last bits with 0.
Value* Proofs::prove_condition(Value* wrong, Place at) {
  using namespace PatternMatch;
  Value *a = nullptr, *b = nullptr;
  if (match(wrong, m_LogicalOr(m_Value(a), m_Value(b)))) {
    Value* const first = prove_condition(a, at);
    Value* const second = first == nullptr ? nullptr : prove_condition(b, at);
    return second == nullptr ? nullptr : ranges_->both(first, second);
  }
  CmpInst::Predicate predicate = CmpInst::BAD_ICMP_PREDICATE;
  if (match(wrong, m_Not(m_ICmp(predicate, m_Value(a), m_Value(b)))))
    predicate = CmpInst::getInversePredicate(predicate);
  else if (!match(wrong, m_ICmp(predicate, m_Value(a), m_Value(b))))
    return nullptr;
  const APInt* mask = nullptr;
  Value* address = nullptr;
  if (predicate == CmpInst::ICMP_NE && match(b, m_Zero()) && match(a, m_And(m_Value(address), m_APInt(mask)))) {
    const auto found = ranges_->of(address, at);
    if (!found || !mask->isMask() || mask->countr_one() > found->alike) return nullptr;
    Value* const last_bits = builder_->CreateAnd(found->some, builder_->getInt64(mask->getZExtValue()));
    return ranges_->both(found->holds, builder_->CreateICmpEQ(last_bits, builder_->getInt64(0)));
  }
  const bool may_be_equal = predicate == CmpInst::ICMP_UGT;
  if (!may_be_equal && predicate != CmpInst::ICMP_UGE) return nullptr;
  const auto index = ranges_->of(a, at), size = ranges_->of(b, at);
  if (!index || !size) return nullptr;
  Value* const is_below = may_be_equal ? builder_->CreateICmpSLE(index->most, size->least)
                                       : builder_->CreateICmpSLT(index->most, size->least);
  return ranges_->both(ranges_->both(index->holds, size->holds),
                       ranges_->both(is_below, builder_->CreateICmpSGE(index->least, builder_->getInt64(0))));
}

Value* Proofs::prove_area(const Area& area) {
  Value *const least = area.range.least, *const end = area.range.most;
  if (area.in == "shared") {
    Value* const behind = builder_->CreateAdd(shared_, shared_bytes_);
    return ranges_->both(builder_->CreateICmpSGE(least, shared_), builder_->CreateICmpSLE(end, behind));
  }
  Module& module = *point_.start->getModule();
  auto* const last_found =
      new GlobalVariable(module, ArrayType::get(builder_->getInt64Ty(), 3), false, GlobalValue::InternalLinkage,
                         ConstantAggregateZero::get(ArrayType::get(builder_->getInt64Ty(), 3)));
  Function* const function = module.getFunction(("assay_sieve_lies_in_" + area.in).str());
  return call(function, {least, end, last_found});
}

// A call that will be inlined needs a place in the source.
Value* Proofs::call(Function* function, ArrayRef<Value*> arguments) {
  CallInst* const made = builder_->CreateCall(function, arguments);
  if (DISubprogram* const program = point_.start->getParent()->getSubprogram())
    made->setDebugLoc(DILocation::get(made->getContext(), 0, 0, program));
  return made;
}

// A shared cell is a fixed distance from its word; that of a half from twice its address.
void Proofs::load_cells() {
  using simt::sieve::State;
  IRBuilder<>& b = *builder_;
  Value* const state = point_.start->getModule()->getOrInsertGlobal("assay_simt_sieve", b.getInt8Ty());
  const auto member = [&](size_t offset) {
    return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), state, offset));
  };
  shared_ = member(offsetof(State, shared)), shared_bytes_ = member(offsetof(State, shared_bytes));
  words_ = b.CreateSub(member(offsetof(State, shared_words)), shared_);
  halves_ = b.CreateSub(member(offsetof(State, shared_halves)), b.CreateShl(shared_, 1));
}

// A read of shared memory must be known to later writes of its interval. Writes that are proven are to buffers.
bool Proofs::needs_marks() const {
  return !is_interval_ || any_of(checks_, [&](CallInst* call) {
    const auto access = access_of(*call);
    return access && access->is_write() && !(access->is_global() && is_contained(proven_, call));
  });
}

// Writes to memory that this piece may read are left to the other checks: a thread must not find written what it has
// still to write. Reads of inputs do no harm.
Value* Proofs::prove_rows(const Segment64& segment, Value* proven, ArrayRef<Value*> times) {
  using namespace simt::sieve;
  IRBuilder<>& b = *builder_;
  const auto may_read = [&](bool global) {
    return any_of(checks_, [&](CallInst* check) {
      const auto access = access_of(*check);
      return access && access->is_global() == global && !access->is_write() &&
             !(global && is_contained(proven_, check));
    });
  };
  const bool may_read_global = may_read(true), may_read_shared = may_read(false);
  for (CallInst* check : proven_) {
    const auto access = access_of(*check);
    if (!access || access->kind == "read_global") continue;
    const bool writes = access->is_write(), is_global = access->is_global();
    if (writes ? (is_global ? may_read_global : may_read_shared) : reads_leave_marks_) continue;
    RowFinder finder(b, *ranges_, segment);
    const auto rows = finder.of(check->getArgOperand(0), check->getParent());
    if (!rows || (writes && rows->stride != static_cast<int64_t>(access->bytes))) continue;
    const bool halves = is_global ? access->bytes == 2 : access->kind.ends_with("halves");
    const auto scaled = [&](Value* value) { return halves ? b.CreateShl(value, 1) : value; };
    Value* const cells = !is_global ? (halves ? halves_ : words_)
                         : halves   ? b.getInt64(kHalves - 2 * kArena)
                                    : b.getInt64(kWords - kArena);
    auto* const i32 = b.getInt32Ty();
    SmallVector<Value*> arguments{ranges_->both(proven, rows->holds),
                                  b.CreateAdd(scaled(rows->first), cells),
                                  scaled(rows->pitch),
                                  rows->count,
                                  rows->elements,
                                  rows->end,
                                  rows->shrinks,
                                  b.getInt32(access->bytes / (halves ? 2 : 4))};
    if (writes) {
      Value* const thread = b.CreateShl(b.CreateTrunc(segment.linear, i32), kThreadShift);
      arguments.append(
          {b.CreateOr(b.CreateOr(times[0], thread), b.getInt32(kWrite | kWrote)), times[is_global ? 3 : 1]});
    } else {
      arguments.append({times[2], times[1], scaled(b.getInt64(static_cast<uint64_t>(rows->stride)))});
    }
    SmallVector<Type*> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    const char* const name = writes ? "assay_simt_sieve_write_rows" : "assay_simt_sieve_seen_rows";
    proven = b.CreateCall(
        point_.start->getModule()->getOrInsertFunction(name, FunctionType::get(b.getInt1Ty(), types, false)),
        arguments);
    rows_.push_back(check);
  }
  return proven;
}

bool Proofs::are_all_settled() const {
  return all_of(checks_, [&](CallInst* check) {
    const auto access = access_of(*check);
    return is_contained(access && access->kind != "read_global" ? rows_ : proven_, check);
  });
}

void Proofs::simplify(ValueToValueMapTy& copied) const {
  for (CallInst* original : proven_) {
    auto* const call = cast<CallInst>(&*copied[original]);
    const auto access = access_of(*original);
    if (access && access->kind != "read_global" && !is_contained(rows_, original)) {
      IRBuilder<> builder(call);
      const bool sees = !access->is_write() && !reads_leave_marks_;
      const Twine name = Twine("assay_sieve_within_") + (sees ? "see" : access->is_write() ? "write" : "read");
      const StringRef where = access->kind.rsplit('_').second;
      SmallVector<Value*> arguments(call->args());  // address, mine, align, times
      arguments[2] = where == "halves" ? halves_ : where == "words" ? words_ : arguments[2];
      builder
          .CreateCall(call->getModule()->getFunction((name + "_" + where + "_" + Twine(access->bytes)).str()),
                      arguments)
          ->setDebugLoc(call->getDebugLoc());
    }
    call->eraseFromParent();
  }
}

}  // namespace assay::regions
