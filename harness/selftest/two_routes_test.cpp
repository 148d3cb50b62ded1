// Two compilers, one kernel: variants of this project by nvcc's PTX have the verdicts that they have from source. A
// case that passes by both front ends has outputs within twice the budget of each other, since each is within one of
// the reference.
//
// It takes nvcc. It runs two small files by default, and all variants on request: ASSAY_TWO_ROUTES=1
// build/tests/selftest --gtest_filter='*TwoRoutes*'.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/by_ptx_route.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Ran;
using selftest::Rows;
using selftest::Scratch;

struct Kernel {
  std::string file, id;  // id: op/variant
};

std::vector<Kernel> kernels_by_both() {
  static const std::regex kOp(R"re(\.op = "([^"]+)")re"), kName(R"re(\.name = "([^"]+)")re");
  std::vector<Kernel> all;
  for (const auto& folder : fs::directory_iterator(ASSAY_SOURCE_DIR "/kernels")) {
    if (!folder.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string text = entry.path().extension() == ".cu" ? selftest::read_text(entry.path()) : "";
      std::smatch op, name;
      const bool has_kernels = text.find(".steps = {") == std::string::npos;  // a composite's are those of other files
      if (has_kernels && std::regex_search(text, op, kOp) && std::regex_search(text, name, kName))
        all.push_back({entry.path(), op[1].str() + "/" + name[1].str()});
    }
  }
  std::sort(all.begin(), all.end(), [](const Kernel& a, const Kernel& b) { return a.id < b.id; });
  return all;
}

void expect_the_same_by_both_routes(const Kernel& kernel) {
  SCOPED_TRACE(kernel.file);
  unsetenv("GTEST_TOTAL_SHARDS");  // shares out tests; assay would heed it too, and run a part of the cases
  const Scratch scratch;
  const Ran source = selftest::run(
      "assay", "check " + kernel.id + " --cases 3 --seed 1 --no-save --shrink 0 --out " + scratch.path + "/source");
  ASSERT_NE(source.exit_code, 2) << source.out << source.err;
  const Rows by_source = selftest::rows_by_case(scratch.path + "/source");
  ASSERT_FALSE(by_source.empty());
  const Rows by_ptx = selftest::by_ptx_route("assay", kernel.file, kernel.id, by_source, "", scratch);
  for (const auto& [key, row] : by_source) {
    ASSERT_TRUE(by_ptx.contains(key)) << key << " was not run";
    EXPECT_EQ(name(by_ptx.at(key).verdict), name(row.verdict)) << key << ": " << by_ptx.at(key).detail;
  }
}

// A kernel that is wrong only as nvcc sees it.
class TwoRoutes : public selftest::OneInFour<> {};

TEST_F(TwoRoutes, WhatNvccMakesIsWhatRuns) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const Scratch scratch;
  std::string text = selftest::read_text(ASSAY_SOURCE_DIR "/kernels/softmax_forward/block_per_row.cu");
  const std::string right = "maximum) / total :", name = "\"block_per_row\"";
  ASSERT_NE(text.find(right), std::string::npos);
  text.replace(text.find(right), right.size(), "maximum) / total + kWrong :");
  text.replace(text.find(name), name.size(), "\"wrong_by_nvcc\"");
  text.insert(text.find("namespace {"),
              "#if defined(__CUDACC__)\nconstexpr float kWrong = 1;\n#else\nconstexpr float kWrong = 0;\n#endif\n");
  const std::string file = scratch.path + "/wrong.cu";
  std::ofstream(file) << text;
  const auto check = [&](const std::string& via) {
    return selftest::run("assay", "check " + file + " --via " + via +
                                      " --device cpu --cases 2 --no-save --shrink 0 -I " ASSAY_SOURCE_DIR " --out " +
                                      scratch.path + "/out");
  };
  const Ran source = check("source"), ptx = check("ptx");
  EXPECT_EQ(source.exit_code, 0) << source.out << source.err;
  EXPECT_EQ(ptx.exit_code, 1) << ptx.out << ptx.err;
  EXPECT_THAT(ptx.out, testing::HasSubstr("MISMATCH"));
}

TEST_F(TwoRoutes, GiveTheSameVerdicts) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const bool all = std::getenv("ASSAY_TWO_ROUTES") != nullptr;
  const std::set<std::string> sample = {"softmax_forward/block_per_row", "swiglu_forward/elementwise"};
  size_t seen = 0;
  for (const Kernel& kernel : kernels_by_both()) {
    if (!all && !sample.contains(kernel.id)) continue;
    expect_the_same_by_both_routes(kernel);
    ++seen;
  }
  EXPECT_GE(seen, all ? 60u : sample.size());
}

}  // namespace
}  // namespace assay
