// Two compilers, one kernel: variants of this project by nvcc's PTX have the verdicts that they have from source. A
// case that passes by both doors has outputs within twice the budget of each other, since each is within one of the
// reference.
//
// It takes nvcc. Here two small files; all variants where that is asked for:
// ASSAY_TWO_DOORS=1 build/tests/selftest --gtest_filter='*TwoDoors*'.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>

#include "harness/adapter/door/nvcc.h"
#include "harness/result/row_json.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Ran;
using selftest::Scratch;

const std::string kRoot = ASSAY_SOURCE_DIR;

struct Kernel {
  std::string file, id;  // id: op/variant
};

std::vector<Kernel> kernels() {
  static const std::regex kOp(R"re(\.op = "([^"]+)")re"), kName(R"re(\.name = "([^"]+)")re");
  std::vector<Kernel> all;
  for (const auto& folder : fs::directory_iterator(kRoot + "/kernels")) {
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

std::map<std::string, Kind> verdicts_in(const std::string& folder) {
  std::map<std::string, Kind> verdicts;  // by device and case line
  std::ifstream file(folder + "/results.jsonl");
  for (std::string line; std::getline(file, line);) {
    const ResultRow row = row_from_line(line).value();
    verdicts[row.device + " " + row.line()] = row.verdict;
  }
  return verdicts;
}

// The cases that the source had on a device, which the other door is asked for: under the variant's other name.
std::string suite_of(const std::map<std::string, Kind>& cases, const std::string& device, const Kernel& kernel,
                     const Scratch& scratch) {
  const std::string path = scratch.path + "/" + device + ".toml";
  std::ofstream toml(path);
  toml << "about = \"the same cases\"\ncases = 0\npinned = [\n";
  for (const auto& [key, verdict] : cases) {
    const std::string line = key.substr(key.find(' ') + 1);
    if (key.starts_with(device + " "))
      toml << fmt::format("\"{}_by_ptx{}\",\n", kernel.id, line.substr(kernel.id.size()));
  }
  toml << "]\n";
  return path;
}

void expect_the_same_by_both_doors(const Kernel& kernel) {
  SCOPED_TRACE(kernel.file);
  const Scratch scratch;
  const std::string common = " --seed 1 --no-save --shrink 0 --out " + scratch.path;
  const Ran source = selftest::run("assay", "check " + kernel.id + " --cases 3" + common + "/source");
  ASSERT_NE(source.exit_code, 2) << source.out << source.err;
  const auto by_source = verdicts_in(scratch.path + "/source");
  ASSERT_FALSE(by_source.empty());
  size_t compared = 0;
  for (const std::string device : {"cpu", "cpu-checked"}) {
    const Ran ptx = selftest::run("assay", "check " + kernel.file + " --via ptx --device " + device + " --suite " +
                                               suite_of(by_source, device, kernel, scratch) + common + "/" + device);
    ASSERT_NE(ptx.exit_code, 2) << ptx.out << ptx.err;
    for (const auto& [key, verdict] : verdicts_in(scratch.path + "/" + device)) {
      std::string same = key;
      same.erase(same.find("_by_ptx"), 7);
      const auto found = by_source.find(same);
      if (found == by_source.end()) continue;
      EXPECT_EQ(name(verdict), name(found->second)) << same;
      ++compared;
    }
  }
  EXPECT_EQ(compared, by_source.size());
}

// A kernel that is wrong only as nvcc sees it.
TEST(TwoDoors, WhatNvccMakesIsWhatRuns) {
  if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc: put it on PATH, or run scripts/setup --cuda";
  const Scratch scratch;
  std::string text = selftest::read_text(kRoot + "/kernels/softmax_forward/block_per_row.cu");
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
                                      " --device cpu --cases 2 --no-save --shrink 0 -I " + kRoot + " --out " +
                                      scratch.path + "/out");
  };
  const Ran source = check("source"), ptx = check("ptx");
  EXPECT_EQ(source.exit_code, 0) << source.out << source.err;
  EXPECT_EQ(ptx.exit_code, 1) << ptx.out << ptx.err;
  EXPECT_THAT(ptx.out, testing::HasSubstr("MISMATCH"));
}

TEST(TwoDoors, GiveTheSameVerdicts) {
  if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc: put it on PATH, or run scripts/setup --cuda";
  const bool all = std::getenv("ASSAY_TWO_DOORS") != nullptr;
  const std::set<std::string> sample = {"softmax_forward/block_per_row", "swiglu_forward/elementwise"};
  size_t seen = 0;
  for (const Kernel& kernel : kernels()) {
    if (!all && !sample.contains(kernel.id)) continue;
    expect_the_same_by_both_doors(kernel);
    ++seen;
  }
  EXPECT_GE(seen, all ? 60u : sample.size());
}

}  // namespace
}  // namespace assay
