// Loading the module of split kernels, whose variants replace those of the same names.
#include "harness/device/cpu/engine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
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

bool load_beside(const std::string& module) {
  for (const char* const folder : {"", "modules/"})  // installed, or in the folder of a build
    if (dlopen((beside_this_library() / folder / module).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return true;
  return false;
}

bool is_chosen = false;

}  // namespace

Result<std::string> choose_engine() {
  const char* const chosen = std::getenv("ASSAY_ENGINE");
  const std::string_view engine = chosen == nullptr || *chosen == 0 ? "fibers" : chosen;
  if (engine == "fibers") return "";
  if (engine != "regions") return fail(fmt::format("ASSAY_ENGINE is '{}'", engine), "it may be 'fibers' or 'regions'");
  is_chosen = !debugger_attached();  // which steps through threads
  simt::use_split_kernels(is_chosen);
  if (!is_chosen) return "";
  std::string missing;
  const ReplacingVariants replacing;
  for (const char* const kernels : {"kernels", "planteds"}) {  // as kernels/modules.cmake names them
    if (!is_loaded(fmt::format("lib{}_fast.so", kernels))) continue;
    if (!load_beside(fmt::format("lib{}_regions.so", kernels))) missing = dlerror();
    const RegisteringSieves sieves;
    if (missing.empty() && !load_beside(fmt::format("lib{}_sieve.so", kernels))) missing = dlerror();
  }
  return missing;
}

bool splits_kernels() { return is_chosen; }

std::vector<std::string> engines_of_kernels() {
  std::vector<std::string> lines;
  for (const simt::regions::SplitKernel* kernel : simt::split_kernels())
    lines.push_back(fmt::format("{:<60} {}", simt::symbol_name(kernel->kernel), simt::engine_of(*kernel)));
  std::ranges::sort(lines);
  return lines;
}

size_t kernels_known_to_engine() { return simt::split_kernels().size(); }

std::vector<std::string> left_to_fibers(size_t known) {
  std::set<std::string> lines;  // a sieve has the same kernels
  const auto& kernels = simt::split_kernels();
  for (size_t i = known; i < kernels.size(); ++i)
    if (kernels[i]->split == nullptr)
      lines.insert(
          fmt::format("{} stays with {}", simt::symbol_name(kernels[i]->kernel), simt::engine_of(*kernels[i])));
  return {lines.begin(), lines.end()};
}

}  // namespace assay
