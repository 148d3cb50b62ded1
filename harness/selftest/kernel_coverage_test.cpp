// Tests that the default suite executes each kernel: every line and every branch of kernels/<op>/<variant>.cu, and of
// the files of kernels/device that it includes, except those that kernels/uncovered.txt names with a reason.
//
// `assay check --coverage` compiles the variant again with g++'s counters and runs the suite. That takes a few seconds
// of processor for each: every run of the tests holds a sample of them, and scripts/coverage all:
//   ASSAY_COVERAGE='softmax_*/*' build/tests/selftest --gtest_filter='*KernelCoverage*'
#include <fnmatch.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/adapter/build/coverage/coverage.h"
#include "harness/op/registry.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using nlohmann::json;
using selftest::Ran;
using selftest::run_command;
using selftest::Scratch;

const std::string kRoot = ASSAY_SOURCE_DIR;
constexpr size_t kVariantsPerSample = 30;  // one variant in so many is held by every run of the tests

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// `pattern`: of a function's name without its class and arguments.
bool is_in(const UncoveredLine& line, const std::string& pattern) {
  static const std::regex kCalled(R"(([A-Za-z0-9_]+)[(<\[])");
  const std::string& function = line.function;
  for (std::sregex_iterator it(function.begin(), function.end(), kCalled), end; it != end; ++it)
    if (matches(pattern, (*it)[1])) return true;
  return false;
}

// A line of kernels/uncovered.txt: variants | file | part of the line, or "in" and a function | reason.
struct Reason {
  std::string variants, file, part;
  bool used = false;

  bool explains(const std::string& id, const UncoveredLine& line) const {
    const bool is_there =
        part.starts_with("in ") ? is_in(line, part.substr(3)) : line.text.find(part) != std::string::npos;
    return is_there && matches(variants, id) && matches(file, line.file.substr(kRoot.size() + 1));
  }
};

std::vector<Reason> reasons() {
  std::vector<Reason> all;
  std::ifstream file(kRoot + "/kernels/uncovered.txt");
  static const std::regex kForm(R"re(([^|]+) \| ([^|]+) \| (.+) \| ([^|]+))re");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::smatch parts;
    EXPECT_TRUE(std::regex_match(line, parts, kForm)) << "kernels/uncovered.txt: " << line;
    all.push_back({parts[1], parts[2], parts[3]});
  }
  return all;
}

// The variants of the executor that have kernels; those that are composed have the kernels of their steps.
std::vector<const Variant*> with_kernels() {
  std::vector<const Variant*> all;
  for (const Variant* variant : variants())
    if (variant->device == "cpu" && variant->steps.empty()) all.push_back(variant);
  return all;
}

class KernelCoverage : public testing::TestWithParam<std::string> {};

TEST_P(KernelCoverage, ByTheDefaultSuiteIsWholeOrHasAReason) {
  const std::string& id = GetParam();
  const Scratch scratch;
  // The whole suite, also where the tests are shared out: assay heeds the same variable.
  const Ran ran = run_command(
      fmt::format("unset GTEST_TOTAL_SHARDS; cd {} && {}/assay check kernels/{}.cu --coverage --suite ci --seed 1 "
                  "--no-save --shrink 0 --case-limit 60s --out {}",
                  kRoot, ASSAY_BUILD_DIR, id, scratch.path));
  if (ran.err.find("by clang") != std::string::npos) GTEST_SKIP() << ran.err;
  ASSERT_LE(ran.exit_code, 1) << ran.out << ran.err;  // what is wrong with the variant is asked elsewhere
  const json info = json::parse(selftest::read_text(scratch.path + "/run.json"));
  ASSERT_TRUE(info.contains("coverage")) << ran.err;
  const auto coverage = info.at("coverage").get<Coverage>();
  ASSERT_GT(coverage.lines, 0);
  std::vector<Reason> known = reasons();
  std::vector<UncoveredLine> unexplained;
  for (const UncoveredLine& place : coverage.uncovered) {
    const auto reason = std::ranges::find_if(known, [&](const Reason& each) { return each.explains(id, place); });
    if (reason == known.end())
      unexplained.push_back(place);
    else
      reason->used = true;
  }
  fmt::print("{}: {} lines, {} of them not wholly covered, {} of these without a reason; {} of {} ways of branches\n",
             id, coverage.lines, coverage.uncovered.size(), unexplained.size(), coverage.ways_taken, coverage.ways);
  for (const Reason& reason : known)
    if (reason.used) fmt::print("uses: {} | {} | {}\n", reason.variants, reason.file, reason.part);
  for (const UncoveredLine& place : unexplained)
    ADD_FAILURE() << "the default suite does not take every way through this line: pin a case that does, or give the "
                     "reason in kernels/uncovered.txt:\n"
                  << id << " | " << place.file.substr(kRoot.size() + 1) << " | " << place.text << " | …";
  for (const Reason& reason : known)
    EXPECT_TRUE(reason.used || reason.variants != id)
        << "covered now, strike it from kernels/uncovered.txt: " << reason.file << " | " << reason.part;
}

// Those that ASSAY_COVERAGE asks for, or else a sample.
std::vector<std::string> held_variants() {
  const char* pattern = std::getenv("ASSAY_COVERAGE");
  std::vector<std::string> ids;
  for (size_t i = 0; const Variant* variant : with_kernels()) {
    const std::string id = variant->op + "/" + variant->name;
    if (pattern ? matches(pattern, id) : i++ % kVariantsPerSample == 0) ids.push_back(id);
  }
  return ids;
}

std::string name_of_variant(const testing::TestParamInfo<std::string>& info) {
  return std::regex_replace(info.param, std::regex("[^A-Za-z0-9]"), "_");
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KernelCoverage);
INSTANTIATE_TEST_SUITE_P(Kernels, KernelCoverage, testing::ValuesIn(held_variants()), name_of_variant);

TEST(KernelCoverageReasons, AreReadable) { EXPECT_FALSE(reasons().empty()); }

// No variant is left out for being called something else than its file. Prints which are held by whom.
TEST(KernelCoverageOfAll, KnowsTheFileOfEveryVariant) {
  const std::vector<std::string> here = held_variants();
  std::map<std::string, std::string> by;
  for (const Variant* variant : variants())
    if (variant->device == "cpu" && !variant->steps.empty())
      by[variant->op + "/" + variant->name] = "has the kernels of its steps";
  for (const Variant* variant : with_kernels()) {
    const std::string id = variant->op + "/" + variant->name;
    EXPECT_TRUE(std::filesystem::exists(kRoot + "/kernels/" + id + ".cu")) << id << ": there is no such file";
    by[id] = std::ranges::count(here, id) > 0 ? "is held by this run" : "is held by scripts/coverage";
  }
  for (const auto& [id, whom] : by) fmt::print("{} {}\n", id, whom);
}

}  // namespace
}  // namespace assay
