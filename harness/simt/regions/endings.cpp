// Reaches from both sides of a branch to the points that end the piece.
#include "harness/simt/regions/endings.h"

#include <set>

#include "llvm/IR/CFG.h"

namespace assay::regions {
namespace {

using namespace llvm;

std::set<unsigned> points_behind(const BasicBlock* from, const Pieces& pieces) {
  std::set<unsigned> points;
  SmallSetVector<const BasicBlock*, 16> seen;
  seen.insert(from);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (const Point* const end = pieces.ending(seen[i]))
      points.insert(end->number);
    else
      seen.insert(succ_begin(seen[i]), succ_end(seen[i]));
  }
  return points;
}

// Whether some branch of the piece that threads may take differently leads to different points.
bool may_divide(const Point& point, const Pieces& pieces, const Uniformity& uniformity) {
  return any_of(point.piece, [&](const BasicBlock* block) {
    if (!uniformity.divides(block) || pieces.ending(block) != nullptr) return false;
    const auto first = points_behind(*succ_begin(block), pieces);
    return any_of(successors(block), [&](const BasicBlock* next) { return points_behind(next, pieces) != first; });
  });
}

}  // namespace

// A warp whose threads have all returned must not begin the next interval.
Ending ending_of(const Point& point, const Pieces& pieces, const Uniformity& uniformity, bool by_warps) {
  const bool returns = point.ends.contains(kReturned);
  const size_t stops = point.ends.size() - (returns ? 1 : 0);
  const bool others_go_on = stops > 0 || (by_warps && pieces.has_barriers);
  return {.is_recorded = point.ends.size() > 1,
          .marks_returned = returns && others_go_on,
          .checks_agreement = stops > 1 && may_divide(point, pieces, uniformity)};
}

}  // namespace assay::regions
