// Shrinks what a sweep found: each defect to the smallest case that shows it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/row.h"

namespace assay {

// The maximum for a variant, because each defect has a time budget of its own; the first of each kind comes before the
// second of any.
inline constexpr size_t kDefectsShrunkMax = 8;

struct DefectShrinking {
  // The smallest case found of those simpler than `failing` for which `same` holds; nothing if there is none.
  std::function<std::optional<ResultRow>(const ResultRow& failing, const std::function<bool(const ResultRow&)>& same)>
      shrink;
  std::function<ResultRow(const Case&, const std::string& device)> run;
  std::function<bool()> stopped;
  std::function<void(const ResultRow& failing)> begins;
  std::function<void(const ResultRow& failing, const ResultRow& smallest)> ends;
  std::function<void(const std::string& id, size_t defects)> left_out;  // a variant has more than the maximum
};

// A row that was made, and the index of the sweep's row that it follows.
struct ShrunkRow {
  size_t after = 0;
  ResultRow row;
};

// The rows are in the order in which they were made. Defects that go together (result/defect.h) are one bug, and shrunk
// once, unless a row shows one without any bug that is known, neither with its own data nor with ordinary data in the
// same launch: then what it shrinks to keeps clear of those bugs too. A row with the smallest case of a bug, made of a
// case of another defect, says that this one comes of it.
//
// Where a smallest case shows an effect (a wrong value), the checked build runs
// it too, if it is part of the sweep: its row, which names the cause, follows; a race is not the cause of a failure
// that is the same whatever the order of threads.
std::vector<ShrunkRow> shrink_defects(const std::vector<ResultRow>& rows, const DefectShrinking& with);

}  // namespace assay
