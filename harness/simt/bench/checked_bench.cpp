// Speed of the checked build: three kernels, fast, checked and with access statistics in one run, on one OS thread.
//
// The counter `ratio` divides by the fast line of the same kernel. Bars for `checked`: 80 ms, 2.2 s, 100 ms, and a
// ratio of 8.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

#include "harness/simt/bench/kernels/kernels.h"
#include "harness/simt/checked/access_statistics.h"
#include "harness/simt/checked/checker.h"
#include "harness/simt/include/simt/rng.h"
#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/executor.h"

namespace assay::bench {

// The same functions in the checked modules, where the build renames them.
void checked_softmax_backward(float* dx, const float* y, const float* g, int rows, int cols);
void checked_attention_backward(float* dq, float* dk, float* dv, const float* q, const float* k, const float* v,
                                const float* grad, const float* lse, const float* delta, int tokens, int heads,
                                int dim);
void transpose_halves(void* out, const void* in, int side);
#if defined(ASSAY_BENCH_REGIONS)
#define ASSAY_BENCH_MODULES(X) X(split) X(sieve)
#define ASSAY_BENCH_DECLARED(build)                                                                                \
  void build##_softmax_backward(float* dx, const float* y, const float* g, int rows, int cols);                    \
  void build##_attention_backward(float* dq, float* dk, float* dv, const float* q, const float* k, const float* v, \
                                  const float* grad, const float* lse, const float* delta, int tokens, int heads,  \
                                  int dim);                                                                        \
  void build##_transpose_halves(void* out, const void* in, int side);                                              \
  void build##_transpose(float* out, const float* in, int rows, int cols, int block_rows);
ASSAY_BENCH_MODULES(ASSAY_BENCH_DECLARED)
#define ASSAY_BENCH_OF(mode, kernel)      \
  (mode == Mode::fast    ? kernel         \
   : mode == Mode::split ? split_##kernel \
   : mode == Mode::sieve ? sieve_##kernel \
                         : checked_##kernel)
#else
#define ASSAY_BENCH_OF(mode, kernel) (mode == Mode::fast ? kernel : checked_##kernel)
#endif
void checked_transpose_halves(void* out, const void* in, int side);
void checked_transpose(float* out, const float* in, int rows, int cols, int block_rows);

namespace {

using simt::Contents;

// The buffers of one run: plain memory for the fast build, a checker's for the checked one.
class Buffers {
 public:
  explicit Buffers(simt::Checker* checker) : checker_(checker) {}
  float* make(const char* name, size_t count, Contents contents) {
    simt::Rng rng(count + memory_.size());
    std::vector<float> values(count);
    if (contents == Contents::input)
      for (float& x : values) x = static_cast<float>(rng.between(-1000, 1000)) / 1000.0f;
    if (checker_ == nullptr) return memory_.emplace_back(std::move(values)).data();
    return static_cast<float*>(checker_->bind({name, count * sizeof(float), sizeof(float), contents},
                                              contents == Contents::fresh ? nullptr : values.data()));
  }

 private:
  simt::Checker* checker_;
  std::vector<std::vector<float>> memory_;
};

enum class Mode { fast, split, sieve, checked, counted };
constexpr std::pair<Mode, const char*> kModes[] = {{Mode::fast, "/fast"},
#if defined(ASSAY_BENCH_REGIONS)
                                                   {Mode::split, "/split"},
                                                   {Mode::sieve, "/sieve"},
#endif
                                                   {Mode::checked, "/checked"},
                                                   {Mode::counted, "/counted"}};

template <class Prepare>
void measure(benchmark::State& state, Mode mode, double* fast_seconds, const Prepare& prepare) {
  const bool checked = mode != Mode::fast && mode != Mode::split;
  simt::Checker checker;
  AccessStatistics statistics;
  Buffers buffers(checked ? &checker : nullptr);
  const auto run = prepare(buffers, mode);
  simt::Context context{.options = {.checker = checked ? &checker : nullptr,
                                    .sieve = mode == Mode::sieve,
                                    .statistics = mode == Mode::counted ? &statistics : nullptr},
                        .findings = {}};
  const simt::ContextScope scope(context);
  run();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) run();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const double seconds = elapsed.count() / static_cast<double>(state.iterations());
  if (checked)
    state.counters["ratio"] = seconds / *fast_seconds;
  else
    *fast_seconds = seconds;
  if (mode == Mode::sieve && !context.findings.empty()) state.SkipWithError(context.findings[0].detail.c_str());
  SIMT_CHECK(mode == Mode::sieve || context.findings.empty(),
             context.findings.empty() ? "" : context.findings[0].detail);
}

template <class Prepare>
void add(const std::string& name, const Prepare& prepare) {
  static double fast_seconds[8];
  static int used = 0;
  double* const fast = &fast_seconds[used++];
  for (const auto& [mode, mode_name] : kModes)
    benchmark::RegisterBenchmark((name + mode_name).c_str(),
                                 [=, mode = mode](benchmark::State& state) { measure(state, mode, fast, prepare); })
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime()
        ->UseRealTime();
}

void add_all() {
  add("softmax_backward", [](Buffers& b, Mode mode) {
    constexpr int kRows = 2048, kCols = 1024;
    constexpr size_t kCount = size_t{kRows} * kCols;
    float *dx = b.make("dx", kCount, Contents::fresh), *y = b.make("y", kCount, Contents::input),
          *g = b.make("g", kCount, Contents::input);
    return [=] { ASSAY_BENCH_OF(mode, softmax_backward)(dx, y, g, kRows, kCols); };
  });
  add("attention_backward", [](Buffers& b, Mode mode) {
    constexpr int kTokens = 256, kHeads = 2, kDim = 64;
    constexpr size_t kCount = size_t{kTokens} * kHeads * kDim;
    float *dq = b.make("dq", kCount, Contents::fresh), *dk = b.make("dk", kCount, Contents::initialised),
          *dv = b.make("dv", kCount, Contents::initialised), *q = b.make("q", kCount, Contents::input),
          *k = b.make("k", kCount, Contents::input), *v = b.make("v", kCount, Contents::input),
          *grad = b.make("grad", kCount, Contents::input), *lse = b.make("lse", kCount / kDim, Contents::input),
          *delta = b.make("delta", kCount / kDim, Contents::input);
    return [=] {
      ASSAY_BENCH_OF(mode, attention_backward)(dq, dk, dv, q, k, v, grad, lse, delta, kTokens, kHeads, kDim);
    };
  });
  for (const int block_rows : {8, 32})
    add("transpose_" + std::to_string(32 * block_rows) + "_threads", [=](Buffers& b, Mode mode) {
      constexpr int kSide = 2048;
      constexpr size_t kCount = size_t{kSide} * kSide;
      float *out = b.make("out", kCount, Contents::fresh), *in = b.make("in", kCount, Contents::input);
      return [=] { ASSAY_BENCH_OF(mode, transpose)(out, in, kSide, kSide, block_rows); };
    });
  add("transpose_halves", [](Buffers& b, Mode mode) {
    constexpr int kSide = 2048;
    constexpr size_t kCount = size_t{kSide} * kSide / 2;  // floats that hold as many pairs
    float *out = b.make("out", kCount, Contents::fresh), *in = b.make("in", kCount, Contents::input);
    return [=] { ASSAY_BENCH_OF(mode, transpose_halves)(out, in, kSide); };
  });
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  assay::bench::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
