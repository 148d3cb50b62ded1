// The roofs of a run as lines over arithmetic intensity: what bounds the rate of a kernel that does so many operations
// for each byte that it must move (S. Williams, A. Waterman, D. Patterson: Roofline, CACM 52(4), 2009).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/device/timing.h"

namespace assay {

// A line from one point to another on logarithmic axes: x in operations per byte, y in TFLOP/s.
struct RoofLine {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

// One roof, as measured and as its maker states; nothing where that rate is unknown.
struct RoofLines {
  std::string label;  // "copy 4.31 of 4.8 TB/s"
  std::optional<RoofLine> measured;
  std::optional<RoofLine> physical;
};

// Bandwidths (unit "TB/s") rise up to the highest rate of arithmetic, rates ("TFLOP/s") begin at the highest bandwidth;
// measured ones meet measured ones, physical ones physical ones. Together they span all of [x_min, x_max], widened to
// the ridges, where lines meet, and to powers of ten. Roofs of other units have no place here.
std::vector<RoofLines> roofline(const std::vector<Roof>& roofs, double x_min, double x_max);

}  // namespace assay
