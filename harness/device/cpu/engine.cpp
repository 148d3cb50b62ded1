// Loading the module of split kernels, whose variants replace those of the same names.
#include "harness/device/cpu/engine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "harness/op/replacing.h"
#include "harness/simt/runtime/debugger.h"
#include "harness/simt/runtime/split_kernels.h"
#include "harness/simt/runtime/worker.h"

namespace assay {

namespace {

std::filesystem::path beside_this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&choose_engine), &info) == 0) return "";
  return std::filesystem::path(info.dli_fname).parent_path();
}

bool is_loaded(const std::string& module) { return dlopen(module.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr; }

Result<void> load_beside(const std::string& module) {
  for (const char* const folder : {"", "modules/"})  // installed, or in the folder of a build
    if (dlopen((beside_this_library() / folder / module).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return {};
  return fail(fmt::format("ASSAY_ENGINE is 'regions', but their kernels do not load: {}", dlerror()),
              "configure with -DASSAY_REGIONS=ON, which needs clang 19 and LLVM 19, and build all");
}

}  // namespace

Result<void> choose_engine() {
  const char* const chosen = std::getenv("ASSAY_ENGINE");
  const std::string_view engine = chosen == nullptr || *chosen == 0 ? "fibers" : chosen;
  if (engine == "fibers") return {};
  if (engine != "regions") return fail(fmt::format("ASSAY_ENGINE is '{}'", engine), "it may be 'fibers' or 'regions'");
  if (debugger_attached()) return {};  // which steps through threads
  const ReplacingVariants replacing;
  for (const char* const kernels : {"kernels", "planteds"}) {  // as kernels/modules.cmake names them
    if (!is_loaded(fmt::format("lib{}_fast.so", kernels))) continue;
    ASSAY_TRY(load_beside(fmt::format("lib{}_regions.so", kernels)));
    const RegisteringSieves sieves;
    ASSAY_TRY(load_beside(fmt::format("lib{}_sieve.so", kernels)));
  }
  return {};
}

std::vector<std::string> engines_of_kernels() {
  std::vector<std::string> lines;
  for (const simt::regions::SplitKernel* kernel : simt::split_kernels())
    lines.push_back(fmt::format("{:<60} {}", simt::symbol_name(kernel->kernel), simt::engine_of(*kernel)));
  std::ranges::sort(lines);
  return lines;
}

}  // namespace assay
