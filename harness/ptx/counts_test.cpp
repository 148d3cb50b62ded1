// Control flow and classes of instructions, and the passes that executors count by them: against definitions that are
// computed in other ways.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "harness/base/rng.h"
#include "harness/ptx/counted_program.h"
#include "harness/ptx/flow.h"
#include "harness/ptx/instruction_class.h"
#include "harness/simt/checked/path_counts.h"

namespace assay::ptx {
namespace {

using simt::checked::PathCounts;
using testing::ElementsAre;

Instruction instruction(const std::string& spelled) {
  Instruction made;
  size_t begin = 0;
  for (size_t dot = spelled.find('.'); begin <= spelled.size(); dot = spelled.find('.', begin)) {
    const std::string word = spelled.substr(begin, dot == std::string::npos ? dot : dot - begin);
    begin == 0 ? made.opcode = word : made.modifiers.emplace_back(word);
    if (dot == std::string::npos) break;
    begin = dot + 1;
  }
  return made;
}

Instruction branch(const std::string& opcode, const std::string& to, bool guarded) {
  Instruction made = instruction(opcode);
  if (guarded) made.guard = "%p1";
  if (!to.empty()) made.operands.push_back({.text = to});
  return made;
}

std::string label(uint64_t block) { return "L" + std::to_string(block); }

// Blocks that fall through, jump, choose or end, at random.
Function random_function(Rng& rng) {
  Function function;
  const uint64_t count = 1 + rng.below(9);
  for (uint64_t i = 0; i < count; ++i) {
    Block block{.label = label(i), .targets = {}, .instructions = {instruction("add.f32")}};
    const std::string to = label(rng.below(count));
    switch (rng.below(7)) {
      case 0:
        block.instructions.push_back(branch("bra", to, false));
        break;
      case 1:
      case 2:
      case 3:
        block.instructions.push_back(branch("bra", to, true));
        break;
      case 4:
        block.instructions.push_back(branch("exit", "", rng.below(3) != 0));
        break;
      case 5:
        block.targets = {to, label(rng.below(count)), label(rng.below(count))};
        block.instructions.push_back(branch("brx.idx", "%r1", false));
        block.instructions.back().operands.push_back({.text = block.label});
        break;
      default:
        break;
    }
    function.blocks.push_back(std::move(block));
  }
  return function;
}

// Whether the end can be reached from `from` without coming to `without`.
bool ends(const std::vector<BasicBlock>& flow, int64_t from, int64_t without) {
  std::set<int64_t> seen{from};
  std::vector<int64_t> open{from};
  while (!open.empty()) {
    const int64_t at = open.back();
    open.pop_back();
    if (at == kEnd) return true;
    if (at == without) continue;
    for (const int64_t next : flow[static_cast<size_t>(at)].next)
      if (seen.insert(next).second) open.push_back(next);
  }
  return false;
}

// The successor of each block on a shortest path to the end.
std::vector<int64_t> shortest_paths(const std::vector<BasicBlock>& flow) {
  std::vector<int64_t> out(flow.size(), kEnd), steps(flow.size(), std::ssize(flow) + 1);
  for (size_t round = 0; round <= flow.size(); ++round)
    for (size_t i = 0; i < flow.size(); ++i)
      for (const int64_t next : flow[i].next)
        if (const int64_t more = next == kEnd ? 1 : 1 + steps[static_cast<size_t>(next)]; more < steps[i])
          out[i] = next, steps[i] = more;
  return out;
}

// The blocks that are on every path from `block` to the end.
std::set<int64_t> on_every_path(const std::vector<BasicBlock>& flow, int64_t block) {
  std::set<int64_t> found;
  for (int64_t other = 0; other < std::ssize(flow); ++other)
    if (other != block && !ends(flow, block, other)) found.insert(other);
  return found;
}

RC_GTEST_PROP(Flow, LanesMeetAtTheFirstBlockOnEveryPath, (uint64_t seed)) {
  Rng rng = Rng::stream(seed, "flow");
  const auto flow = flow_of(random_function(rng));
  for (int64_t i = 0; i < std::ssize(flow); ++i) {
    const auto candidates = on_every_path(flow, i);
    const int64_t meets = flow[static_cast<size_t>(i)].meets;
    RC_ASSERT(ends(flow, i, kEnd - 1));
    RC_ASSERT(candidates.contains(meets) == (meets != kEnd));
    RC_ASSERT(meets != kEnd || candidates.empty());
    for (const int64_t other : candidates) RC_ASSERT(other == meets || on_every_path(flow, meets).contains(other));
  }
}

TEST(Flow, BlocksEndAtBranches) {
  Function function;
  function.blocks.push_back({"", {}, {instruction("mov.u32"), branch("bra", "DONE", true), instruction("add.f32")}});
  function.blocks.push_back({"ALSO", {}, {}});  // a label in front of a label
  function.blocks.push_back({"DONE", {}, {branch("ret", "", false)}});
  const auto flow = flow_of(function);
  ASSERT_EQ(flow.size(), 3u);
  EXPECT_THAT(flow[0].next, ElementsAre(1, 2));
  EXPECT_THAT(flow[1].next, ElementsAre(2));
  EXPECT_THAT(flow[2].next, ElementsAre(kEnd));
  EXPECT_EQ(flow[0].meets, 2);
}

TEST(Flow, WhatNeverEndsMeetsAtTheEnd) {
  Function function;
  function.blocks.push_back({"A", {}, {branch("bra", "A", true)}});
  function.blocks.push_back({"B", {}, {branch("bra", "B", false)}});
  const auto flow = flow_of(function);
  EXPECT_EQ(flow[1].meets, kEnd);
  EXPECT_EQ(flow[0].meets, 1);
}

// Lanes that run in lockstep, with a stack of meeting points: how simulators of GPUs do it. `successor`: the block that
// a lane takes at its nth pass of a block.
using Successor = std::function<int64_t(uint32_t lane, int64_t block, int64_t nth)>;
class Lockstep {
 public:
  Lockstep(const std::vector<BasicBlock>& flow, const Successor& successor)
      : passes(flow.size()), flow_(flow), successor_(successor) {}
  void run(const std::vector<uint32_t>& lanes, int64_t at, int64_t stop) {
    while (at != stop && at != kEnd) {
      ++passes[static_cast<size_t>(at)];
      std::map<int64_t, std::vector<uint32_t>> sides;
      for (const uint32_t lane : lanes) sides[successor_(lane, at, visits_[{lane, at}]++)].push_back(lane);
      if (sides.size() == 1) {
        at = sides.begin()->first;
        continue;
      }
      const int64_t meets = flow_[static_cast<size_t>(at)].meets;
      for (const auto& [next, side] : sides) run(side, next, meets);
      at = meets;
    }
  }
  std::vector<int64_t> passes;

 private:
  const std::vector<BasicBlock>& flow_;
  const Successor& successor_;
  std::map<std::pair<uint32_t, int64_t>, int64_t> visits_;
};

// The program text with a line of its own for each block.
std::string program_of(const std::vector<BasicBlock>& flow) {
  std::string text;
  for (size_t i = 0; i < flow.size(); ++i)
    text += fmt::format("{}\t{}\tb:{}\t0:1\n", flow[i].meets, flow[i].next.size() > 1 ? 1 : 0, i);
  return text;
}

// Threads one after the other, or one step of each in turn.
void walk(PathCounts& counts, const std::string& program, const Successor& successor,
          const std::vector<uint32_t>& order, bool in_turns) {
  std::map<uint32_t, int64_t> at;
  std::map<std::pair<uint32_t, int64_t>, int64_t> visits;
  const auto step = [&](uint32_t thread) {
    if (at[thread] == kEnd) return false;
    counts.pass(thread, static_cast<uint32_t>(at[thread]));
    at[thread] = successor(thread, at[thread], visits[{thread, at[thread]}]++);
    return true;
  };
  for (const uint32_t thread : order) counts.enter(thread, program.c_str());
  if (!in_turns) {
    for (const uint32_t thread : order)
      while (step(thread)) {
      }
    return;
  }
  for (bool more = true; more;) {
    more = false;
    for (const uint32_t thread : order) more = step(thread) || more;
  }
}

// Every way of going through a warp's lanes counts what lockstep does.
RC_GTEST_PROP(PathCounts, AreThoseOfLockstep, (uint64_t seed)) {
  Rng rng = Rng::stream(seed, "paths");
  const auto flow = flow_of(random_function(rng));
  const uint64_t branches = rng.next();
  const uint32_t threads = static_cast<uint32_t>(1 + rng.below(8));
  // Branches are drawn by lane, block and pass; after a few passes of a block the shortest path out is taken.
  const std::vector<int64_t> out = shortest_paths(flow);
  const Successor successor = [&](uint32_t lane, int64_t block, int64_t nth) {
    const auto& next = flow[static_cast<size_t>(block)].next;
    if (nth >= 3) return out[static_cast<size_t>(block)];
    Rng draw = Rng::stream(branches, fmt::format("{} {} {}", lane, block, nth));
    return next[draw.below(next.size())];
  };
  std::vector<uint32_t> lanes(threads);
  std::iota(lanes.begin(), lanes.end(), 0u);
  Lockstep lockstep(flow, successor);
  lockstep.run(lanes, 0, kEnd);
  const std::string program = program_of(flow);
  for (const bool backwards : {false, true})
    for (const bool in_turns : {false, true}) {
      if (backwards) std::reverse(lanes.begin(), lanes.end());
      PathCounts counts(threads);
      counts.begin_block();
      walk(counts, program, successor, lanes, in_turns);
      const auto lines = counts.by_line();
      for (size_t i = 0; i < flow.size(); ++i)
        RC_ASSERT(lines.at("b:" + std::to_string(i))[Counted::fp32] == lockstep.passes[i]);
    }
}

TEST(PathCounts, SayWhenThereIsNoRoom) {
  const std::string program = "-1\t0\tb:0\t0:1\n";
  PathCounts counts(32, 2);
  counts.begin_block();
  for (uint32_t thread = 0; thread < 32; ++thread) {
    counts.enter(thread, program.c_str());
    counts.pass(thread, 0);
  }
  EXPECT_TRUE(counts.complete());
  counts.leave(0);
  counts.enter(0, program.c_str());
  counts.enter(0, program.c_str());  // as if it called itself: another path
  counts.pass(0, 0);
  EXPECT_FALSE(counts.complete());
}

TEST(InstructionClass, OfEachFamily) {
  const std::vector<std::pair<Counted, std::string>> kExpected{
      {Counted::fp32, "add.f32 fma.rn.f32 mul.rn.ftz.f32 max.f32 setp.lt.f32 setp.geu.and.f32"},
      {Counted::fp16, "fma.rn.bf16x2 add.f16 setp.lt.f16x2 min.NaN.bf16"},
      {Counted::fp64, "fma.rn.f64 setp.lt.f64"},
      {Counted::tensor,
       "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
       "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"},
      {Counted::integer,
       "add.s32 mad.lo.s32 mul.wide.u32 and.b32 shl.b64 setp.lt.s32 selp.f32 div.u32 and.pred "
       "prmt.b32 lop3.b32 dp4a.u32.u32 abs.s32 popc.b32 cvt.sat.u8.s32"},
      {Counted::conversion, "cvt.rn.bf16.f32 cvt.f32.f16 cvt.rzi.s32.f32 cvt.rn.f32.u64 cvt.rn.satfinite.e4m3x2.f32"},
      {Counted::special, "div.rn.f32 rcp.approx.ftz.f32 ex2.approx.f32 sqrt.rn.f32 tanh.approx.f32 div.rn.f64"},
      {Counted::shuffle, "shfl.sync.bfly.b32 redux.sync.add.s32"},
      {Counted::shared,
       "ld.shared.v4.f32 st.shared.u32 atom.shared.add.f32 ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
       "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16"},
      {Counted::global,
       "ld.global.nc.v4.f32 st.global.f32 ld.f32 atom.add.f32 red.global.add.f32 "
       "cp.async.cg.shared.global wmma.store.d.sync.aligned.row.m16n16k16.global.f32"},
      {Counted::local, "ld.local.f32 st.local.v2.f32"},
      {Counted::control,
       "bra bra.uni ret exit call.uni vote.sync.ballot.b32 cp.async.commit_group "
       "cp.async.wait_group"},
      {Counted::barrier,
       "bar.sync barrier.cta.sync mbarrier.try_wait.shared.b64 membar.gl fence.acq_rel.gpu "
       "bar.warp.sync"},
      {Counted::move, "mov.u32 cvta.to.global.u64 ld.param.u64 cvt.u64.u32 neg.f32 abs.f32 ld.const.f32"}};
  for (const auto& [of, all] : kExpected) {
    std::istringstream words(all);
    for (std::string spelled; words >> spelled;) {
      const InstructionCounts counts = counts_of(instruction(spelled));
      EXPECT_EQ(counts[of], 1) << spelled << " is " << name(class_of(instruction(spelled)));
      EXPECT_EQ(issued(counts), 1) << spelled;
    }
  }
}

TEST(InstructionClass, TensorInstructionsSayWhatTheyMultiply) {
  const auto operations = [](const std::string& spelled, Counted of) { return counts_of(instruction(spelled))[of]; };
  EXPECT_EQ(operations("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", Counted::tensor_f16), 2 * 16 * 8 * 16);
  EXPECT_EQ(operations("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", Counted::tensor_tf32), 2 * 16 * 8 * 8);
  EXPECT_EQ(operations("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", Counted::tensor_f8), 2 * 16 * 8 * 32);
  EXPECT_EQ(operations("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32", Counted::tensor_i8),
            2 * 16 * 8 * 32);
  EXPECT_EQ(operations("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", Counted::tensor_f64), 2 * 8 * 8 * 4);
  EXPECT_EQ(operations("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", Counted::tensor_f16), 4 * 2 * 8 * 8 * 4);
  EXPECT_EQ(operations("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", Counted::tensor_f16), 2 * 16 * 16 * 16);
  EXPECT_EQ(issued(counts_of(instruction("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32"))), 1);
}

}  // namespace
}  // namespace assay::ptx
