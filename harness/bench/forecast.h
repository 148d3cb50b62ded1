// How long a bench will take, by a model of a GPU and the machine around it: a plan can be looked at, and a budget
// kept, before any GPU is at hand.
#pragma once

#include "harness/bench/bench_plan.h"
#include "harness/bench/measure_options.h"

namespace assay {

// Seconds of a case, by what they go to.
struct Forecast {
  double checking = 0;   // every candidate in full on a smaller case
  double starting = 0;   // its share of processes: CUDA's context, modules; libraries' plans
  double filling = 0;    // tensors on the host, where the GPU cannot
  double moving = 0;     // inputs to the GPU, outputs back
  double sampling = 0;   // warming up, and the budget
  double verifying = 0;  // the reference, and comparing what was written with it

  double total() const { return checking + starting + filling + moving + sampling + verifying; }
};

// The time before the first case, for the roofs.
inline constexpr double kRoofs_s = 12;

// The forecast is for a machine with an H100 and 16 cores. The rates are assumptions, named in forecast.cpp; where they
// were measured it is said there.
Forecast forecast(const BenchCase& one, const MeasureOptions& options, int processes);

}  // namespace assay
