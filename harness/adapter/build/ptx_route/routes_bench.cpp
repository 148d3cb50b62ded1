// The speed of PTX beside source: the three kernels that measure the executor, compiled here from source and from
// nvcc's PTX, run by turns in one process, in the fast build.
//
// A line for each kernel. Counters are of processor time: source_ms and ptx_ms, medians of the runs, and their ratio;
// source_build_s and ptx_build_s, from the text to the loaded module, without nvcc's own time, and their ratio. Bars:
// 1.3 for `ratio`, 2 for `build_ratio`.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/adapter/build/scratch.h"
#include "harness/base/rng.h"
#include "harness/base/write_file.h"
#include "harness/ptx/translate.h"
#include "harness/simt/runtime/executor.h"

namespace assay::bench {
namespace {

struct Kernel {
  const char* name;            // of its file, and of its kernel with "_kernel" behind it
  std::vector<size_t> floats;  // of each of its buffers, p[0], p[1], …
  const char* launch;          // what launch_kernel gets behind the kernel
};

constexpr size_t kRows = size_t{2048} * 1024, kTokens = size_t{256} * 2, kSide = 2048;

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> kAll = {
      {"softmax_backward", {kRows, kRows, kRows}, "{2048, 256}, p[0], p[1], p[2], 1024"},
      {"attention_backward",
       {kTokens * 64, kTokens * 64, kTokens * 64, kTokens * 64, kTokens * 64, kTokens * 64, kTokens * 64, kTokens,
        kTokens},
       "{dim3(256, 2), 256}, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], 2, 64, 0.125f"},
      {"transpose", {kSide * kSide, kSide * kSide}, "{dim3(64, 64), dim3(32, 8)}, p[0], p[1], 2048, 2048"}};
  return kAll;
}

template <class T>
T or_end(Result<T> result) {
  if (result) return std::move(*result);
  std::fputs((result.error().line() + "\n").c_str(), stderr);
  std::exit(2);
}

double seconds_of(int who) {
  rusage used{};
  getrusage(who, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}
double seconds() { return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN); }

// The file's kernels, without the host code behind them and the headers that this needs.
std::string kernel_text(const Kernel& kernel) {
  const std::filesystem::path root = project_folders().at(0);
  const std::string whole =
      or_end(text_of((root / "harness/simt/bench/kernels" / (std::string(kernel.name) + ".cu")).string()));
  const size_t begin = whole.rfind("#include"), end = whole.find("__attribute__((visibility");
  return "#include <cuda_runtime.h>\n" + whole.substr(whole.find('\n', begin), end - whole.find('\n', begin));
}

using Run = void (*)(float** buffers);

Run built(const std::string& text, const std::string& kernel_name, const Kernel& kernel, const std::string& file) {
  const std::string whole = text + fmt::format(
                                       "\n#include \"harness/simt/include/simt/launch.h\"\n"
                                       "extern \"C\" __attribute__((visibility(\"default\"))) void run(float** p) {{\n"
                                       "  assay::simt::launch_kernel({}, {});\n}}\n",
                                       kernel_name, kernel.launch);
  const std::string path = (scratch_folder() / file).string();
  or_end(write_file(path, whole).map([] { return 0; }));
  KernelFile source;
  source.path = path;
  source.generated = whole;
  void* const module = dlopen(or_end(build_module(source, KernelBuild::fast, path + ".so")).c_str(), RTLD_NOW);
  return module ? reinterpret_cast<Run>(dlsym(module, "run")) : nullptr;
}

Run by_ptx(const std::string& ptx, const Kernel& kernel) {
  const auto module = or_end(ptx::read(ptx, "kernel.ptx"));
  std::string entry;
  for (const auto& function : module.functions)
    if (function.is_entry) entry = function.name;
  const std::string text = or_end(ptx::translate(module, {entry}, {"kernel.ptx"}));
  return built("#include <cuda_runtime.h>\n" + text, "assay::ptx::" + ptx::cpp_name(entry), kernel,
               std::string(kernel.name) + ".ptx.cu");
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

void measure(benchmark::State& state, const Kernel& kernel) {
  const std::string text = kernel_text(kernel), stem = (scratch_folder() / kernel.name).string();
  or_end(write_file(stem + ".cu", text).map([] { return 0; }));
  const std::string ptx = or_end(ptx_of_file(Adapter{}, stem + ".cu", stem));
  const double begin = seconds();
  const Run source_run =
      built(text, std::string(kernel.name) + "_kernel", kernel, std::string(kernel.name) + ".src.cu");
  const double middle = seconds();
  const Run ptx_run = by_ptx(ptx, kernel);
  const double end = seconds();
  if (!source_run || !ptx_run) return state.SkipWithError("a module does not load");

  Rng rng(1);
  std::vector<std::vector<float>> memory;
  for (const size_t count : kernel.floats) {
    memory.emplace_back(count);
    for (float& x : memory.back()) x = static_cast<float>(rng.between(-1000, 1000)) / 1000.0f;
  }
  std::vector<float*> buffers;
  for (auto& each : memory) buffers.push_back(each.data());

  simt::Context context{.options = {}, .findings = {}};
  const simt::ContextScope scope(context);
  std::vector<double> of_source, of_ptx;
  for (auto _ : state)
    for (const bool is_ptx : {false, true}) {
      const double before = seconds_of(RUSAGE_SELF);
      (is_ptx ? ptx_run : source_run)(buffers.data());
      (is_ptx ? of_ptx : of_source).push_back(1e3 * (seconds_of(RUSAGE_SELF) - before));
    }
  state.counters["source_ms"] = median(of_source);
  state.counters["ptx_ms"] = median(of_ptx);
  state.counters["ratio"] = median(of_ptx) / median(of_source);
  state.counters["source_build_s"] = middle - begin;
  state.counters["ptx_build_s"] = end - middle;
  state.counters["build_ratio"] = (end - middle) / (middle - begin);
  if (!context.findings.empty()) state.SkipWithError(context.findings[0].detail.c_str());
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (assay::nvcc_here().empty()) {
    std::fputs(("routes_bench: " + assay::no_nvcc().line() + "\n").c_str(), stderr);
    return 2;
  }
  for (const char* name : {"XDG_CACHE_HOME", "HOME"}) unsetenv(name);  // every module is compiled
  if (!assay::make_scratch_folder()) return 2;
  for (const auto& kernel : assay::bench::kernels())
    benchmark::RegisterBenchmark(kernel.name, [&](benchmark::State& state) { assay::bench::measure(state, kernel); })
        ->Iterations(15)
        ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
