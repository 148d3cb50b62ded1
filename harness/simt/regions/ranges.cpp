// Interval arithmetic in code, and what is known in front of the loop.
#include "harness/simt/regions/ranges.h"

#include "harness/simt/regions/markers.h"
#include "harness/simt/regions/memory.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace assay::regions {

using namespace llvm;

namespace {

constexpr unsigned kAllBits = 64;

}  // namespace

Ranges::Ranges(IRBuilder<>& builder, const Point& point, const Pieces& pieces, const BasicBlock* prologue,
               const SlotValues& before, std::array<Range, 4> threads)
    : builder_(builder),
      graph_(point, pieces),
      point_(point),
      prologue_(prologue),
      before_(before),
      threads_(threads) {}

unsigned Ranges::zeros_of(const Value* value) const {
  return computeKnownBits(value, point_.start->getDataLayout()).countMinTrailingZeros();
}

Range Ranges::single(Value* value) { return {value, value, value, kAllBits, builder_.getTrue()}; }
Range Ranges::between(Value* least, Value* most) { return {least, most, number(0), 0, builder_.getTrue()}; }

Value* Ranges::both(Value* a, Value* b) {
  if (isa<ConstantInt>(a)) std::swap(a, b);
  const auto* const constant = dyn_cast<ConstantInt>(b);
  return constant == nullptr ? builder_.CreateAnd(a, b) : constant->isOne() ? a : b;
}

std::optional<Range> Ranges::of(Value* value, Place at) {
  const std::pair key(static_cast<const Value*>(value), at);
  if (const auto done = found_.find(key); done != found_.end()) return done->second;
  if (in_progress_.lookup(value)) return {};
  in_progress_[value] = true;
  Found range = compute(value, at);
  if (!range || !range->is_single()) {
    const Bounds known = bounds(value, at);
    if (!range) inexact_.insert(value);
    if (!range && known.least != nullptr && known.most != nullptr) range = between(known.least, known.most);
    if (range && known.least != nullptr) range->least = larger(range->least, known.least);
    if (range && known.most != nullptr) range->most = smaller(range->most, known.most);
    if (range && known.holds != nullptr) range->holds = both(range->holds, known.holds);
  }
  in_progress_[value] = false;
  return found_[key] = range;
}

Ranges::Found Ranges::compute(Value* value, Place at) {
  const Type* const type = value->getType();
  if (!type->isPointerTy() && (!type->isIntegerTy() || type->getIntegerBitWidth() > kAllBits)) return {};
  if (const Value* const same = stored(value); same != value) return of(const_cast<Value*>(same), at);
  if (const int index = index_of_thread(value); index >= 0) return threads_[static_cast<size_t>(index)];
  if (Value* const same = known(value, 0)) return single(wide(same));
  if (auto* const operation = dyn_cast<BinaryOperator>(value)) {
    const Found found = of_operation(*operation, at);
    return found ? Found(fitted(*found, type)) : found;
  }
  if (auto* const cast = dyn_cast<CastInst>(value)) return of_cast(*cast, at);
  if (auto* const address = dyn_cast<GEPOperator>(value)) return of_address(*address, at);
  if (auto* const phi = dyn_cast<PHINode>(value)) return of_phi(*phi);
  if (auto* const call = dyn_cast<IntrinsicInst>(value)) return of_call(*call, at);
  if (auto* const select = dyn_cast<SelectInst>(value)) {
    const Found a = of(select->getTrueValue(), at), b = of(select->getFalseValue(), at);
    if (a && b) return joined(*a, *b);
  }
  return {};
}

// ---- values that are the same for all threads, and can be computed in front of the loop

// A promise that arithmetic does not wrap is not taken: code that relies on it may compute something else. That a
// number is not negative is kept by all that has no sign, as the size of a block.
Value* Ranges::known(Value* value, unsigned depth) {
  constexpr unsigned kDeepest = 24;
  if (isa<UndefValue>(value)) return nullptr;
  if (isa<Constant>(value) || isa<Argument>(value)) return value;
  auto* const i = dyn_cast<Instruction>(value);
  if (i == nullptr || depth > kDeepest) return nullptr;
  if (i->getParent() == prologue_) return index_of_thread(i) < 0 && !isa<AllocaInst>(i) ? i : nullptr;
  if (const auto done = known_.find(value); done != known_.end()) return done->second;
  Value*& result = known_[value];
  result = nullptr;
  if (const Value* const same = stored(value); same != value)
    return known_[value] = known(const_cast<Value*>(same), depth + 1);
  if (const auto* const load = dyn_cast<LoadInst>(i)) return known_[value] = slot_before(*load);
  if (isa<PHINode, FreezeInst, AllocaInst>(i) || i->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(i) ||
      (isa<CallBase>(i) && !isa<IntrinsicInst>(i)))
    return nullptr;
  const bool is_kept = isa<ZExtInst>(i) && isKnownNonNegative(i->getOperand(0), point_.start->getDataLayout());
  if (i->hasPoisonGeneratingFlags() && !is_kept) return nullptr;
  SmallVector<Value*> operands;
  for (Value* operand : i->operands()) {
    Value* const same = isa<Function>(operand) ? operand : known(operand, depth + 1);
    if (same == nullptr) return nullptr;
    operands.push_back(same);
  }
  Instruction* const copy = i->clone();
  for (unsigned k = 0; k < operands.size(); ++k) copy->setOperand(k, operands[k]);
  copy->dropPoisonGeneratingAnnotations();
  copy->setDebugLoc({});
  builder_.Insert(copy);
  return known_[value] = copy;
}

const Value* Ranges::stored(const Value* value) const {
  if (const auto* const phi = dyn_cast<PHINode>(value); phi != nullptr && graph_.contains(phi->getParent())) {
    const auto from = graph_.predecessors(phi->getParent());
    if (from.size() != 1 || phi->getParent() == point_.start) return value;
    return stored(phi->getIncomingValueForBlock(from[0]));
  }
  const auto* const load = dyn_cast<LoadInst>(value);
  const auto* const variable = load == nullptr ? nullptr : dyn_cast<AllocaInst>(load->getPointerOperand());
  if (variable == nullptr || variable->getParent() != prologue_) return value;
  const StoreInst* store = nullptr;
  for (const User* user : variable->users()) {
    if (isa<LoadInst>(user)) continue;
    if (store != nullptr || !isa<StoreInst>(user)) return value;
    store = cast<StoreInst>(user);
  }
  if (store == nullptr || store->getPointerOperand() != variable || !graph_.contains(store->getParent())) return value;
  if (store->getValueOperand()->getType() != load->getType()) return value;
  const bool is_first = store->getParent() == load->getParent()
                            ? store->comesBefore(load)
                            : graph_.dominates(store->getParent(), load->getParent());
  return is_first ? stored(store->getValueOperand()) : value;
}

// A uniform slot's value, if no thread may have changed it before it comes here.
Value* Ranges::slot_before(const LoadInst& load) const {
  const auto* const variable = dyn_cast<AllocaInst>(load.getPointerOperand());
  const auto before = variable == nullptr ? before_.end() : before_.find(variable);
  if (before == before_.end() || before->second->getType() != load.getType()) return nullptr;
  for (const User* user : variable->users()) {
    if (isa<LoadInst>(user)) continue;
    const auto* const store = dyn_cast<StoreInst>(user);
    if (store == nullptr || store->getPointerOperand() != variable) return nullptr;
    if (!graph_.contains(store->getParent())) continue;
    if (graph_.reaches(store->getParent(), load.getParent())) return nullptr;
    if (store->getParent() == load.getParent() && store->comesBefore(&load)) return nullptr;
  }
  return before->second;
}

Value* Ranges::wide(Value* value) {
  if (value->getType()->isPointerTy()) return builder_.CreatePtrToInt(value, builder_.getInt64Ty());
  return value->getType()->isIntegerTy(1) ? builder_.CreateZExt(value, builder_.getInt64Ty())
                                          : builder_.CreateSExt(value, builder_.getInt64Ty());
}

// ---- arithmetic

Value* Ranges::exactly(Intrinsic::ID with_overflow, Value* a, Value* b, Value*& holds) {
  const auto *const x = dyn_cast<ConstantInt>(a), *const y = dyn_cast<ConstantInt>(b);
  if (x != nullptr && y != nullptr) {
    bool overflows = false;
    const APInt result =
        with_overflow == Intrinsic::sadd_with_overflow   ? x->getValue().sadd_ov(y->getValue(), overflows)
        : with_overflow == Intrinsic::ssub_with_overflow ? x->getValue().ssub_ov(y->getValue(), overflows)
                                                         : x->getValue().smul_ov(y->getValue(), overflows);
    if (overflows) holds = builder_.getFalse();
    return builder_.getInt(result);
  }
  if (y != nullptr && (y->isZero() && with_overflow != Intrinsic::smul_with_overflow)) return a;
  if (y != nullptr && y->isOne() && with_overflow == Intrinsic::smul_with_overflow) return a;
  Value* const both_results = builder_.CreateBinaryIntrinsic(with_overflow, a, b);
  holds = both(holds, builder_.CreateNot(builder_.CreateExtractValue(both_results, 1)));
  return builder_.CreateExtractValue(both_results, 0);
}

Value* Ranges::smaller(Value* a, Value* b) {
  return a == b ? a : builder_.CreateBinaryIntrinsic(Intrinsic::smin, a, b);
}
Value* Ranges::larger(Value* a, Value* b) { return a == b ? a : builder_.CreateBinaryIntrinsic(Intrinsic::smax, a, b); }

Range Ranges::added(const Range& a, const Range& b) {
  Range sum{nullptr, nullptr, nullptr, std::min(a.alike, b.alike), both(a.holds, b.holds)};
  sum.least = exactly(Intrinsic::sadd_with_overflow, a.least, b.least, sum.holds);
  sum.most =
      a.is_single() && b.is_single() ? sum.least : exactly(Intrinsic::sadd_with_overflow, a.most, b.most, sum.holds);
  sum.some = builder_.CreateAdd(a.some, b.some);
  return sum;
}

// One factor must be the same for all threads, and no negative variable; or neither be negative.
Ranges::Found Ranges::multiplied(const Range& a, const Range& b) {
  if (a.is_single() && !b.is_single()) return multiplied(b, a);
  Range product{nullptr, nullptr, builder_.CreateMul(a.some, b.some), std::min(a.alike, b.alike),
                both(a.holds, b.holds)};
  const auto* const constant = dyn_cast<ConstantInt>(b.least);
  const auto times = [&](Value* x, Value* y) { return exactly(Intrinsic::smul_with_overflow, x, y, product.holds); };
  if (b.is_single() && constant != nullptr) {
    product.alike = std::min(kAllBits, a.alike + constant->getValue().countr_zero());
    product.least = times(constant->isNegative() ? a.most : a.least, b.least);
    product.most = a.is_single() ? product.least : times(constant->isNegative() ? a.least : a.most, b.least);
    return product;
  }
  product.holds = both(product.holds, builder_.CreateICmpSGE(b.least, number(0)));
  if (!b.is_single()) product.holds = both(product.holds, builder_.CreateICmpSGE(a.least, number(0)));
  product.least = times(a.least, b.least);
  product.most = a.is_single() && b.is_single() ? product.least : times(a.most, b.most);
  return product;
}

Ranges::Found Ranges::divided(const Range& a, Value* divisor, bool remainder) {
  Value* const is_usual = both(builder_.CreateICmpSGE(a.least, number(0)), builder_.CreateICmpSGT(divisor, number(0)));
  Value* const by = builder_.CreateSelect(builder_.CreateICmpSGT(divisor, number(0)), divisor, number(1));
  Range range{nullptr, nullptr, number(0), 0, both(a.holds, is_usual)};
  range.least = remainder ? number(0) : builder_.CreateSDiv(a.least, by);
  range.most = remainder ? smaller(a.most, builder_.CreateSub(by, number(1))) : builder_.CreateSDiv(a.most, by);
  return range;
}

Range Ranges::joined(const Range& a, const Range& b) {
  const unsigned alike = a.some == b.some ? kAllBits : zeros_of(builder_.CreateSub(a.some, b.some));
  return {smaller(a.least, b.least), larger(a.most, b.most), a.some, std::min({a.alike, b.alike, alike}),
          both(a.holds, b.holds)};
}

Range Ranges::fitted(Range range, const Type* type) {
  const unsigned bits = type->getIntegerBitWidth();
  if (bits == kAllBits) return range;
  const auto least = number(APInt::getSignedMinValue(bits).getSExtValue());
  const auto most = number(APInt::getSignedMaxValue(bits).getSExtValue());
  range.holds =
      both(range.holds, both(builder_.CreateICmpSGE(range.least, least), builder_.CreateICmpSLE(range.most, most)));
  return range;
}

Ranges::Found Ranges::of_operation(BinaryOperator& operation, Place at) {
  Value* const right = operation.getOperand(1);
  const auto* const constant = dyn_cast<ConstantInt>(right);
  const unsigned bits = operation.getType()->getIntegerBitWidth();
  if (bits == 1) return {};
  if (operation.getOpcode() == Instruction::And && constant != nullptr && !constant->isNegative()) {
    Range range = between(number(0), number(constant->getSExtValue()));
    range.alike = constant->getValue().countr_zero();
    return range;
  }
  const Found a = of(operation.getOperand(0), at);
  if (!a) return {};
  const bool shifts = constant != nullptr && constant->getValue().ult(bits - 1);
  const auto power = [&] { return number(int64_t{1} << constant->getZExtValue()); };
  switch (operation.getOpcode()) {
    case Instruction::Shl:
      return shifts ? multiplied(*a, single(power())) : Found();
    case Instruction::LShr:
      return shifts ? divided(*a, power(), false) : Found();
    default:
      break;
  }
  const Found b = of(right, at);
  if (!b) return {};
  switch (operation.getOpcode()) {
    case Instruction::Or:
      return cast<PossiblyDisjointInst>(operation).isDisjoint() ? Found(added(*a, *b)) : Found();
    case Instruction::Add:
      return added(*a, *b);
    case Instruction::Sub: {
      const Found minus = multiplied(*b, single(number(-1)));
      return minus ? Found(added(*a, *minus)) : minus;
    }
    case Instruction::Mul:
      return multiplied(*a, *b);
    case Instruction::UDiv:
    case Instruction::SDiv:
      return b->is_single() ? divided({a->least, a->most, a->some, 0, both(a->holds, b->holds)}, b->least, false)
                            : Found();
    case Instruction::URem:
    case Instruction::SRem:
      return b->is_single() ? divided({a->least, a->most, a->some, 0, both(a->holds, b->holds)}, b->least, true)
                            : Found();
    default:
      return {};
  }
}

Ranges::Found Ranges::of_cast(CastInst& cast, Place at) {
  Value* const from = cast.getOperand(0);
  if (isa<ZExtInst>(cast) && from->getType()->isIntegerTy(1)) return between(number(0), number(1));
  if (!isa<SExtInst, ZExtInst, TruncInst, PtrToIntInst, IntToPtrInst>(cast) || from->getType()->isIntegerTy(1))
    return {};
  Found range = of(from, at);
  if (!range) return {};
  if (isa<ZExtInst>(cast)) range->holds = both(range->holds, builder_.CreateICmpSGE(range->least, number(0)));
  if (isa<TruncInst>(cast)) return cast.getType()->isIntegerTy(1) ? Found() : Found(fitted(*range, cast.getType()));
  if (isa<PtrToIntInst>(cast) && !cast.getType()->isIntegerTy(kAllBits)) return {};
  return range;
}

Ranges::Found Ranges::of_call(IntrinsicInst& call, Place at) {
  const Intrinsic::ID id = call.getIntrinsicID();
  const bool is_least = id == Intrinsic::smin || id == Intrinsic::umin;
  if (!is_least && id != Intrinsic::smax && id != Intrinsic::umax) return {};
  const Found a = of(call.getArgOperand(0), at), b = of(call.getArgOperand(1), at);
  if (!a || !b) return {};
  Range range = joined(*a, *b);
  if (is_least)
    range.most = smaller(a->most, b->most);
  else
    range.least = larger(a->least, b->least);
  if (id == Intrinsic::umin || id == Intrinsic::umax)
    range.holds = both(range.holds, builder_.CreateICmpSGE(smaller(a->least, b->least), number(0)));
  return range;
}

Ranges::Found Ranges::of_address(GEPOperator& address, Place at) {
  const DataLayout& layout = point_.start->getDataLayout();
  MapVector<Value*, APInt> parts;
  APInt constant(kAllBits, 0);
  if (!address.collectOffset(layout, kAllBits, parts, constant)) return {};
  const Found base = of(address.getPointerOperand(), at);
  if (!base) return {};
  Range sum = added(*base, single(builder_.getInt(constant)));
  for (const auto& [index, scale] : parts) {
    const Found range = of(index, at);
    const Found part = range ? multiplied(*range, single(builder_.getInt(scale))) : range;
    if (!part) return {};
    sum = added(sum, *part);
  }
  return sum;
}

}  // namespace assay::regions
