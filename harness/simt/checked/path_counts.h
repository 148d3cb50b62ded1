// Which basic blocks the warps of a launch pass, and how often: what instruction counts are made of.
//
// A *pass* is one execution of a basic block by those lanes of a warp that a GPU would run through it together. Lanes
// that a branch divides run apart until the branch's immediate post-dominator, where they join again (the model of
// Fung et al., Dynamic Warp Formation, MICRO 2007, and of every GPU simulator since; compilers place the convergence
// barriers of newer GPUs at the same points). So a loop takes as many passes as its longest lane makes rounds, and both
// sides of a branch count where lanes take both.
//
// Threads run one after another here, so lanes are never seen together. Instead each thread keeps its *path*: for every
// branch whose meeting point is still ahead, which way it went. That is a function of what the thread does, whoever
// runs before it; two lanes are in one pass of a block exactly if they come there by the same path. Passes are counted
// once for each path of a warp. The path of a warp is forgotten when all its lanes have met at a barrier.
//
// Limits. Where threads wait for each other inside a branch, the GPU may divide lanes that this model keeps together.
// A path is known by 64 bits; that two of a warp are equal by chance is as likely as an error of the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/simt/checked/instruction_counts.h"

namespace assay::simt::checked {

// The description of a translated function's basic blocks (harness/ptx/counted_program.h writes it): a line for each,
// with tabs between
//   the number of the block where its ways meet again, -1 for the end   whether it has several ways: 0, 1
//   and for each source line its place, and what is counted there: "0:3 7:1", a Counted and how many
struct Program {
  struct Line {
    std::string place;  // "softmax.cu:31"
    InstructionCounts counts;
  };
  struct Block {
    int64_t meets = -1;
    bool divides = false;
    std::vector<Line> lines;
  };
  std::vector<Block> blocks;
};
__attribute__((visibility("default"))) Program program_from(const char* text);

class __attribute__((visibility("default"))) PathCounts {
 public:
  // Paths of one block's warps, some 200 MB.
  static constexpr size_t kPathsMax = size_t{1} << 22;

  explicit PathCounts(uint32_t threads, size_t paths_max = kPathsMax);

  void begin_block();  // every thread begins anew
  void enter(uint32_t thread, const char* program);
  void pass(uint32_t thread, uint32_t block);
  void leave(uint32_t thread);
  void warp_together(uint32_t warp);  // all its lanes have met
  void block_together();

  // False: paths_max was not enough, and the counts are too small.
  bool complete() const { return paths_ < paths_max_; }
  std::map<std::string, InstructionCounts> by_line() const;

 private:
  static constexpr uint32_t kLanes = 32;

  // The ways that a thread took at branches whose lanes meet at one block.
  struct Side {
    int64_t meets;
    uint64_t path;
  };
  // A function that a thread is in.
  struct Activation {
    uint32_t program;
    uint64_t base;              // the path by which the function was called
    std::vector<Side> sides{};  // the innermost last
    int64_t at = -1;            // the block
    uint64_t here = 0;          // the path of that pass
    uint64_t calls = 0;         // from there
    uint64_t path() const { return sides.empty() ? base : sides.back().path; }
  };
  // The paths of a warp in the order of their first lanes. A lane mostly goes the way of those before it, so the next
  // path is looked for behind the last.
  struct Warp {
    std::vector<uint64_t> trail;
    std::unordered_map<uint64_t, size_t> places;
    std::array<size_t, kLanes> next{};
  };
  struct Passes {
    int64_t of_warps = 0, of_threads = 0;
  };

  uint32_t number_of(const char* program);
  bool is_first(uint32_t thread, uint64_t path);
  void forget(Warp& warp);

  size_t paths_max_, paths_ = 0;
  std::vector<std::vector<Activation>> threads_;
  std::vector<Warp> warps_;
  std::unordered_map<const char*, uint32_t> numbers_;
  std::vector<Program> programs_;
  std::vector<std::vector<Passes>> passes_;  // by program and block
};

}  // namespace assay::simt::checked
