// The module of the vendor's libraries: it loads without a GPU and without those libraries, registers a variant for
// every op that a library computes, and knows which shapes cuDNN has an engine for.
//
// cuDNN plans for a GPU that is described to it, so the last needs no GPU. Without a CUDA toolkit, cuDNN or its
// frontend there is nothing to test, and the tests skip.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/optional_programs.h"
#include "harness/device/cuda/gemm_roof.h"
#include "harness/device/cuda/stream.h"
#include "harness/device/cuda/vendor_libraries.h"
#include "harness/op/composite.h"
#include "harness/op/registry.h"
#include "harness/search/generate.h"
#include "harness/search/suite.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr std::string_view kModule = ASSAY_GPU_VENDOR_MODULE;  // "" without nvcc
constexpr const char* kDriverStub = ASSAY_CUDA_STUBS "/libcuda.so";

// A GPU of Hopper as cuDNN describes GPUs to itself.
std::string hopper(const char* name, int64_t memory, int64_t l2_cache, int memory_clock) {
  return fmt::format(R"({{
  "deviceName": "{}", "deviceVer": 900, "cudaDeviceId": 0, "pciDeviceId": 0, "driverVer": 13000,
  "isTccDriver": 0, "supportCoopLaunch": 1, "multiProcessorCount": 132, "warpSize": 32,
  "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "maxThreadsPerBlock": 1024,
  "maxThreadsPerSM": 2048, "maxCtasPerSM": 32, "regsPerBlock": 65536, "maxRegistersPerSM": 65536,
  "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024,
  "totalGlobalMem": {}, "l2CacheSize": {}, "smClockRateKHz": 1980000, "memClockRateKHz": {}}})",
                     name, memory, l2_cache, memory_clock);
}
const std::string kH200 = hopper("NVIDIA H200", 150754820096, 62914560, 3201000);
const std::string kH100 = hopper("NVIDIA H100 80GB HBM3", 85024112640, 52428800, 2619000);

class VendorModule : public testing::Test {
 protected:
  void SetUp() override {
    depends_on("nvcc");
    if (kModule.empty())
      GTEST_SKIP()
          << "the vendor's libraries were not compiled in: no CUDA toolkit, or ASSAY_GPU_KERNELS is without them";
    module_ = dlopen(kModule.data(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!module_) GTEST_FAIL() << dlerror();
  }

  template <class... Args>
  std::string ask(const char* function, Args... args) const {
    const auto found = reinterpret_cast<const char* (*)(Args...)>(dlsym(module_, function));
    return found ? found(args...) : "the module has no function " + std::string(function);
  }
  std::string refusal(const std::string& case_line, const std::string& gpu = kH200) const {
    return ask("assay_vendor_refusal", case_line.c_str(), gpu.c_str(), 90);
  }

 private:
  void* module_ = nullptr;
};

class VendorPlans : public VendorModule {
 protected:
  void SetUp() override {
    VendorModule::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (const std::string why = ask("assay_vendor_no_graphs"); !why.empty()) GTEST_SKIP() << why;
    if (!dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) && !dlopen(kDriverStub, RTLD_NOW | RTLD_GLOBAL))
      GTEST_SKIP() << "cuDNN wants a driver, and there is neither one nor the toolkit's stub";
  }
};

// Either a library computes an op, or its contract says why none does.
TEST_F(VendorModule, EveryOpHasALibrarysVariantOrAReason) {
  std::map<std::string, std::set<std::string>> libraries;
  for (const Variant* variant : variants())
    if (variant->device == "gpu" && !variant->vendor.empty()) libraries[variant->op].insert(variant->name);
  for (const Contract& op : all_ops()) {
    if (op.name.find("probe") != std::string::npos) continue;  // of this test program
    EXPECT_NE(libraries.contains(op.name), !op.no_library.empty())
        << op.name << (op.no_library.empty() ? " has neither" : " has both: no_library is out of date");
  }
}

TEST_F(VendorModule, ReportsTheVersionsOfItsLibraries) {
  const auto found = vendor_libraries();
  EXPECT_EQ(found.count("CUB"), 1u) << "it is compiled in";
  for (const auto& [name, version] : found) EXPECT_THAT(version, testing::ContainsRegex("^[0-9]+\\.[0-9]+\\.[0-9]+$"));
}

TEST_F(VendorModule, RegistersTheRoofsOfMatrixProducts) {
  std::vector<std::string> names;
  for (const GemmRoof& roof : gemm_roofs()) {
    names.push_back(roof.name.substr(0, roof.name.find(' ')));
    EXPECT_EQ(roof.flops, 2.0 * 8192 * 8192 * 8192) << roof.name;
  }
  EXPECT_THAT(names, testing::ElementsAre("bf16", "f16", "f32", "fp8", "int8", "tf32"));
}

TEST_F(VendorModule, SaysWhichLibraryIsMissingAndWhereItLooked) {
  setenv("ASSAY_CUDA_LIBRARIES", "/first/folder:/second", 1);
  const std::string why = ask("assay_vendor_missing", "Absent", "libassay_absent.so.1");
  unsetenv("ASSAY_CUDA_LIBRARIES");
  EXPECT_THAT(why,
              HasSubstr("Absent (libassay_absent.so.1) was not found by the loader, nor in /first/folder, /second, "));
  EXPECT_THAT(why, HasSubstr("or name its folder in ASSAY_CUDA_LIBRARIES"));
}

// A library under a name that the loader does not know by itself.
TEST_F(VendorModule, FindsALibraryInANamedFolder) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "assay_vendor_libraries";
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder / "libassay_elsewhere.so");
  std::filesystem::create_symlink(kModule, folder / "libassay_elsewhere.so");
  EXPECT_THAT(ask("assay_vendor_missing", "Elsewhere", "libassay_elsewhere.so"), HasSubstr("was not found"));
  setenv("ASSAY_CUDA_LIBRARIES", folder.c_str(), 1);
  EXPECT_EQ(ask("assay_vendor_missing", "Elsewhere", "libassay_elsewhere.so"), "");
  unsetenv("ASSAY_CUDA_LIBRARIES");
  std::filesystem::remove_all(folder);
}

// Runs a case on the host's memory, which works where every call into a library fails; what was remembered of that.
std::string failure_of(const Variant& variant, const Case& c) {
  Tensors tensors = make_tensors(*find_op(c.op), c);
  std::vector<Call::Buffer> buffers;
  for (Tensor& tensor : tensors)
    buffers.push_back({tensor.name(), tensor.data(), static_cast<int64_t>(tensor.bytes())});
  Call call(c, buffers, nullptr);
  variant.run(call);
  const auto refused = take_refusal();
  return refused ? refused->why : "";
}

// Without a driver every call into a library fails. Each variant reports that, instead of silently leaving its
// outputs as they were; only cases in which there is nothing to do are silent.
TEST_F(VendorModule, RemembersCallsThatFail) {
  if (dlopen("libcuda.so.1", RTLD_NOW)) GTEST_SKIP() << "there is a driver, and calls may succeed";
  constexpr int64_t kCases = 20;
  int variants_asked = 0;
  for (const Variant* variant : variants()) {
    if (variant->device != "gpu" || !variant->steps.empty()) continue;
    int64_t asked = 0, remembered = 0;
    for (int64_t i = 0; i < kCases; ++i) {
      const Case c = generate_case(*find_op(variant->op), *variant, variant->dtypes[0], 1, i, GenerateLimits{});
      if (variant->unsupported && variant->unsupported(c)) continue;  // a NaN, or its library is missing
      ++asked;
      remembered += !failure_of(*variant, c).empty();
    }
    if (asked == 0) continue;
    ++variants_asked;
    EXPECT_GE(remembered, asked / 2) << variant->op << "/" << variant->name << ", of " << asked;
  }
  EXPECT_GE(variants_asked, 3) << "CUB's variants need no library";
}

// Cases that `unsupported` lets through have an engine, among random ones of every variant that plans graphs; a push
// asks for one variant in four.
TEST_F(VendorPlans, HasAnEngineForWhatVariantsSupport) {
  constexpr int64_t kCases = 25;
  const GenerateLimits limits{.elements_max = 200'000, .flops_max = 1'000'000'000};
  int variants_that_plan = 0;
  for (const Variant* variant : variants()) {
    const std::string id = variant->op + "/" + variant->name;
    if (variant->device != "gpu" || ask("assay_vendor_plans", id.c_str()) == "no") continue;
    ++variants_that_plan;
    if (selftest::left_to_the_night(id)) continue;
    for (const DType dtype : variant->dtypes) {
      int64_t supported = 0;
      for (int64_t i = 0; i < kCases; ++i) {
        const Case c = generate_case(*find_op(variant->op), *variant, dtype, 1, i, limits);
        if (variant->unsupported(c)) continue;
        ++supported;
        for (const std::string& gpu : {kH200, kH100}) EXPECT_EQ(refusal(print(c), gpu), "") << print(c);
      }
      EXPECT_GT(supported, kCases / 2) << id << ": too few random cases are supported to say anything";
    }
  }
  EXPECT_EQ(variants_that_plan, 23) << "eight of attention, and others of graphs";
}

// The variant's answer for the case: "a plan", or why not.
std::string answer_for(const Variant& variant, const Case& line,
                       const std::function<std::string(const Case&)>& refusal) {
  Case c = line;
  c.variant = variant.name;
  if (std::find(variant.dtypes.begin(), variant.dtypes.end(), c.dtype) == variant.dtypes.end())
    return fmt::format("no {}", name(c.dtype));
  if (const auto why = variant.unsupported(c)) return *why;
  const std::string refused = refusal(c);
  return refused.empty() ? "a plan" : refused;
}

// A question for a bench line: about a variant, with its case.
struct Asked {
  std::string name;
  const Variant* variant;
  Case c;
};

// The GPU's variants of the line's op; of a composite, those of each step.
std::vector<Asked> asked_for(const Case& line) {
  std::vector<Asked> all;
  for (const Variant* variant : variants()) {
    if (variant->device != "gpu" || variant->op != line.op) continue;
    if (variant->steps.empty()) all.push_back({variant->name, variant, line});
    for (const Step* step : steps_of(find_op(line.op)->steps, line))
      if (const Variant* const part = variant_of_step(*variant, *step, line))
        all.push_back(
            {fmt::format("{}, step {}, {}", variant->name, step->name, part->name), part, case_of_step(*step, line)});
  }
  return all;
}

// The lines of cases/bench.toml that a library could be asked for, and what it says: a mark that would be missing on
// the first GPU is seen here.
TEST_F(VendorPlans, TheTableOfBenchLinesIsTrue) {
  const auto suite = read_suite(ASSAY_SOURCE_DIR "/cases/bench.toml");
  ASSERT_TRUE(suite) << suite.error().line();
  std::string table = fmt::format(
      "What cuDNN {} has for the lines of cases/bench.toml on an H200 and on an H100, by its own check, which "
      "needs no GPU.\n",
      vendor_libraries().at("cuDNN"));
  int planned = 0;
  for (const BenchLine& line : suite->bench) {
    std::string answers;
    for (const auto& [name, variant, c] : asked_for(line.c)) {
      const std::string id = variant->op + "/" + variant->name;
      if (ask("assay_vendor_plans", id.c_str()) == "no") continue;
      const std::string answer = answer_for(*variant, c, [&](const Case& own) { return refusal(print(own)); });
      EXPECT_EQ(answer_for(*variant, c, [&](const Case& own) { return refusal(print(own), kH100); }), answer)
          << "an H100 has another answer for " << print(c);
      planned += answer == "a plan" ? 1 : 0;
      answers += fmt::format("  {}: {}\n", name, answer);
    }
    if (!answers.empty()) table += "\n" + print(line.c) + "\n" + answers;
  }
  EXPECT_GT(planned, 20);
  const std::string path = ASSAY_SOURCE_DIR "/reference/vendor/bench_support.txt";
  if (const char* update = std::getenv("ASSAY_UPDATE_GOLDEN"); update && std::string(update) == "1")
    std::ofstream(path) << table;
  std::stringstream known;
  known << std::ifstream(path).rdbuf();
  const auto version = [](const std::string& text) { return text.substr(0, text.find(" has ")); };
  if (version(known.str()) != version(table))
    GTEST_SKIP() << "the table is of another cuDNN: " << version(known.str()) << ", here " << version(table);
  EXPECT_EQ(known.str(), table) << "ASSAY_UPDATE_GOLDEN=1 writes it anew";
}

// Cases that a variant says it does not support, though they are of the op: cuDNN refuses them too.
TEST_F(VendorPlans, RefusesWhatVariantsDoNotSupport) {
  const std::string forward = "attention_forward/cudnn_sdpa bf16 B=2 Sq=65 Sk=65 H=4 HK=2 D=64 causal=0 scale=auto ";
  const std::string backward = "attention_backward/cudnn_sdpa bf16 B=2 Sq=65 Sk=65 H=4 HK=2 D=64 causal=0 scale=auto ";
  const std::string common = "layout=token_major";
  const auto changed = [](std::string line, const std::string& from, const std::string& to) {
    line.replace(line.find(from), from.size(), to);
    return line;
  };
  const std::string saved = common + " saved=lse_o grads=same";
  ASSERT_EQ(refusal(forward + common), "");
  ASSERT_EQ(refusal(backward + saved), "");
  // A single query is asked for as not causal, which takes no notice of how many keys there are.
  EXPECT_EQ(refusal(changed(changed(forward, "Sq=65", "Sq=1"), "causal=0", "causal=1") + common), "");
  for (const std::string& line : {
           changed(forward, "D=64", "D=65") + common,                                     // no multiple of 8
           changed(changed(forward, "Sq=65", "Sq=66"), "causal=0", "causal=1") + common,  // queries without keys
           changed(backward, "D=64", "D=264") + saved,
           changed(changed(backward, "Sq=65", "Sq=1"), "Sk=65", "Sk=1") + saved,
       }) {
    const Result<Case> c = read_case(line);
    ASSERT_TRUE(c) << c.error().line();
    EXPECT_TRUE(find_variant(c->op, c->variant, "gpu")->unsupported(*c)) << line;
    EXPECT_THAT(refusal(line), HasSubstr("cuDNN has no plan")) << line;
  }
  EXPECT_THAT(refusal(changed(backward, "bf16", "f32") + saved), HasSubstr("cuDNN has no plan"))
      << "the backward in f32, which its variant leaves out";
}

}  // namespace
}  // namespace assay
