// For tests: kernels in PTX, compiled once for each build of the executor, and run.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/adapter/build/scratch.h"
#include "harness/base/write_file.h"
#include "harness/ptx/translate.h"
#include "harness/simt/checked/access_statistics.h"
#include "harness/simt/checked/checker.h"
#include "harness/simt/runtime/executor.h"

namespace assay {

inline constexpr const char* kPtxHead = ".version 8.4\n.target sm_90a\n.address_size 64\n";

// A kernel of `in` (%rd1) and `out` (%rd2), with the thread in %r1 and 1024 bytes of shared memory, tile_NAME.
inline std::string kernel_text(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "(.param .u64 in, .param .u64 out) {\n" +
         ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<99>; .reg .f32 %f<9>; .reg .b64 %rd<40>; .reg .f64 %d<40>;\n"
         ".shared .align 16 .b8 tile_" +
         name +
         "[1024];\n"
         "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; cvta.to.global.u64 %rd1, %rd1; "
         "cvta.to.global.u64 %rd2, %rd2;\n" +
         body + "\nret;\n}\n";
}

class RunPtx {
 public:
  // `name`: of its files. The text's kernels have two parameters, `in` and `out`. `counts`: their instructions can be
  // counted.
  RunPtx(std::string name, std::string text, bool counts = false)
      : name_(std::move(name)), text_(std::move(text)), counts_(counts) {}

  struct Outcome {
    std::vector<uint32_t> out;
    std::string findings;  // a line each: "RACE: …"
  };
  // One block of the kernel, or several, which reads `in` and writes all of `words`.
  Outcome operator()(const std::string& kernel, bool checked, unsigned threads, const std::vector<uint32_t>& in,
                     size_t words, uint64_t schedule, unsigned blocks = 1, AccessStatistics* statistics = nullptr) {
    using Function = void (*)(unsigned, unsigned, void*, void*);
    void* const from = library(checked);
    const auto function = from ? reinterpret_cast<Function>(dlsym(from, ("run_" + kernel).c_str())) : nullptr;
    Outcome result{std::vector<uint32_t>(words), ""};
    if (!function) return ADD_FAILURE() << "no kernel " << kernel, result;
    simt::Checker checker{simt::Checks{}};
    simt::Context context{
        .options = {.schedule = schedule, .checker = checked ? &checker : nullptr, .statistics = statistics},
        .findings = {}};
    const simt::ContextScope scope(context);
    void* given = const_cast<uint32_t*>(in.data());
    void* made = result.out.data();
    if (checked) {
      given = checker.bind({"in", in.size() * 4, 4, simt::Contents::input, 0}, in.data());
      made = checker.bind({"out", words * 4, 4, simt::Contents::fresh, 0}, nullptr);
    }
    function(blocks, threads, given, made);
    if (checked) std::memcpy(result.out.data(), made, words * 4);
    for (const auto& finding : context.findings)
      result.findings += std::string(simt::name(finding.kind)) + ": " + finding.detail + "\n";
    return result;
  }

  // The message of nvcc's assembler for the text; "" where it takes it.
  std::string refused_by_ptxas() const {
    EXPECT_TRUE(make_scratch_folder());
    const std::string path = (scratch_folder() / (name_ + ".ptx")).string();
    EXPECT_TRUE(write_file(path, text_));
    const auto ran = run_compiler({nvcc_here(), "-cubin", "-arch=sm_90a", "-o", path + ".cubin", path});
    return ran.exit_code == 0 ? "" : ran.output;
  }

 private:
  std::string built(KernelBuild build) const {
    const auto module = ptx::read(text_, name_ + ".ptx");
    if (!module) return ADD_FAILURE() << module.error().line(), "";
    std::vector<std::string> kernels;
    for (const ptx::Function& function : module->functions)
      if (function.is_entry) kernels.push_back(function.name);
    ptx::TranslateOptions options{name_ + ".ptx"};
    options.counts = counts_;
    const auto text = ptx::translate(*module, kernels, options);
    if (!text) return ADD_FAILURE() << text.error().line(), "";
    std::string whole = "#include <cuda_runtime.h>\n" + *text + "#include \"harness/simt/include/simt/launch.h\"\n";
    for (const std::string& each : kernels)
      whole += fmt::format(
          "extern \"C\" __attribute__((visibility(\"default\"))) void run_{}(unsigned blocks, unsigned threads, void* "
          "in, void* out) "
          "{{\n"
          "  assay::simt::launch_kernel(assay::ptx::{}, {{.grid = blocks, .block = threads, .shared_bytes = 0}}, in, "
          "out);\n}}\n",
          each, ptx::cpp_name(each));
    EXPECT_TRUE(make_scratch_folder());
    const std::string path = (scratch_folder() / (name_ + ".cu")).string();
    EXPECT_TRUE(write_file(path, whole));
    const auto made = build_module({.path = path, .include = {}, .objects = {}, .generated = whole}, build,
                                   fmt::format("{}.{}.so", path, static_cast<int>(build)));
    if (!made) ADD_FAILURE() << made.error().line();
    return made.value_or("");
  }
  void* library(bool checked) {
    void*& of = libraries_[checked ? 1 : 0];
    if (!of) of = dlopen(built(checked ? KernelBuild::checked : KernelBuild::fast).c_str(), RTLD_NOW);
    return of;
  }

  std::string name_, text_;
  bool counts_;
  void* libraries_[2] = {};
};

}  // namespace assay
