// Follows the way of control flow to an access: each condition on it ends the rows, or their elements.
#include "harness/simt/regions/rows.h"

#include "harness/simt/regions/markers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace assay::regions {

using namespace llvm;

std::optional<Rows> RowFinder::of(Value* address, const BasicBlock* block) {
  header_ = latch_ = nullptr;
  rows_ = {nullptr, nullptr, number(1), segment_.count, number(INT64_MAX), number(0), builder_.getTrue(), 0};
  if (!find_loop(block)) return {};
  if (header_ != nullptr) rows_.count = number(INT64_MAX);
  if (!walk(graph_.start(), header_ == nullptr ? block : header_, false)) return {};
  if (header_ != nullptr) {
    const auto* const branch = dyn_cast<BranchInst>(latch_->getTerminator());
    if (!walk(header_, block, true) || branch == nullptr || !branch->isConditional()) return {};
    if (!add({branch->getCondition(), branch->getSuccessor(0) == header_}, latch_, When::after_turn)) return {};
  }
  const Found found = affine(address, 0);
  if (!found) return {};
  rows_.first = found->first;
  rows_.pitch = found->of_turn;
  rows_.stride = found->of_thread;
  return rows_;
}

// ---- values

RowFinder::Found RowFinder::affine(Value* value, unsigned depth) {
  constexpr unsigned kDeepest = 24;
  if (depth > kDeepest) return {};
  value = const_cast<Value*>(ranges_.stored(value));
  if (Value* const known = ranges_.known(value, 0)) return Affine{ranges_.wide(known), 0, number(0)};
  if (!ranges_.is_exact(value)) return {};
  const auto part = [&](Value* operand) { return affine(operand, depth + 1); };
  switch (index_of_thread(value)) {
    case 0:
      return Affine{segment_.x, 1, number(0)};
    case 1:
      return Affine{segment_.y, 0, number(0)};
    case 2:
      return Affine{segment_.z, 0, number(0)};
    case 3:
      return Affine{segment_.linear, 1, number(0)};
    default:
      break;
  }
  if (auto* const phi = dyn_cast<PHINode>(value)) return of_loop(*phi, depth);
  if (isa<SExtInst, ZExtInst, TruncInst, PtrToIntInst, IntToPtrInst>(value))
    return part(cast<CastInst>(value)->getOperand(0));
  const auto sum = [&](const Affine& a, const Affine& b) {
    return Affine{builder_.CreateAdd(a.first, b.first), a.of_thread + b.of_thread,
                  builder_.CreateAdd(a.of_turn, b.of_turn)};
  };
  const auto times = [&](const Affine& a, int64_t factor) {
    return Affine{builder_.CreateMul(a.first, number(factor)), a.of_thread * factor,
                  builder_.CreateMul(a.of_turn, number(factor))};
  };
  if (auto* const address = dyn_cast<GEPOperator>(value)) {
    MapVector<Value*, APInt> parts;
    APInt constant(64, 0);
    if (!address->collectOffset(graph_.start()->getDataLayout(), 64, parts, constant)) return {};
    Found all = part(address->getPointerOperand());
    if (all) all->first = builder_.CreateAdd(all->first, builder_.getInt(constant));
    for (const auto& [index, scale] : parts) {
      const Found of_index = all ? part(index) : all;
      if (!of_index || scale.abs().ugt(1 << 20)) return {};
      all = sum(*all, times(*of_index, scale.getSExtValue()));
    }
    return all;
  }
  const auto* const operation = dyn_cast<BinaryOperator>(value);
  if (operation == nullptr) return {};
  if (const Found lane = of_lane(*operation)) return lane;
  const Found a = part(operation->getOperand(0)), b = a ? part(operation->getOperand(1)) : a;
  if (!b) return {};
  const auto is_same_for_all = [&](const Affine& x) { return x.of_thread == 0 && x.of_turn == number(0); };
  const auto* const factor = dyn_cast<ConstantInt>(operation->getOperand(1));
  switch (operation->getOpcode()) {
    case Instruction::Add:
      return sum(*a, *b);
    case Instruction::Or:
      return cast<PossiblyDisjointInst>(operation)->isDisjoint() ? Found(sum(*a, *b)) : Found();
    case Instruction::Sub:
      return sum(*a, times(*b, -1));
    case Instruction::Shl:
      return factor != nullptr && factor->getValue().ult(20) ? Found(times(*a, int64_t{1} << factor->getZExtValue()))
                                                             : Found();
    case Instruction::Mul: {
      if (factor != nullptr && factor->getValue().abs().ult(1 << 20)) return times(*a, factor->getSExtValue());
      const bool first = is_same_for_all(*a);
      const Affine &same = first ? *a : *b, &other = first ? *b : *a;
      if (!is_same_for_all(same) || other.of_thread != 0) return {};
      return Affine{builder_.CreateMul(other.first, same.first), 0, builder_.CreateMul(other.of_turn, same.first)};
    }
    default:
      return {};
  }
}

// The lane and the number of a warp, for a segment that lies in one.
RowFinder::Found RowFinder::of_lane(const BinaryOperator& operation) {
  constexpr uint64_t kLaneBits = 5, kLaneMask = 31;
  const int index = index_of_thread(operation.getOperand(0));
  const auto* const constant = dyn_cast<ConstantInt>(operation.getOperand(1));
  if ((index != 0 && index != 3) || constant == nullptr) return {};
  const bool is_lane = operation.getOpcode() == Instruction::And && constant->equalsInt(kLaneMask);
  const bool is_warp = operation.getOpcode() == Instruction::LShr && constant->equalsInt(kLaneBits);
  if (!is_lane && !is_warp) return {};
  Value* const first = index == 0 ? segment_.x : segment_.linear;
  Value* const lane = builder_.CreateAnd(first, kLaneMask);
  require(builder_.CreateICmpULE(builder_.CreateAdd(lane, segment_.count), number(kLaneMask + 1)));
  return is_lane ? Affine{lane, 1, number(0)} : Affine{builder_.CreateLShr(first, kLaneBits), 0, number(0)};
}

RowFinder::Found RowFinder::of_loop(const PHINode& phi, unsigned depth) {
  if (phi.getParent() != header_ || graph_.predecessors(header_).size() != 2) return {};
  Found start;
  Value* step = nullptr;
  for (const BasicBlock* from : graph_.predecessors(header_)) {
    Value* const value = phi.getIncomingValueForBlock(from);
    if (from != latch_) {
      start = affine(value, depth + 1);
      continue;
    }
    const auto* const next = dyn_cast<BinaryOperator>(value);
    if (next == nullptr || next->getOpcode() != Instruction::Add) return {};
    if (next->getOperand(0) != &phi && next->getOperand(1) != &phi) return {};
    step = ranges_.known(next->getOperand(next->getOperand(0) == &phi ? 1 : 0), 0);
  }
  if (!start || step == nullptr) return {};
  start->of_turn = ranges_.wide(step);  // before the loop it was 0
  return start;
}

// ---- control flow

// The one loop around the block, which ends at the end of its turns only. False: it is none such.
bool RowFinder::find_loop(const BasicBlock* block) {
  const auto is_in = [&](const BasicBlock* x, const BasicBlock* header) {
    return graph_.dominates(header, x) && graph_.reaches(x, header);
  };
  for (const BasicBlock* header : graph_.blocks()) {
    if (!is_in(block, header)) continue;
    SmallVector<const BasicBlock*> latches;
    for (const BasicBlock* from : graph_.predecessors(header))
      if (graph_.dominates(header, from)) latches.push_back(from);
    if (latches.empty()) continue;
    if (latches.size() != 1 || header_ != nullptr) return false;
    header_ = header;
    latch_ = latches.front();
  }
  if (header_ == nullptr) return !graph_.reaches(block, block);
  return none_of(graph_.blocks(), [&](const BasicBlock* x) {
    if (x == latch_ || !is_in(x, header_)) return false;
    const auto after = graph_.successors(x);
    return after.empty() || !all_of(after, [&](const BasicBlock* next) { return is_in(next, header_); });
  });
}

// Adds the conditions that a thread meets on its way. False: one of them is not understood.
bool RowFinder::walk(const BasicBlock* from, const BasicBlock* to, bool in_turn) {
  for (const BasicBlock* at = from; at != to;) {
    const auto after = graph_.successors(at);
    if (after.size() == 1 && graph_.dominates(after[0], to)) {
      at = after[0];
      continue;
    }
    const auto* const branch = dyn_cast<BranchInst>(at->getTerminator());
    const bool is_behind_loop = !in_turn && graph_.reaches(at, at) && !graph_.reaches(to, at);
    const BasicBlock* next = nullptr;
    const auto is_only_way = [&](const BasicBlock* reached) {  // except the turns of the loop
      return all_of(graph_.predecessors(reached), [&](const BasicBlock* before) {
        return before == at || (reached == header_ && before == latch_ && !in_turn);
      });
    };
    if (branch != nullptr && branch->isConditional() && !is_behind_loop &&
        branch->getSuccessor(0) != branch->getSuccessor(1))
      for (const unsigned side : {0u, 1u}) {
        const BasicBlock* const reached = branch->getSuccessor(side);
        if (!graph_.dominates(reached, to) || !is_only_way(reached)) continue;
        if (!add({branch->getCondition(), side == 0}, at, in_turn ? When::in_turn : When::before)) return false;
        next = reached;
      }
    if (next == nullptr) next = behind(at, to);
    if (next == nullptr) return false;
    at = next;
  }
  return true;
}

// The next block that all ways lead to.
const BasicBlock* RowFinder::behind(const BasicBlock* from, const BasicBlock* to) const {
  const BasicBlock* next = to;
  while (graph_.dominator(next) != from) {
    if (next == graph_.start()) return nullptr;
    next = graph_.dominator(next);
  }
  SmallVector<const BasicBlock*> todo = {from};
  SmallPtrSet<const BasicBlock*, 16> seen;
  while (!todo.empty()) {
    const auto after = graph_.successors(todo.pop_back_val());
    if (after.empty()) return nullptr;
    for (const BasicBlock* each : after) {
      if (each == next || !seen.insert(each).second) continue;
      if (each == header_ || each == to) return nullptr;
      todo.push_back(each);
    }
  }
  return next;
}

// ---- conditions

bool RowFinder::add(Condition condition, const BasicBlock* at, When when) {
  using namespace PatternMatch;
  auto* const value = const_cast<Value*>(condition.value);
  Value *a = nullptr, *b = nullptr;
  if (Value* const known = ranges_.known(value, 0)) {
    if (when == When::after_turn) return false;
    rows_.count = builder_.CreateSelect(known, condition.is_true ? rows_.count : number(0),
                                        condition.is_true ? number(0) : rows_.count);
    return true;
  }
  if (match(value, m_Not(m_Value(a)))) return add({a, !condition.is_true}, at, when);
  if (condition.is_true ? match(value, m_LogicalAnd(m_Value(a), m_Value(b)))
                        : match(value, m_LogicalOr(m_Value(a), m_Value(b))))
    return when != When::after_turn && add({a, condition.is_true}, at, when) && add({b, condition.is_true}, at, when);
  const auto* const comparison = dyn_cast<ICmpInst>(value);
  if (comparison == nullptr || comparison->getOperand(0)->getType()->isPointerTy()) return false;
  CmpInst::Predicate predicate = condition.is_true ? comparison->getPredicate() : comparison->getInversePredicate();
  Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
  if (ranges_.known(left, 0) != nullptr) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  Value* end = ranges_.known(right, 0);
  const auto range = ranges_.of(left, {at});
  const Found found = end == nullptr || !range ? Found() : affine(left, 0);
  if (!found) return false;
  require(range->holds);  // it does not wrap
  end = ranges_.wide(end);
  Value* const most = number(int64_t{1} << 60);
  require(builder_.CreateICmpSLT(builder_.CreateBinaryIntrinsic(Intrinsic::abs, end, builder_.getFalse()), most));
  require(
      builder_.CreateICmpSLT(builder_.CreateBinaryIntrinsic(Intrinsic::abs, found->first, builder_.getFalse()), most));
  switch (predicate) {
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_ULE:
      require(builder_.CreateICmpSGE(found->first, number(0)));
      require(builder_.CreateICmpSGE(end, number(0)));
      [[fallthrough]];
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_SLE: {
      const bool may_be_equal = predicate == CmpInst::ICMP_ULE || predicate == CmpInst::ICMP_SLE;
      return limit(*found, may_be_equal ? builder_.CreateAdd(end, number(1)) : end, when == When::after_turn);
    }
    case CmpInst::ICMP_NE:  // by ones to a number that it began below
      if (when != When::after_turn || found->of_thread != 0 || found->of_turn != number(1)) return false;
      require(builder_.CreateICmpSLE(found->first, end));
      return limit(*found, end, true);
    default:
      return false;
  }
}

// value < end, for thread j in turn k; or that turn k is followed by another.
bool RowFinder::limit(const Affine& value, Value* end, bool after_turn) {
  const bool of_turns = value.of_turn != number(0);
  if ((value.of_thread != 0 && value.of_thread != 1) || (after_turn && !of_turns)) return false;
  Value* const first = after_turn ? builder_.CreateSub(value.first, value.of_turn) : value.first;
  Value* const left = builder_.CreateSub(end, first);
  const auto smaller = [&](Value* a, Value* b) { return builder_.CreateBinaryIntrinsic(Intrinsic::smin, a, b); };
  if (of_turns) require(builder_.CreateICmpSGT(value.of_turn, number(0)));
  if (value.of_thread == 1 && !of_turns) {
    rows_.elements = smaller(rows_.elements, left);
  } else if (value.of_thread == 1) {
    if (rows_.shrinks != number(0)) return false;
    rows_.end = left;
    rows_.shrinks = value.of_turn;
    if (after_turn) require(builder_.CreateICmpSLE(rows_.elements, left));  // what the first turn does not ask for
  } else if (!of_turns) {
    rows_.count = builder_.CreateSelect(builder_.CreateICmpSGT(left, number(0)), rows_.count, number(0));
  } else {
    Value* const by = builder_.CreateSelect(builder_.CreateICmpSGT(value.of_turn, number(0)), value.of_turn, number(1));
    Value* const above = builder_.CreateBinaryIntrinsic(Intrinsic::smax, left, number(0));
    Value* const turns = builder_.CreateSDiv(builder_.CreateAdd(above, builder_.CreateSub(by, number(1))), by);
    const auto least = number(after_turn ? 1 : 0);
    rows_.count = smaller(rows_.count, builder_.CreateBinaryIntrinsic(Intrinsic::smax, turns, least));
  }
  return true;
}

}  // namespace assay::regions
