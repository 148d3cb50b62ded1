// Dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
#include "harness/simt/regions/piece_graph.h"

#include <algorithm>
#include <functional>

#include "llvm/IR/CFG.h"
#include "llvm/IR/PatternMatch.h"

namespace assay::regions {

using namespace llvm;

PieceGraph::PieceGraph(const Point& point, const Pieces& pieces) : point_(point), pieces_(pieces) {
  number_blocks();
  find_dominators();
}

SmallVector<const BasicBlock*, 4> PieceGraph::successors(const BasicBlock* block) const {
  if (pieces_.ending(block) != nullptr) return {};
  return {succ_begin(block), succ_end(block)};
}

void PieceGraph::number_blocks() {
  DenseMap<const BasicBlock*, bool> seen;
  std::vector<std::pair<const BasicBlock*, size_t>> stack{{point_.start, 0}};
  seen[point_.start] = true;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const auto after = successors(block);
    if (next == after.size()) {
      blocks_.push_back(block);
      stack.pop_back();
    } else if (const BasicBlock* const to = after[next++]; !std::exchange(seen[to], true)) {
      stack.push_back({to, 0});
    }
  }
  std::reverse(blocks_.begin(), blocks_.end());
  for (size_t i = 0; i < blocks_.size(); ++i) number_[blocks_[i]] = i;
  predecessors_.resize(blocks_.size());
  for (const BasicBlock* block : blocks_)
    for (const BasicBlock* to : successors(block)) predecessors_[number_.lookup(to)].push_back(block);
}

void PieceGraph::find_dominators() {
  constexpr size_t kNone = ~size_t{0};
  dominator_.assign(blocks_.size(), kNone);
  dominator_[0] = 0;
  const auto common = [&](size_t a, size_t b) {
    while (a != b)
      if (a > b)
        a = dominator_[a];
      else
        b = dominator_[b];
    return a;
  };
  for (bool changed = true; std::exchange(changed, false);)
    for (size_t i = 1; i < blocks_.size(); ++i) {
      size_t found = kNone;
      for (const BasicBlock* before : predecessors_[i]) {
        const size_t number = number_.lookup(before);
        if (dominator_[number] != kNone) found = found == kNone ? number : common(found, number);
      }
      changed |= std::exchange(dominator_[i], found) != found;
    }
}

bool PieceGraph::dominates(const BasicBlock* a, const BasicBlock* b) const {
  const size_t wanted = number_.lookup(a);
  size_t at = number_.lookup(b);
  while (at > wanted) at = dominator_[at];
  return at == wanted;
}

bool PieceGraph::reaches(const BasicBlock* from, const BasicBlock* to) const {
  SmallVector<const BasicBlock*> todo = {from};
  DenseMap<const BasicBlock*, bool> seen;
  while (!todo.empty())
    for (const BasicBlock* next : successors(todo.pop_back_val())) {
      if (next == to) return true;
      if (!std::exchange(seen[next], true)) todo.push_back(next);
    }
  return false;
}

ArrayRef<const BasicBlock*> PieceGraph::predecessors(const BasicBlock* block) const {
  return predecessors_[number_.lookup(block)];
}

// Takes apart what && and || are made to.
void PieceGraph::add_conditions(const BasicBlock* from, const BasicBlock* to, std::vector<Condition>& all) {
  using namespace PatternMatch;
  const auto* const branch = dyn_cast<BranchInst>(from->getTerminator());
  if (branch == nullptr || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return;
  const size_t first = all.size();
  all.push_back({branch->getCondition(), branch->getSuccessor(0) == to});
  for (size_t i = first; i < all.size(); ++i) {
    const Condition condition = all[i];
    Value *a = nullptr, *b = nullptr;
    auto* const value = const_cast<Value*>(condition.value);
    if (match(value, m_Not(m_Value(a)))) {
      all.push_back({a, !condition.is_true});
    } else if (condition.is_true ? match(value, m_LogicalAnd(m_Value(a), m_Value(b)))
                                 : match(value, m_LogicalOr(m_Value(a), m_Value(b)))) {
      all.push_back({a, condition.is_true});
      all.push_back({b, condition.is_true});
    }
  }
}

const std::vector<Condition>& PieceGraph::conditions(Place place) {
  const auto [known, is_new] = known_.try_emplace(place);
  auto& all = known->second;
  if (!is_new) return all;
  if (place.next != nullptr) add_conditions(place.block, place.next, all);
  for (size_t at = number_.lookup(place.block); at != 0; at = dominator_[at])
    if (predecessors_[at].size() == 1) add_conditions(predecessors_[at].front(), blocks_[at], all);
  return all;
}

}  // namespace assay::regions
