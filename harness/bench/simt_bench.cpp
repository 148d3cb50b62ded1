// Speed of the CPU executor on three kernels.
#include <benchmark/benchmark.h>
#include <vector>
#include <random>
#include "harness/bench/simt/kernels.h"
#include "harness/device/cpu/simt/executor.h"
using namespace assay;
static std::vector<float> random(size_t n, unsigned seed) { std::mt19937 g(seed); std::vector<float> v(n); for (auto& x : v) x = float(g() % 2001) / 1000 - 1; return v; }
static simt::Context ctx;
static void A(benchmark::State& s) { ctx.options.threads = unsigned(s.range(0)); ctx.options.schedule = uint64_t(s.range(1)); simt::ContextScope c(ctx); auto y = random(2048*1024,1), g=random(2048*1024,2), dx=y; for (auto _ : s) bench::softmax_backward(dx.data(), y.data(), g.data(), 2048, 1024);
 s.counters["f"] = double(ctx.findings.size()); s.counters["ns/tb"] = benchmark::Counter(double(s.iterations())*2048*256*9/1e9, benchmark::Counter::kIsRate|benchmark::Counter::kInvert); }
static void B(benchmark::State& s) { ctx.options.threads = unsigned(s.range(0));  ctx.options.schedule = uint64_t(s.range(1));simt::ContextScope c(ctx); size_t n=256*128; auto q=random(n,1),k=random(n,2),v=random(n,3),g=random(n,4),dq=q,dk=q,dv=q; for (auto _ : s) bench::attention_backward(dq.data(),dk.data(),dv.data(),q.data(),k.data(),v.data(),g.data(),256,2,64);
 s.counters["f"] = double(ctx.findings.size()); s.counters["ns/tb"] = benchmark::Counter(double(s.iterations())*2*256*257/2*18*256/1e9, benchmark::Counter::kIsRate|benchmark::Counter::kInvert); }
static void C(benchmark::State& s) { ctx.options.threads = unsigned(s.range(0)); ctx.options.schedule = 0; simt::ContextScope c(ctx); auto in=random(2048*2048,1), out=in; for (auto _ : s) bench::transpose(out.data(), in.data(), 2048, 2048, int(s.range(1)));
 s.counters["f"] = double(ctx.findings.size());}
BENCHMARK(A)->Args({1,0})->Args({2,0})->Args({1,7})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(B)->Args({1,0})->Args({2,0})->Args({1,7})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(C)->Args({1,8})->Args({1,32})->Args({2,32})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_MAIN();
