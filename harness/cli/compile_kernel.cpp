// From a fat binary to a kernel module.
#include "harness/cli/compile_kernel.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/compiled.h"
#include "harness/adapter/build/scratch.h"
#include "harness/base/write_file.h"
#include "harness/cli/cli.h"
#include "harness/cxx/program_module.h"
#include "harness/program/fat_binary.h"
#include "harness/program/kernel_group.h"
#include "harness/program/link_ptx.h"

namespace assay {
namespace {

Result<std::string> compiled_kernel(const std::string& fat_binary, const std::string& name, const std::string& build,
                                    const std::set<std::string>& registered) {
  std::ifstream in(fat_binary, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  std::vector<std::string> texts;
  for (PtxImage& image : ASSAY_TRY(ptx_of(bytes.str()))) texts.push_back(std::move(image.text));
  const std::string output = fmt::format("{}-{:016x}-{}.so", fat_binary, std::hash<std::string>()(name), build);
  return module_of_ptx(texts, {name}, registered, build == "fast" ? KernelBuild::fast : KernelBuild::checked, output,
                       build == "counting");
}

}  // namespace

Result<std::string> module_of_ptx(const std::vector<std::string>& texts, const std::set<std::string>& names,
                                  const std::set<std::string>& registered, KernelBuild build, const std::string& output,
                                  bool counts) {
  std::vector<ptx::Module> modules;
  for (const std::string& each : texts) modules.push_back(ASSAY_TRY(ptx::read(each, "the program's PTX")));
  const ptx::Module module = linked(std::move(modules));
  KernelGroup group{};
  for (const std::string& name : names) {
    KernelGroup one = ASSAY_TRY(group_of(module, name, registered));
    group.kernels.merge(one.kernels);
    group.variables.merge(one.variables);
  }
  const std::string text = ASSAY_TRY(text_of(module, group, "the program's PTX", counts));
  ASSAY_TRY(make_scratch_folder());
  KernelFile file{(scratch_folder() / "kernel.cu").string(), {}, {}};
  ASSAY_TRY(write_file(file.path, text));
  file.generated = text;
  take_less_time(file, text);
  return build_module(file, build, output);
}

int compile_program_main(const std::vector<std::string>& words) {
  if (words.size() < 2) return kExitUsage;
  const auto module = cxx::program_module(words[0], words[1], {words.begin() + 2, words.end()});
  std::fputs((module ? *module : module.error().line()).c_str(), module ? stdout : stderr);
  return module ? kExitPass : kExitUsage;
}

int compile_kernel_main(const std::vector<std::string>& words) {
  if (words.size() < 3) return kExitUsage;
  const auto module = compiled_kernel(words[0], words[1], words[2], {words.begin() + 3, words.end()});
  std::fputs((module ? *module : module.error().line()).c_str(), module ? stdout : stderr);
  return module ? kExitPass : kExitUsage;
}

}  // namespace assay
