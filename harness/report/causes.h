// What a reader shall repair: failures put together by cause, so that every output reports a bug once.
//
// Rows that show the same defect (result/defect.h) belong together, whatever their dtype, device and case. Two defects
// of a variant have one cause where the case by which one is shown shows the other too, on any device, and
//   - one says what the kernel does wrong (RACE) and the other what comes of it (MISMATCH), or
//   - they are about the same tensor or line.
// So have two NONFINITE of a variant that the same cases fail by: a NaN goes on from one output to the next.
// All others are bugs of their own, though one case may show several.
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
  Kind kind = Kind::pass;  // of its verdicts the one that explains most
  std::string detail;      // what the row in front says about it, without what is of other causes
  std::vector<const ResultRow*>
      rows;                    // the one to look at first (shrunk, if any) in front, then in the order of the plan
  std::vector<AlsoSeen> also;  // sorted by verdict, what explains most first
  int64_t cases = 0;           // without rows that shrinking made
};

// Sorted by op and variant, then what explains most first.
std::vector<Cause> causes(const std::vector<ResultRow>& rows);

}  // namespace assay
