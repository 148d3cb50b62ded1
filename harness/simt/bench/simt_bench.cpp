// Speed of the CPU executor on three kernels, and of PoCL on the same three where it is installed; and of mma, which
// PoCL does not have.
//
// The counter ns_per_thread_barrier divides by threads × barriers, work included: the number by which executors
// compare. Names read kernel/schedule. On a busy machine read the CPU column and the ratio to PoCL: (a) and
// (c) go through 24 and 32 MB, which other machines on the same host may push out of the last cache between two runs.
// `_in_cache` is the same number of blocks and elements, an eighth or a sixteenth of the data again and again. Each
// result is checked once against a double-precision reference before anything is timed.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "harness/simt/bench/kernels/kernels.h"
#include "harness/simt/include/simt/rng.h"
#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/executor.h"
#ifdef ASSAY_BENCH_OPENCL
#include "harness/simt/bench/kernels/pocl.h"
#endif

namespace assay::bench {
namespace {

constexpr int kRows = 2048, kCols = 1024;            // (a)
constexpr int kTokens = 256, kHeads = 2, kDim = 64;  // (b)
constexpr int kSide = 2048;                          // (c)
constexpr double kSoftmaxBarriers = 1.0 * kRows * 256 * 9;
constexpr double kAttentionBarriers = 0.5 * kHeads * kTokens * (kTokens + 1) * 18 * 256;

std::vector<float> values(size_t count, uint64_t seed) {
  simt::Rng rng(seed);
  std::vector<float> result(count);
  for (float& x : result) x = static_cast<float>(rng.between(-1000, 1000)) / 1000.0f;
  return result;
}

void expect_close(double value, double reference, double scale, const char* what) {
  SIMT_CHECK(std::abs(value - reference) <= 1e-4 * scale, what);
}

struct Softmax {
  int launches = 1;  // of a share of the rows each, always the same
  int rows() const { return kRows / launches; }
  std::vector<float> y = values(size_t{kRows} * kCols, 1), g = values(size_t{kRows} * kCols, 2), dx = y;
  void run() {
    for (int i = 0; i < launches; ++i) softmax_backward(dx.data(), y.data(), g.data(), rows(), kCols);
  }
  void check() const {
    for (size_t row = 0; row < static_cast<size_t>(rows()); row += 97) {
      double dot = 0;
      for (size_t i = 0; i < kCols; ++i) dot += double{y[row * kCols + i]} * g[row * kCols + i];
      for (size_t i = 0; i < kCols; ++i)
        expect_close(dx[row * kCols + i], y[row * kCols + i] * (g[row * kCols + i] - dot), std::abs(dot) + 1,
                     "softmax_backward");
    }
  }
};

struct Attention {
  static constexpr size_t kRow = size_t{kHeads} * kDim, kCount = kTokens * kRow;
  std::vector<float> q = values(kCount, 1), k = values(kCount, 2), v = values(kCount, 3), grad = values(kCount, 4);
  std::vector<float> dq = std::vector<float>(kCount), dk = dq, dv = dq;
  std::vector<float> lse = std::vector<float>(size_t{kTokens} * kHeads), delta = lse;

  Attention() {
    for (size_t i = 0; i < kTokens; ++i)
      for (size_t h = 0; h < kHeads; ++h) {
        const Row row = reference_row(i, h);
        lse[i * kHeads + h] = static_cast<float>(row.lse);
        delta[i * kHeads + h] = static_cast<float>(row.delta);
      }
  }
  void run() {
    attention_backward(dq.data(), dk.data(), dv.data(), q.data(), k.data(), v.data(), grad.data(), lse.data(),
                       delta.data(), kTokens, kHeads, kDim);
  }
  // dQ of every row of the first head, which depends on every step but the sums of dK and dV, and one row of dV.
  void check() const {
    std::vector<double> dv_reference(kDim);
    for (size_t i = 0; i < kTokens; ++i) {
      const Row row = reference_row(i, 0);
      for (size_t d = 0; d < kDim; ++d) {
        double reference = 0;
        for (size_t j = 0; j <= i; ++j) reference += row.p[j] * (row.dp[j] - row.delta) / 8 * k[j * kRow + d];
        expect_close(dq[i * kRow + d], reference, 1, "attention_backward dq");
        dv_reference[d] += row.p[0] * grad[i * kRow + d];
      }
    }
    for (size_t d = 0; d < kDim; ++d) expect_close(dv[d], dv_reference[d], 1, "attention_backward dv");
  }

 private:
  struct Row {
    std::vector<double> p, dp;  // probabilities of query i over keys, and the gradients that reach them
    double lse, delta;
  };
  Row reference_row(size_t i, size_t head) const {
    Row row{std::vector<double>(i + 1), std::vector<double>(i + 1), 0, 0};
    const size_t at = i * kRow + head * kDim;
    double sum = 0;
    for (size_t j = 0; j <= i; ++j) {
      for (size_t d = 0, key = j * kRow + head * kDim; d < kDim; ++d)
        row.p[j] += double{q[at + d]} * k[key + d], row.dp[j] += double{grad[at + d]} * v[key + d];
      sum += row.p[j] = std::exp(row.p[j] / 8);
    }
    for (size_t j = 0; j <= i; ++j) row.delta += (row.p[j] /= sum) * row.dp[j];
    row.lse = std::log(sum);
    return row;
  }
};

struct Transpose {
  int block_rows = 8;
  int side = kSide;
  int launches() const { return kSide / side * (kSide / side); }
  std::vector<float> in = values(size_t{kSide} * kSide, 1), out = in;
  void run() {
    for (int i = 0; i < launches(); ++i) transpose(out.data(), in.data(), side, side, block_rows);
  }
  void check() const {
    const auto n = static_cast<size_t>(side);
    for (size_t i = 0; i < n * n; ++i) SIMT_CHECK(out[i] == in[i % n * n + i / n], "transpose");
  }
};

// A product of ones by ones is 16 everywhere. Four warps make 1000 products, so the milliseconds of a run are the
// microseconds of a product.
struct Mma {
  static constexpr int kProducts = 1000 * 32 / kMmaThreads;
  std::vector<uint32_t> in = std::vector<uint32_t>(32, 0x3f80'3f80);
  std::vector<float> out = std::vector<float>(kMmaThreads);
  void run() { mma_m16n8k16(out.data(), in.data(), kProducts); }
  void check() const {
    for (const float sum : out) SIMT_CHECK(sum == 16.0f * kProducts, "mma");
  }
};

// Times `run`, and divides by the thread-barriers of one run. (A rate counter would print "5.2s" for 5.2 ns.)
template <class Run>
void measure(benchmark::State& state, double thread_barriers, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) run();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  if (thread_barriers == 0) return;
  state.counters["ns_per_thread_barrier"] =
      elapsed.count() / (static_cast<double>(state.iterations()) * thread_barriers);
}

template <class Kernel>
void executor(benchmark::State& state, Kernel kernel, double thread_barriers) {
  simt::Context context{.options = {.schedule = static_cast<uint64_t>(state.range(0))}, .findings = {}};
  const simt::ContextScope scope(context);
  kernel.run();
  kernel.check();
  measure(state, thread_barriers, [&] { kernel.run(); });
  SIMT_CHECK(context.findings.empty(), context.findings.empty() ? "" : context.findings[0].detail);
}

template <class Kernel>
void add(const char* name, const Kernel& kernel, double thread_barriers) {
  auto* const bench =
      benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { executor(state, kernel, thread_barriers); });
  bench->Arg(0)->Arg(7)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}

#ifdef ASSAY_BENCH_OPENCL
void add_pocl(const char* name, double thread_barriers, const std::function<void(Pocl&)>& run) {
  static const std::unique_ptr<Pocl> pocl = Pocl::open();
  if (pocl == nullptr) return;
  auto* const bench = benchmark::RegisterBenchmark(name, [=](benchmark::State& state) {
    run(*pocl);
    measure(state, thread_barriers, [&] { run(*pocl); });
  });
  bench->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}
#endif

void add_all() {
  add("softmax_backward", Softmax{}, kSoftmaxBarriers);
  add("softmax_backward_in_cache", Softmax{.launches = 8}, kSoftmaxBarriers);
  add("attention_backward", Attention{}, kAttentionBarriers);
  add("transpose_256_threads", Transpose{.block_rows = 8}, 0);
  add("transpose_256_threads_in_cache", Transpose{.block_rows = 8, .side = kSide / 4}, 0);
  add("transpose_1024_threads", Transpose{.block_rows = 32}, 0);
  add("mma_m16n8k16", Mma{}, 0);
#ifdef ASSAY_BENCH_OPENCL
  add_pocl("pocl/softmax_backward", kSoftmaxBarriers, [](Pocl& p) { p.softmax_backward(kRows, kCols); });
  add_pocl("pocl/softmax_backward_in_cache", kSoftmaxBarriers, [](Pocl& p) {
    for (int i = 0; i < 8; ++i) p.softmax_backward(kRows / 8, kCols);
  });
  add_pocl("pocl/attention_backward", kAttentionBarriers, [](Pocl& p) { p.attention_backward(kTokens, kHeads, kDim); });
  add_pocl("pocl/transpose_256_threads", 0, [](Pocl& p) { p.transpose(kSide, kSide, 8); });
  add_pocl("pocl/transpose_256_threads_in_cache", 0, [](Pocl& p) {
    for (int i = 0; i < 16; ++i) p.transpose(kSide / 4, kSide / 4, 8);
  });
  add_pocl("pocl/transpose_1024_threads", 0, [](Pocl& p) { p.transpose(kSide, kSide, 32); });
#endif
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
