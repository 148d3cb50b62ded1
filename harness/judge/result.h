// One result row: what a run of a case came to. The unit of every sink, and what a worker process sends to its parent.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/verdict.h"
#include "harness/case/case.h"
#include "harness/device/timing.h"
#include "harness/simt/checked/access_statistics.h"
#include "harness/tensor/dtype.h"

namespace assay {

// An element that is furthest outside (or nearest to the edge of) its budget.
struct WorstElement {
  std::string tensor;
  std::string index;  // "[3,17]"
  double got = 0;
  double want = 0;
  double error_over_budget = 0;  // infinity where the budget is zero or the class of non-finite differs
};

// Where in a tensor the errors sit: the tensor as a matrix (all but the last dimension folded into rows), cut into a
// grid of at most 64 × 64 cells, each with the largest error/budget in it. Cells are row-major.
struct ErrorMap {
  std::string tensor;
  std::vector<int64_t> shape;  // of the tensor
  int rows = 0;                // of the grid
  int cols = 0;
  std::vector<double> cells;  // error/budget; infinity as in WorstElement
};

// Whether the judge noticed a wrong output made from the reference (the power audit).
struct PowerProbe {
  std::string wrong_output;  // "zeros:y"
  bool noticed = false;      // false: this case is blind to it
};

struct ResultRow {
  std::string case_line;
  std::string op;
  std::string variant;
  DType dtype = DType::f32;
  std::string device;
  Kind verdict = Kind::pass;
  std::string detail;                                                   // why, for every verdict but PASS
  double error_over_budget = std::numeric_limits<double>::quiet_NaN();  // the largest; NaN when nothing was compared
  int64_t either_way = 0;   // elements for which two values are right: their decision lies within the budget
  std::string shrunk_from;  // the original case line, for a row that shrinking made
  double seconds = 0;

  std::vector<WorstElement> worst;  // at most 5, worst first; kept for failures only
  std::vector<ErrorMap> maps;       // one per written tensor; kept for failures only
  std::vector<PowerProbe> power;    // one per wrong output that differs from the right one in this case; passes only
  std::optional<AccessStatistics> statistics;  // what the variant did to memory (statistics_json.h); when asked for
  std::optional<Timing> timing;                // how long it takes (timing_json.h); from `assay bench` on a GPU
};

// The row of a case that was not judged, or not yet.
ResultRow row_for(const Case& c, const std::string& device, Kind verdict = Kind::pass, std::string detail = "");

// JSON with exactly the fields above, without `either_way` where it is 0; `case` for case_line; non-finite numbers as
// the strings "nan", "inf", "-inf".
nlohmann::json to_json(const ResultRow& row);
ResultRow row_from_json(const nlohmann::json& json);  // throws nlohmann::json::exception on a malformed row

}  // namespace assay
