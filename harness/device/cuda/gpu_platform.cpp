// Finding the GPUs: through the modules of the GPU's build, or in the program itself.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "harness/base/optional_programs.h"
#include "harness/base/program_files.h"
#include "harness/device/cuda/gpu_runtime.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModulesFolder = "ASSAY_GPU_MODULES";

GpuPlatform* registered = nullptr;

// libassay_gpu*.so of the folder that the environment names, else of the program's, else of lib/assay/ beside an
// installed program's.
std::vector<fs::path> modules() {
  const char* named = std::getenv(kModulesFolder);
  std::vector<fs::path> folders = {program_folder(), program_folder().parent_path() / "lib/assay"};
  if (named)
    folders = {named};
  else
    depends_on("nvcc");  // which made what is there
  std::vector<fs::path> found;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("libassay_gpu") && name.ends_with(".so")) found.push_back(entry.path());
    }
    if (!found.empty()) break;
  }
  std::ranges::sort(found);
  return found;
}

Result<GpuPlatform*> load() {
  // A static program has it inside. A module would be one more, with a registry of its own that nobody reads.
  if (registered && std::getenv(kModulesFolder))
    return fail("this program has its kernels inside and loads no modules", "unset " + std::string(kModulesFolder));
  if (registered) return registered;
  const std::vector<fs::path> files = modules();
  if (files.empty())
    return fail("this build has no kernels for a GPU", "build where nvcc is found (scripts/setup --cuda installs it)");
  // They stay loaded: the registries keep pointers into them.
  for (const fs::path& file : files)
    if (!dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      return fail(std::string("a module of the GPU's build does not load: ") + dlerror(), "build it again");
  if (!registered) return fail("no module in " + files[0].parent_path().string() + " brings a GPU", "build again");
  return registered;
}

}  // namespace

void register_gpu_platform(GpuPlatform& platform) { registered = &platform; }

Result<GpuPlatform*> gpu_platform() {
  static const Result<GpuPlatform*> loaded = load();
  return loaded;
}

bool gpu_is_here() {
  const bool driver =
      std::getenv(kModulesFolder) != nullptr || dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  return driver && !why_no_gpu();
}

std::optional<Error> why_no_gpu() {
  const auto platform = gpu_platform();
  if (!platform) return platform.error();
  const auto count = (*platform)->count();
  return count ? std::nullopt : std::optional(count.error());
}

}  // namespace assay
