// Figures over timed samples: pure functions, so that recorded samples give the same figures everywhere.
//
// No figure is made up: where there are too few samples for one, or a sample is NaN, it is NaN.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/device/timing.h"

namespace assay::bench {

inline constexpr double kThrottledShare = 0.75;  // of the default clock; below it a sample is discarded

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
// zero.
double noise(const std::vector<double>& values);

// A known clock below kThrottledShare of the default clock. 0 stands for an unknown clock, in either.
bool is_throttled(const TimingSample& sample, double default_mhz);

// Microseconds of the samples that were not discarded, in their order.
std::vector<double> kept_us(const std::vector<TimingSample>& samples);

// Of the samples that were not discarded and whose clock is known, each at its own clock. NaN: there is none.
double median_cycles(const std::vector<TimingSample>& samples);

struct Ratio {
  double value = kNoTime;
  Interval interval;
};

// The ratio of two medians, numerator over denominator, of candidates that were measured interleaved: samples 2b and
// 2b+1 of both are of block b (sampling.h). Its 95 % interval is a percentile bootstrap over whole blocks (Efron and
// Tibshirani, An Introduction to the Bootstrap, chapters 8 and 13), so that a drift that both went through does not
// widen it. The same samples and seed give the same interval. Blocks in which either has no sample left do not take
// part; the interval is NaN below 6 blocks.
Ratio ratio_of_medians(const std::vector<TimingSample>& numerator, const std::vector<TimingSample>& denominator,
                       uint64_t seed);

}  // namespace assay::bench
