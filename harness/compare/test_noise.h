// Simulated times of kernels on a GPU, with the noise that fools comparisons: for tests, where the truth is known.
//
// A sample is  ns × process × drift × clock × jitter × outlier. Parameters are chosen, not fitted: of the size that
// published measurements of GPU kernels show, and each can be turned up alone to see at what a comparison breaks.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/base/rng.h"
#include "harness/compare/measured.h"
#include "harness/tensor/fill.h"

namespace assay::comparison {

struct Noise {
  double jitter = 0.008;        // standard deviation of a sample; between half and twice that, by row
  double process = 0.003;       // standard deviation of what addresses and allocation do to all samples of a process
  double drift = 0.005;         // standard deviation of how far a process drifts from its first sample to its last
  double outlier_share = 0.03;  // of samples that something interrupted
  double outlier_mean = 0.3;    // exponential, and only ever slower
  double slow_share = 0.15;     // of the samples at the lower clock
  double slow_clock = 0.97;     // of the higher one
  double clock_keeps = 0.5;     // chance that a sample has the clock of the one before it whatever the share is
  bool clock_is_read = true;    // false: as in files of Google Benchmark
};

inline constexpr double kFullClock = 1980;  // MHz

struct Layout {
  size_t processes = 1;
  size_t samples = 30;  // of each process
};

inline double uniform(Rng& rng) { return static_cast<double>(rng.next() >> 11) * 0x1p-53; }

// Times and cycles of a kernel that takes `ns` at the full clock, with the jitter of its row.
inline void simulate(Subject& subject, double ns, double jitter, const Noise& noise, const Layout& layout, Rng& rng) {
  for (size_t p = 0; p < layout.processes; ++p) {
    const double process = 1 + noise.process * normal(rng), drift = noise.drift * normal(rng);
    bool slow = uniform(rng) < noise.slow_share;
    std::vector<double> times, cycles;
    for (size_t i = 0; i < layout.samples; ++i) {
      if (uniform(rng) >= noise.clock_keeps) slow = uniform(rng) < noise.slow_share;
      const double clock = slow ? noise.slow_clock : 1;
      const double along = layout.samples > 1 ? static_cast<double>(i) / static_cast<double>(layout.samples - 1) : 0;
      double time = ns * process * (1 + drift * along) * (1 + jitter * normal(rng)) / clock;
      if (uniform(rng) < noise.outlier_share) time *= 1 - noise.outlier_mean * std::log(1 - uniform(rng));
      times.push_back(time);
      cycles.push_back(time / 1e3 * clock * kFullClock);
    }
    subject.series[kTime].samples.push_back(times);
    if (noise.clock_is_read) subject.series[kCycles].samples.push_back(cycles);
  }
  subject.series[kTime].unit = "ns";
  if (noise.clock_is_read) subject.series[kCycles].unit = "cycles";
}

// A table of `rows` kernels of 5 µs to 5 ms, in two runs; the first `changed` of them take `factor` times as long in
// the second.
struct Pair {
  Measured before, after;
};
inline Pair simulated_runs(size_t rows, size_t changed, double factor, const Noise& noise, const Layout& layout,
                           uint64_t seed) {
  Pair runs;
  runs.before.info.status = runs.after.info.status = "complete";
  for (size_t row = 0; row < rows; ++row) {
    const std::string name = "row " + std::to_string(1000 + row);
    Rng rng = Rng::stream(seed, name);
    const double ns = 5e3 * std::exp(uniform(rng) * std::log(1e3));
    const double jitter = noise.jitter * std::exp2(2 * uniform(rng) - 1);
    for (Measured* run : {&runs.before, &runs.after}) {
      Subject& subject = run->subjects[name];
      subject.variant = subject.name = name;
      simulate(subject, ns * (run == &runs.after && row < changed ? factor : 1), jitter, noise, layout, rng);
    }
  }
  return runs;
}

}  // namespace assay::comparison
