// The order of the steps.
#include "harness/simt/regions/split.h"

#include <optional>

#include "harness/simt/regions/checks.h"
#include "harness/simt/regions/collectives.h"
#include "harness/simt/regions/contexts.h"
#include "harness/simt/regions/loops.h"
#include "harness/simt/regions/pieces.h"
#include "harness/simt/regions/spinning.h"
#include "harness/simt/regions/thread_code.h"
#include "harness/simt/regions/uniformity.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"

namespace assay::regions {
namespace {

using namespace llvm;

constexpr uint64_t kContextBytesMax = uint64_t{64} << 20;

// Pieces overlap, so many points in a long kernel make much code. The tensor cores' attention backward, unrolled for
// heads of 256, has 179 pieces; compiling it took minutes.
constexpr size_t kCopiedMax = 10'000;

size_t copied_instructions(const Pieces& pieces) {
  size_t sum = 0;
  for (const auto& point : pieces.points)
    for (const BasicBlock* block : point->piece) sum += block->size();
  return sum;
}

std::string why_not(const Pieces& pieces) {
  for (const auto& point : pieces.points)
    if (point->ends.empty()) return "a piece without end";
  return copied_instructions(pieces) > kCopiedMax ? "too large in pieces" : "";
}

// Lifetimes are of variables in the frame; the context lives as long as the block.
void forget_lifetimes(const Contexts& contexts) {
  for (const LocalArray& array : contexts.arrays)
    for (User* user : make_early_inc_range(array.variable->users()))
      if (auto* const life = dyn_cast<LifetimeIntrinsic>(user)) life->eraseFromParent();
}

}  // namespace

Split split(Function& kernel, FunctionAnalysisManager& analyses, PassBuilder& passes) {
  Split result;
  const ThreadCode code = make_thread_code(kernel, analyses, passes);
  if (code.function == nullptr) {
    result.refused = code.refused;
    return result;
  }
  Function& function = *code.function;
  const auto refuse = [&](const std::string& why) {
    function.eraseFromParent();
    result.refused = why;
    return result;
  };
  if (may_wait(function)) return refuse("a loop that may wait for another thread");
  const Pieces pieces = cut(function, code.prologue);
  result.pieces = static_cast<unsigned>(pieces.points.size());
  result.instructions = copied_instructions(pieces);
  if (const std::string why = why_not(pieces); !why.empty()) return refuse(why);
  const Uniformity of_block(function, pieces, Group::block);
  std::optional<Uniformity> of_warp;
  if (pieces.has_collectives) {
    of_warp.emplace(function, pieces, Group::warp);
    if (const std::string why = why_not_by_warps(pieces, *of_warp); !why.empty()) return refuse(why);
    lower_collectives(function, pieces);
    result.by_warps = true;
  }
  const Contexts contexts = make_contexts(function, code.prologue, pieces, of_block, of_warp ? &*of_warp : nullptr);
  if (contexts.bytes > kContextBytesMax) return refuse("keeps too much across its pieces");
  forget_lifetimes(contexts);
  result.checks = wants_checks(*function.getParent());
  if (result.checks) insert_checks(function, code.prologue);
  make_loops(function, code.prologue, pieces, contexts, of_warp ? *of_warp : of_block,
             result.by_warps ? Group::warp : Group::block);
  if (verifyFunction(function, &errs())) report_fatal_error("assay: the split kernel is not valid code");
  analyses.invalidate(function, PreservedAnalyses::none());
  result.function = &function;
  result.context_bytes = contexts.bytes;
  result.slots = contexts.slots.size();
  result.uniform_slots =
      static_cast<size_t>(count_if(contexts.slots, [](const Slot& slot) { return slot.is_uniform; }));
  return result;
}

}  // namespace assay::regions
