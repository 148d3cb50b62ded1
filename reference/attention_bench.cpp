// How long the double-precision references of attention take, whole, at the sizes that sweeps end with.
#include <benchmark/benchmark.h>

#include "harness/op/registry.h"

namespace assay {
namespace {

void run_whole(benchmark::State& state, const char* line) {
  const Contract& contract = *find_op(parse_case(line)->op);
  const Case c = *conform(contract, *parse_case(line), line);
  const Tensors given = make_tensors(contract, c);
  const ReferenceInFull in_full;
  for (auto _ : state) benchmark::DoNotOptimize(contract.reference.value(c, given));
  state.counters["GFLOP/s"] =
      benchmark::Counter(contract.flops(c) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(run_whole, attention_forward,
                  "attention_forward/reference f32 B=1 Sq=2048 Sk=2048 H=8 HK=8 D=128 causal=0 scale=auto "
                  "layout=token_major fill=normal seed=1 schedule=0")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(run_whole, attention_backward,
                  "attention_backward/reference f32 B=1 Sq=2048 Sk=2048 H=8 HK=8 D=128 causal=0 scale=auto "
                  "layout=token_major saved=none grads=f32 fill=normal seed=1 schedule=0")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(run_whole, attention_backward_causal,
                  "attention_backward/reference f32 B=1 Sq=2048 Sk=2048 H=8 HK=8 D=128 causal=1 scale=auto "
                  "layout=token_major saved=none grads=f32 fill=normal seed=1 schedule=0")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace assay
