// The module that nvcc built: it loads without a GPU, registers every variant, and holds machine code for each.
//
// Without a CUDA toolkit the build has no such module, and these tests skip.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "harness/base/optional_programs.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModule = ASSAY_GPU_MODULE;  // "" without nvcc

// "op/variant" of every kernels/<op>/<variant>.cu that this build compiles for the GPU.
std::set<std::string> kernel_files() {
  std::set<std::string> ids;
  std::ifstream files(ASSAY_BUILD_DIR "/generated/gpu_kernels.txt");
  for (std::string line; std::getline(files, line);) {
    const fs::path file = line;
    ids.insert(file.parent_path().filename() / file.stem());
  }
  return ids;
}

std::set<std::string> variants_on(std::string_view device) {
  std::set<std::string> ids;
  for (const Variant* variant : variants())
    if (variant->device == device) ids.insert(variant->op + "/" + variant->name);
  return ids;
}

// How many compiled files of each stem hold a kernel: nvcc names a kernel in an unnamed namespace after its file, as in
// _ZN55_GLOBAL__N__57ec7323_16_block_per_row_cu_78df5d09…, with hashes that tell files of equal names apart.
std::map<std::string, size_t> files_with_kernels(const std::string& module) {
  std::ifstream in(module, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::regex kernel("([0-9a-f]{8})_[0-9]+_(\\w+)_cu_([0-9a-f]{8})");
  const std::string prefix = "_GLOBAL__N__";
  std::set<std::string> files;
  std::map<std::string, size_t> count;
  for (size_t at = bytes.find(prefix); at != std::string::npos; at = bytes.find(prefix, at + 1)) {
    const std::string name = bytes.substr(at + prefix.size(), 200);
    std::smatch match;
    if (!std::regex_search(name, match, kernel, std::regex_constants::match_continuous)) continue;
    if (files.insert(match[0]).second) ++count[match[2]];
  }
  return count;
}

class GpuModule : public testing::Test {
 protected:
  void SetUp() override {
    depends_on("nvcc");
    if (kModule.empty()) GTEST_SKIP() << "no CUDA toolkit: the kernels were not compiled for a GPU";
    // Local and for good: the registry keeps pointers into it.
    if (!dlopen(kModule.data(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) GTEST_FAIL() << dlerror();
  }
};

TEST_F(GpuModule, RegistersEveryVariant) {
  ASSERT_FALSE(kernel_files().empty());
  EXPECT_THAT(variants_on("gpu"), testing::ContainerEq(kernel_files()))
      << "a variant is named by its file, kernels/<op>/<variant>.cu";
  const std::set<std::string> cpu = variants_on("cpu");
  EXPECT_THAT(variants_on("gpu"), testing::Each(testing::AnyOfArray(cpu))) << "both devices have the same variants";
}

TEST_F(GpuModule, HoldsAKernelOfEveryVariant) {
  std::map<std::string, size_t> wanted;
  for (const std::string& id : kernel_files()) {
    const Contract* const op = find_op(fs::path(id).parent_path().string());
    if (op && !op->steps.empty()) continue;  // a composite's variants have no kernels of their own
    ++wanted[fs::path(id).filename()];
  }
  const auto found = files_with_kernels(std::string(kModule));
  for (const auto& [stem, count] : wanted)
    EXPECT_GE(found.count(stem) ? found.at(stem) : 0, count)
        << "kernels/*/" << stem << ".cu: keep kernels in an unnamed namespace";
}

}  // namespace
}  // namespace assay
