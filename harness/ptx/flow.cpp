// Post-dominators as Cooper, Harvey and Kennedy compute dominators (A Simple, Fast Dominance Algorithm, 2001), on the
// graph turned round.
#include "harness/ptx/flow.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "harness/ptx/forms.h"

namespace assay::ptx {
namespace {

bool ends_block(const Instruction& instruction) { return has_word("bra brx ret exit trap", instruction.opcode); }

std::vector<BasicBlock> cut(const Function& function) {
  std::vector<BasicBlock> all;
  for (size_t b = 0; b < function.blocks.size(); ++b) {
    const auto& instructions = function.blocks[b].instructions;
    for (size_t begin = 0; begin < instructions.size();) {
      size_t end = begin + 1;
      while (end < instructions.size() && !ends_block(instructions[end - 1])) ++end;
      all.push_back({.block = b, .begin = begin, .end = end, .next = {}});
      begin = end;
    }
  }
  return all;
}

class Graph {
 public:
  Graph(const Function& function, std::vector<BasicBlock>& blocks) : function_(function), blocks_(blocks) {
    // A label may stand in front of nothing: it is that of what comes behind.
    for (size_t b = function.blocks.size(), at = blocks.size(); b-- > 0;) {
      while (at > 0 && blocks[at - 1].block >= b) --at;
      if (!function.blocks[b].label.empty()) labels_[function.blocks[b].label] = at;
    }
    for (size_t i = 0; i < blocks.size(); ++i) connect(i);
    order_.resize(blocks.size() + 1);
  }

  void find_meetings() {
    before_.resize(blocks_.size() + 1);
    for (size_t i = 0; i < blocks_.size(); ++i)
      for (const int64_t next : blocks_[i].next) before_[index(next)].push_back(i);
    visit_from(end());
    for (size_t i = blocks_.size(); i-- > 0;)
      if (order_[i] == 0) {  // it never ends: taken for ending at the last of its blocks
        blocks_[i].next.insert(blocks_[i].next.begin(), kEnd);
        before_[end()].push_back(i);
        visit_from(i);
      }
    visited_.clear();
    order_.assign(order_.size(), 0);
    visit_from(end());
    meets_.assign(blocks_.size() + 1, kNone);
    meets_[end()] = end();
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = visited_.size() - 1; i-- > 0;) changed = update(visited_[i]) || changed;
    }
    for (size_t i = 0; i < blocks_.size(); ++i)
      blocks_[i].meets = meets_[i] == end() ? kEnd : static_cast<int64_t>(meets_[i]);
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  size_t end() const { return blocks_.size(); }
  size_t index(int64_t next) const { return next == kEnd ? end() : static_cast<size_t>(next); }

  void add(BasicBlock& from, size_t to) const { from.next.push_back(to >= end() ? kEnd : static_cast<int64_t>(to)); }
  void add(BasicBlock& from, const std::string& label) const {
    if (const auto found = labels_.find(label); found != labels_.end()) add(from, found->second);
  }

  void connect(size_t i) {
    BasicBlock& from = blocks_[i];
    const Instruction& last = function_.blocks[from.block].instructions[from.end - 1];
    if (last.opcode == "bra" && !last.operands.empty()) add(from, last.operands[0].text);
    if (last.opcode == "brx" && last.operands.size() == 2)
      for (const Block& list : function_.blocks)
        if (list.label == last.operands[1].text)
          for (const std::string& target : list.targets) add(from, target);
    if (has_word("ret exit trap", last.opcode)) add(from, end());
    if (!ends_block(last) || !last.guard.empty()) add(from, i + 1);
    std::ranges::sort(from.next);
    from.next.erase(std::unique(from.next.begin(), from.next.end()), from.next.end());
  }

  // Depth first against the edges; a block is numbered, from 1, when all before it are.
  void visit_from(size_t first) {
    std::vector<bool> seen(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) seen[i] = order_[i] != 0;
    std::vector<std::pair<size_t, size_t>> open{{first, 0}};
    seen[first] = true;
    while (!open.empty()) {
      auto& [at, next] = open.back();
      if (next == before_[at].size()) {
        visited_.push_back(at);
        order_[at] = visited_.size();
        open.pop_back();
        continue;
      }
      const size_t to = before_[at][next++];
      if (!seen[to]) open.emplace_back(to, 0);
      seen[to] = true;
    }
  }

  bool update(size_t i) {
    size_t meeting = kNone;
    for (const int64_t next : blocks_[i].next) {
      const size_t to = index(next);
      if (meets_[to] != kNone) meeting = meeting == kNone ? to : common(meeting, to);
    }
    return std::exchange(meets_[i], meeting) != meeting;
  }
  size_t common(size_t a, size_t b) const {
    while (a != b) {
      size_t& earlier = order_[a] < order_[b] ? a : b;
      earlier = meets_[earlier];
    }
    return a;
  }

  const Function& function_;
  std::vector<BasicBlock>& blocks_;
  std::map<std::string, size_t, std::less<>> labels_;
  std::vector<std::vector<size_t>> before_;
  std::vector<size_t> visited_, order_, meets_;  // order_: where a block stands in visited_, from 1; the end last
};

}  // namespace

std::vector<BasicBlock> flow_of(const Function& function) {
  std::vector<BasicBlock> blocks = cut(function);
  Graph(function, blocks).find_meetings();
  return blocks;
}

}  // namespace assay::ptx
