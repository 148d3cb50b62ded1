// A defect: what is wrong in one place of a variant, whichever device, dtype and case show it.
//
// Two findings are of one defect if variant, kind, source lines and subject are the same, and of a NONFINITE whether
// the right value is finite: who makes an infinity of numbers does something else wrong than who loses one of the data.
// The line of a TIMEOUT does not count: which of a loop's lines it was in when its time ran out is chance. Shrinking
// keeps a defect, and every report shows a defect once (harness/report/causes.h puts those together that have one
// cause).
#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/row.h"

namespace assay {

// A line of a source file, as findings and assertions name it: "my_kernels.cu:31".
struct SourceLine {
  std::string file;
  std::string line;
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

// The lines that a text names, in its order, each once.
std::vector<SourceLine> source_lines(std::string_view text);

struct Defect {
  std::string id;  // the variant's, "op/name"
  Kind kind = Kind::pass;
  std::string subject;            // of the finding
  std::vector<SourceLine> lines;  // that the finding names, sorted
  bool wants_nonfinite = false;
  friend auto operator<=>(const Defect&, const Defect&) = default;
};

Defect defect_of(const ResultRow& row, const Finding& finding);

// Those that a row shows, each once; none if it is no failure.
std::vector<Defect> defects_of(const ResultRow& row);
bool shows(const ResultRow& row, const Defect& defect);

// Kinds that name what a kernel does wrong (a race) explain those that name what comes of it (a wrong value).
bool is_cause(Kind kind);
bool is_effect(Kind kind);

// Whether findings of one case are one bug, whichever outputs they name: both are about values, or both about an input
// that changed, or about memory around tensors.
bool go_together(Kind a, Kind b);

// Whether a finding may come of a bug that another finding is of. A property is about other runs than that of its case,
// so whatever is wrong with the variant's values or memory may break it.
bool may_come_of(Kind effect, Kind bug);

// Data with which a wrong value needs no explanation: neither NaN nor infinities, and nothing too large or too small.
// Simplest first.
inline constexpr std::array kOrdinaryFills{"integers", "normal", "uniform"};
bool has_ordinary_data(const Case& c);

// How much a kind explains: a defect with several kinds is shown by the one that explains most.
int explains(Kind kind);

}  // namespace assay
