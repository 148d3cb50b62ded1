// Where ways of control flow meet: loops that count up, and bounds that conditions give.
#include "harness/simt/regions/ranges.h"

namespace assay::regions {

using namespace llvm;

Ranges::Found Ranges::of_phi(PHINode& phi) {
  const BasicBlock* const block = phi.getParent();
  if (block == point_.start || !graph_.contains(block)) return {};
  Found start;
  SmallVector<unsigned, 2> turns;
  for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k) {
    const BasicBlock* const from = phi.getIncomingBlock(k);
    if (!is_contained(graph_.predecessors(block), from)) continue;
    if (isa<UndefValue>(phi.getIncomingValue(k))) return {};
    if (graph_.dominates(block, from)) {
      turns.push_back(k);
      continue;
    }
    const Found range = of(phi.getIncomingValue(k), {from, block});
    if (!range) return {};
    start = start ? joined(*start, *range) : range;
  }
  if (!start || turns.empty()) return start;
  return of_loop(phi, *start, turns);
}

// Counts up, by steps that all threads have in common, and a condition bounds it in each turn. Below that bound a step
// must not wrap.
Ranges::Found Ranges::of_loop(PHINode& phi, Range start, ArrayRef<unsigned> turns) {
  Range range = start;
  SmallVector<Value*, 2> steps;
  for (const unsigned k : turns) {
    Value* const next = phi.getIncomingValue(k);
    if (next == &phi) continue;
    const auto* const addition = dyn_cast<BinaryOperator>(next);
    if (addition == nullptr || addition->getOpcode() != Instruction::Add) return {};
    if (addition->getOperand(0) != &phi && addition->getOperand(1) != &phi) return {};
    Value* const other = addition->getOperand(addition->getOperand(0) == &phi ? 1 : 0);
    const Place turn{phi.getIncomingBlock(k), phi.getParent()};
    const Found step = of(other, turn);
    if (!step || !step->is_single()) return {};
    const auto* const constant = dyn_cast<ConstantInt>(step->least);
    if (constant != nullptr && constant->isNegative()) return {};
    range.holds = both(range.holds, both(step->holds, builder_.CreateICmpSGT(step->least, number(0))));
    Value* const most = most_before(phi, next, start, turn, step->least, range.holds);
    if (most == nullptr) return {};
    range.most = larger(range.most, most);
    range.alike = std::min(range.alike, zeros_of(other));
    steps.push_back(step->least);
  }
  for (Value* step : steps) {
    Range next = range;
    next.most = exactly(Intrinsic::sadd_with_overflow, range.most, step, next.holds);
    range.holds = fitted(next, phi.getType()).holds;
  }
  if (steps.size() != 1 || !start.is_single()) return range;
  // From one number on by one step: the last that is not above the bound.
  const auto* const constant = dyn_cast<ConstantInt>(steps[0]);
  if (constant != nullptr && constant->isOne()) return range;
  Value* const by = builder_.CreateSelect(builder_.CreateICmpSGT(steps[0], number(0)), steps[0], number(1));
  Value* const behind_start = exactly(Intrinsic::ssub_with_overflow, range.most, start.least, range.holds);
  range.most = builder_.CreateSub(range.most, builder_.CreateSRem(behind_start, by));
  return range;
}

// The most that the phi may be after the turn; nullptr: nothing bounds it. A loop by ones may also end where it comes
// to a number that it began below.
Value* Ranges::most_before(const PHINode& phi, const Value* next, const Range& start, Place turn, Value* step,
                           Value*& holds) {
  const auto add_condition = [&](Value* condition) {
    if (condition != nullptr) holds = both(holds, condition);
  };
  if (const Bounds of_next = bounds(next, turn); of_next.most != nullptr) {
    add_condition(of_next.holds);
    return of_next.most;
  }
  if (const Bounds before = bounds(&phi, turn); before.most != nullptr) {
    add_condition(before.holds);
    return exactly(Intrinsic::sadd_with_overflow, before.most, step, holds);
  }
  const auto* const one = dyn_cast<ConstantInt>(step);
  if (one == nullptr || !one->isOne()) return nullptr;
  for (const Condition& each : graph_.conditions(turn)) {
    const auto* const comparison = dyn_cast<ICmpInst>(each.value);
    if (comparison == nullptr || !comparison->isEquality()) continue;
    if ((comparison->getPredicate() == CmpInst::ICMP_NE) != each.is_true) continue;
    const Value* const left = comparison->getOperand(0);
    if (left != next && left != &phi) continue;
    const Found end = of(comparison->getOperand(1), turn);
    if (!end || !end->is_single()) continue;
    Value* const most =
        left == next ? exactly(Intrinsic::ssub_with_overflow, end->least, number(1), holds) : end->least;
    add_condition(end->holds);
    add_condition(builder_.CreateICmpSLE(start.most, most));
    return most;
  }
  return nullptr;
}

// ---- conditions

Ranges::Bounds Ranges::bounds(const Value* value, Place at) {
  Bounds found;
  for (const Condition& each : graph_.conditions(at)) {
    const auto* const comparison = dyn_cast<ICmpInst>(each.value);
    if (comparison != nullptr) bound(value, *comparison, each.is_true, at, found);
  }
  return found;
}

void Ranges::bound(const Value* value, const CmpInst& comparison, bool is_true, Place at, Bounds& found) {
  const auto is_value = [&](const Value* operand) {
    const auto* const wider = dyn_cast<SExtInst>(operand);
    return stored(operand) == stored(value) || (wider != nullptr && stored(wider->getOperand(0)) == stored(value));
  };
  const bool is_left = is_value(comparison.getOperand(0));
  if (!is_left && !is_value(comparison.getOperand(1))) return;
  CmpInst::Predicate predicate = is_true ? comparison.getPredicate() : comparison.getInversePredicate();
  if (!is_left) predicate = CmpInst::getSwappedPredicate(predicate);
  const bool bounds_most = predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_SLE ||
                           predicate == CmpInst::ICMP_ULT || predicate == CmpInst::ICMP_ULE ||
                           predicate == CmpInst::ICMP_EQ;
  const bool bounds_least =
      predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_SGE || predicate == CmpInst::ICMP_EQ;
  if (!bounds_most && !bounds_least) return;
  const Found other = of(comparison.getOperand(is_left ? 1 : 0), at);
  if (!other) return;
  const auto add = [&](Value* least, Value* most) {
    if (least != nullptr) found.least = found.least == nullptr ? least : larger(found.least, least);
    if (most != nullptr) found.most = found.most == nullptr ? most : smaller(found.most, most);
  };
  found.holds = found.holds == nullptr ? other->holds : both(found.holds, other->holds);
  const auto saturated = [&](Intrinsic::ID id, Value* a) { return builder_.CreateBinaryIntrinsic(id, a, number(1)); };
  switch (predicate) {
    case CmpInst::ICMP_SLT:
      return add(nullptr, saturated(Intrinsic::ssub_sat, other->most));
    case CmpInst::ICMP_SLE:
      return add(nullptr, other->most);
    case CmpInst::ICMP_SGT:
      return add(saturated(Intrinsic::sadd_sat, other->least), nullptr);
    case CmpInst::ICMP_SGE:
      return add(other->least, nullptr);
    case CmpInst::ICMP_EQ:
      return add(other->least, other->most);
    default:  // below as an unsigned number, of one that is no negative one
      found.holds = both(found.holds, builder_.CreateICmpSGE(other->least, number(0)));
      return add(number(0), predicate == CmpInst::ICMP_ULE ? other->most : saturated(Intrinsic::ssub_sat, other->most));
  }
}

}  // namespace assay::regions
