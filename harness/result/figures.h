// The figures of a row: every number that a report shows of a case, declared once.
//
// A new figure is one line of kFigures and one where it is computed, `row.figures["its_name"] = value`: files, tables
// and the page take its name, title and unit from here. A misspelt name does not compile.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace assay {

// Which outputs show a field besides JSON lines, which hold everything that a row has.
enum Shown : unsigned {
  kCsv = 1,       // a column of results.csv
  kJunit = 2,     // a line of a failure in junit.xml
  kGithub = 4,    // a line of an annotation
  kPage = 8,      // a column of the page's list of all cases; a word is in its list of failures
  kTimings = 16,  // in the page's table of timings
};

enum class Better : uint8_t { neither, lower, higher };
std::string_view name(Better better);

struct FigureSpec {
  std::string_view name;  // in files: results.jsonl, results.csv, the page's data
  std::string_view title;
  std::string_view unit = "";  // "µs"; "": a count or a quotient
  Better better = Better::neither;
  unsigned shown = 0;            // Shown, or-ed
  bool whole = false;            // an integer in JSON; of what is counted, a total and no ratio of totals
  std::string_view narrow = "";  // the two lines that head its column in the console; what is counted has one
};

// Figures are in the order of reports. Those of memory accesses are explained in
// harness/simt/checked/access_statistics.h, which counts them.
inline constexpr std::array kFigures{
    // The largest error as a fraction of its budget.
    FigureSpec{"error_over_budget", "error/budget", "", Better::lower, kCsv | kJunit},
    // |got - want| / |want - before| of the output that is furthest off, as vectors of its elements; `before` is 0
    // where
    // it is written anew.
    FigureSpec{"relative_distance", "Distance of outputs", "", Better::lower},

    FigureSpec{"sectors_per_request", "Sectors per request", "", Better::lower, kCsv, false, "sect.\n/req."},
    FigureSpec{"ideal_sectors_per_request", "Ideal", "", Better::lower, kCsv, false, "ideal\n/req."},
    FigureSpec{"bytes_over_compulsory", "Bytes / compulsory", "", Better::lower, kCsv, false, "moved/\ncomp."},
    FigureSpec{"bank_conflict_degree", "Bank conflict degree", "", Better::lower, kCsv, false, "bank\nconfl."},
    FigureSpec{"atomics_per_address", "Atomics per address", "", Better::lower, kCsv, false, "atom.\n/addr."},
    FigureSpec{"contention_max", "Most at once", "", Better::lower, kCsv, false, "at\nonce"},
    FigureSpec{"barriers_per_block", "Barriers per block", "", Better::lower, kCsv, false, "barr.\n/block"},
    FigureSpec{"active_lanes", "Active lanes", "", Better::higher, kCsv, false, "active\nlanes"},
    // The PTX instructions that warps issued, for kernels that come by PTX (harness/simt/checked/instruction_counts.h).
    FigureSpec{"warp_instructions", "Instructions of warps", "", Better::lower, kCsv, true, "warp\ninstr."},

    // The median over samples on a GPU that were not discarded, with its 95 % interval.
    FigureSpec{"median_us", "Median", "µs", Better::lower, kCsv | kTimings},
    FigureSpec{"low_us", "Lower bound of the median", "µs", Better::lower, kCsv | kTimings},
    FigureSpec{"high_us", "Upper bound of the median", "µs", Better::lower, kCsv | kTimings},
    // Half the interval over the median.
    FigureSpec{"noise", "Noise", "", Better::lower},
    // The median in cycles of the multiprocessors, each run at its own clock.
    FigureSpec{"median_cycles", "Median", "cycles", Better::lower},
    // Compulsory bytes over the median, 10^9 bytes.
    FigureSpec{"gb_per_s", "Bandwidth", "GB/s", Better::higher, kCsv | kTimings},
    // The contract's operations over the median.
    FigureSpec{"tflop_per_s", "Arithmetic", "TFLOP/s", Better::higher, kCsv | kTimings},
    // The share of the roof that bounds it, 1 is all of it.
    FigureSpec{"of_roof", "Of its roof", "", Better::higher, kCsv | kTimings},
    // The vendor's time over this one, with its 95 % interval: 2 is twice as fast.
    FigureSpec{"speedup", "Speedup", "", Better::higher, kCsv | kTimings},
    FigureSpec{"speedup_low", "Lower bound of the speedup", "", Better::higher, kCsv | kTimings},
    FigureSpec{"speedup_high", "Upper bound of the speedup", "", Better::higher, kCsv | kTimings},
    FigureSpec{"samples", "Samples", "", Better::neither, kCsv, true},
    FigureSpec{"discarded", "Discarded samples", "", Better::lower, kCsv, true},

    // Elements for which two values are right, because their decision lies within the budget.
    FigureSpec{"either_way", "Right either way", "", Better::neither, 0, true},
    // Outputs that fit another of the contract's formulas, and not the canonical one.
    FigureSpec{"other_form", "Outputs by another formula", "", Better::neither, 0, true},
    // The lines that kernels printed in the first run of the case.
    FigureSpec{"printed_lines", "Lines printed", "", Better::neither, 0, true},
    // The product of the op's dims.
    FigureSpec{"size", "Size"},
    // The bytes that any kernel must move, and the arithmetic that the contract counts.
    FigureSpec{"compulsory_bytes", "Compulsory", "bytes", Better::neither, 0, true},
    FigureSpec{"flops", "Operations"},
    FigureSpec{"intensity", "Intensity", "operations/byte", Better::neither, kTimings},
    // How long judging took.
    FigureSpec{"seconds", "Judged in", "s", Better::lower, kPage},
};

// The place of a figure in kFigures, found by its name while compiling.
struct FigureName {
  size_t index = 0;
  consteval FigureName(const char* name) {         // implicit, so that figures["seconds"] reads as it does
    while (kFigures[index].name != name) ++index;  // beyond the end is no constant: there is no such figure
  }
};

// The figures that a row has; NaN for the others.
class FigureValues {
 public:
  FigureValues() { values_.fill(std::numeric_limits<double>::quiet_NaN()); }

  double operator[](FigureName name) const { return values_[name.index]; }
  double& operator[](FigureName name) { return values_[name.index]; }
  bool has(FigureName name) const { return !std::isnan(values_[name.index]); }
  double or_zero(FigureName name) const { return has(name) ? values_[name.index] : 0; }

  // The figure by its place in kFigures, for whoever goes through all of them.
  double at(size_t index) const { return values_[index]; }
  double& at(size_t index) { return values_[index]; }

 private:
  std::array<double, kFigures.size()> values_;
};

// These are for names that are known only when the program runs: the figure, null when there is none; its place in
// kFigures, which aborts when there is none.
const FigureSpec* find_figure(std::string_view name);
size_t figure_index(std::string_view name);

}  // namespace assay
