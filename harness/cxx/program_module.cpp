// Compiling the texts, and taking the host's code out of the assembly.
#include "harness/cxx/program_module.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <vector>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/scratch.h"
#include "harness/base/write_file.h"
#include "harness/cxx/device_assembly.h"
#include "harness/cxx/device_code.h"
#include "harness/cxx/file_content.h"

namespace assay::cxx {
namespace {

// "mine::table" of a symbol.
std::string readable(const std::string& symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : symbol;
  std::free(text);
  return name;
}

// Kernels of one file may use what another has: what each leaves undefined is kept in the others, until nothing is new.
Result<void> without_host_code(const std::vector<std::string>& assemblies, const std::set<std::string>& variables) {
  std::deque<std::string> texts;
  std::deque<DevicePart> parts;
  for (const std::string& path : assemblies) parts.emplace_back(texts.emplace_back(content_of(path)), variables);
  for (bool grows = parts.size() > 1; grows;) {
    grows = false;
    for (const DevicePart& part : parts)
      for (const std::string_view name : part.undefined())
        for (DevicePart& other : parts) grows = (&other != &part && other.need(name)) || grows;
  }
  for (const DevicePart& part : parts)
    if (const auto made = part.made_at_load(); !made.empty())
      return fail(fmt::format("a constructor makes the device's variable {}", readable(*made.begin())),
                  "CUDA has none there: give it a constant, or a constexpr constructor");
  for (size_t i = 0; i < parts.size(); ++i) ASSAY_TRY(write_file(assemblies[i], parts[i].print()));
  return {};
}

}  // namespace

Result<std::string> program_module(const std::string& file, const std::string& build,
                                   const std::set<std::string>& variables) {
  const std::vector<DeviceCode> codes = ASSAY_TRY(unpacked(content_of(file)));
  ASSAY_TRY(make_scratch_folder());
  KernelFile kernels{{}, {}, {}};
  kernels.is_preprocessed = true;
  kernels.flags = {"-std=gnu++20"};
  // Names that files share stay visible to the linker.
  if (codes.size() > 1)
    kernels.flags.insert(kernels.flags.end(), {"-fvisibility=default", "-fno-semantic-interposition"});
  const bool is_fast = build == "fast";
  for (size_t i = 0; i < codes.size(); ++i) {
    const std::string& text = is_fast ? codes[i].fast : codes[i].checked;
    const std::string path = (scratch_folder() / fmt::format("kernels{}.ii", i)).string();
    ASSAY_TRY(write_file(path, text));
    if (i == 0)
      kernels.path = path;
    else
      kernels.more_paths.push_back(path);
    kernels.generated += text;
  }
  for (const std::string& variable : variables) kernels.generated += variable + "\n";
  const std::string tables = (scratch_folder() / "tables.s").string();
  ASSAY_TRY(write_file(tables, end_of_tables()));
  kernels.objects = {tables};
  kernels.change_assembly = [&](const std::vector<std::string>& assemblies) {
    return without_host_code(assemblies, variables);
  };
  return build_module(kernels, is_fast ? KernelBuild::fast : KernelBuild::checked,
                      fmt::format("{}-{}.so", file, build));
}

}  // namespace assay::cxx
