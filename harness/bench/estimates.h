// Figures over timed samples: pure functions, so that recorded samples give the same figures everywhere.
//
// No figure is made up: where there are too few samples for one, or a sample is NaN, it is NaN.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/device/timing.h"

namespace assay::bench {

inline constexpr double kThrottledShare = 0.75;  // of the default clock; below it a sample is discarded

struct Estimate;

struct Interval {
  double low = kNoTime;
  double high = kNoTime;
};

// The middle value, or the mean of the two middle ones. NaN: no value, or one of them is NaN.
double median(std::vector<double> values);

// A 95 % interval of the median that assumes nothing of how the values are distributed: the order statistics x(j) and
// x(n+1-j) with the largest j for which P(Bin(n, 1/2) < j) <= 2.5 % (David and Nagaraja, Order Statistics, 3rd edition,
// section 7.1). NaN below 6 values: not even their whole range is such an interval.
Interval median_interval(std::vector<double> values);

// Half the interval over the median: the relative uncertainty of it. NaN where there is no interval, or no median above
// zero. The first is of the samples of one process, whose sampling it ends; reports have that of the processes
// (Estimate).
double noise(const std::vector<double>& values);
double noise(const Estimate& estimate);

// A known clock below kThrottledShare of the default clock. 0 stands for an unknown clock, in either.
bool is_throttled(const TimingSample& sample, double default_mhz);

// Microseconds of the samples that were not discarded, in their order.
std::vector<double> kept_us(const std::vector<TimingSample>& samples);

// The median over samples that were not discarded and whose clock is known, each at its own clock. NaN: there is none.
double median_cycles(const std::vector<TimingSample>& samples);

// The lowest and the highest of the processes' median clocks in MHz, over samples that were not discarded and whose
// clock is known. NaN: there is none.
Interval clocks_of_processes(const std::vector<TimingSample>& samples);

// Times of processes that differ by this share of the lowest, or more, are those of different clocks: the
// interval of a steady one is narrower.
inline constexpr double kClockSpread = 0.02;

// An estimate needs so many processes: an interval from two would be 18 times as wide as their difference.
inline constexpr size_t kProcessesMin = 3;
inline constexpr size_t kProcessesMax = 10;

struct Estimate {
  double value = kNoTime;
  Interval interval;
};

// Figures of several processes as one: their median, with a 95 % interval. Conditions that a process fixes for all its
// samples (addresses, the order of allocation, the clock that it met) show only between processes, so the interval is
// Student's t over the logarithms of the processes' figures, and says nothing of how many samples each took. NaN for
// the interval below kProcessesMin; NaN for all where a figure is not above zero.
Estimate over_processes(std::vector<double> of_each);

// A time: over the medians of the kept samples of each process that has any.
Estimate time_over_processes(const std::vector<TimingSample>& samples);

// The ratio of two medians, numerator over denominator, of candidates that took turns in the same processes: over the
// ratios of the processes that have samples of both, so that what hits both candidates of a process cancels.
Estimate ratio_over_processes(const std::vector<TimingSample>& numerator, const std::vector<TimingSample>& denominator);

// How many processes have a kept sample.
size_t processes_of(const std::vector<TimingSample>& samples);

}  // namespace assay::bench
