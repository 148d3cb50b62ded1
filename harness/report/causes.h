// The bugs that a reader shall repair: failures put together by cause, so that every output reports a bug once.
//
// Rows that show the same defect (result/defect.h) belong together, whatever their dtype, device and case. Two defects
// of a variant have one cause where the case by which one is shown shows the other too, on any device, and
//   - both are about values, whichever outputs and verdicts (go_together), or
//   - one says what the kernel does wrong (RACE) and the other what comes of it (MISMATCH), or
//   - they are about the same tensor or line.
// The same holds for two that say what the kernel does wrong (RACE, OUT_OF_BOUNDS, CRASH) at a line in common, in
// whatever cases, and two losses of NaN or infinities in one tensor which shrinking kept apart by the lines where these
// were first made. It also holds for two that go together where shrinking found that one comes of the other: the
// smallest case of one was made of a case of the other (search/shrink_defects.h). All others are bugs of their own,
// though one case may show several.
//
// A cause is shown by what the kernel does wrong; else with ordinary data, before what comes of NaN or infinities.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/result/defect.h"

namespace assay {

// Another verdict of the same cause.
struct AlsoSeen {
  Kind kind = Kind::pass;
  std::string device;
  std::string detail;
};

struct Cause {
  Kind kind = Kind::pass;  // of the row in front
  std::string detail;      // what the row in front says about it, without what is of other causes
  std::vector<const ResultRow*>
      rows;                    // the one to look at first (shrunk, if any) in front, then in the order of the plan
  std::vector<AlsoSeen> also;  // sorted by verdict, what explains most first
  int64_t cases = 0;           // without rows that shrinking made
  std::string shared;          // a sentence about what failing cases have in common (shared_condition.h); or ""
};

// Sorted by op and variant, then as what shows a cause is chosen.
std::vector<Cause> causes(const std::vector<ResultRow>& rows);

}  // namespace assay
