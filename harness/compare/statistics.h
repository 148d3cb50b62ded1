// The statistics of a comparison: pure functions over samples, the same for the same seed on every machine.
//
// A difference counts only where three questions agree, each of which another sort of noise can fool: is the interval
// of the ratio of medians clear of 1 (outliers), do the samples differ in rank (Mann–Whitney; few samples), and is the
// difference large for what rows of this table differ by (processes and clocks: samples of one process share its
// addresses and its clock, and no test within it can see that). README.md has the argument and the figures.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::comparison {

// The measurements of one metric of one row: samples in the order of measuring, for each process that measured.
using Samples = std::vector<std::vector<double>>;

size_t count(const Samples& samples);
double median(const Samples& samples);  // of all of them; NaN where there are none

// How far the median moved, as the natural logarithm of after / before.
struct Shift {
  double log_ratio;       // NaN where a median is not above zero
  double low, high;       // 95 % interval, a percentile bootstrap
  double standard_error;  // of log_ratio, from that interval
};

// 1,000 resamples of a bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, chapters 8 and 13) over
// processes where there are several, and over circular blocks of samples within each (Politis and Romano 1992), so that
// neighbours which are alike do not pass for independent. Blocks are the cube root of the number of samples long.
Shift shift_of_medians(const Samples& before, const Samples& after, uint64_t seed);

// Two-sided p of the Mann–Whitney U test, by the normal approximation with corrections for ties and continuity
// (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, section 4.1). The units are the medians of
// processes where both sides have fifteen or more, else the samples: fewer ranks could not be significant in a large
// table, and the process is the unit of the bootstrap anyway. 1 where nothing differs.
double mann_whitney(const Samples& before, const Samples& after);

// Two-sided p of a shift of this size where medians vary by `standard_error`, of `samples` samples in all, and by
// `between_runs` besides: Student's t.
double shift_p(const Shift& shift, double between_runs, size_t samples);

// How much further log ratios of these shifts spread around their median than their standard errors explain: what
// processes and clocks add, in a table of which most rows have not changed. Robust (from the median of absolute
// deviations; a second time without the rows that stand out), so that up to half of the rows may have changed.
// kBetweenRuns below kRowsForSpread shifts.
double spread_between_runs(const std::vector<Shift>& shifts);

inline constexpr size_t kRowsForSpread = 20;
// The difference of medians of one kernel in two processes, as a standard deviation, where a table is too small to say.
inline constexpr double kBetweenRuns = 0.005;

// `shift` with the interval that it has when medians vary by `between_runs` too.
Shift widened(const Shift& shift, double between_runs);

// The p values that control the false discovery rate (Benjamini and Hochberg 1995): a row whose value is at most q is a
// discovery, and among these a share of q is expected to be false.
std::vector<double> false_discovery_adjusted(const std::vector<double>& p);

}  // namespace assay::comparison
