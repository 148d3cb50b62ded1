// Tests that the default suite executes each kernel: every line and every branch of kernels/<op>/<variant>.cu, and of
// the files of kernels/device that it includes, except those that kernels/uncovered.txt names with a reason.
//
// The variant is compiled again with g++'s counters and takes the place of the one that is built in; then the suite
// runs as `assay check` runs it. That takes a few seconds of processor for each: every run of the tests holds a sample
// of them, and scripts/coverage all:
//   ASSAY_COVERAGE='softmax_*/*' build/tests/selftest --gtest_filter='*KernelCoverage*'
#include <fnmatch.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/op/registry.h"
#include "harness/selftest/gcov_places.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using nlohmann::json;
using selftest::Coverage;
using selftest::Place;
using selftest::Ran;
using selftest::run_command;
using selftest::Scratch;
using selftest::trimmed;

const std::string kRoot = ASSAY_SOURCE_DIR;
constexpr size_t kVariantsPerSample = 30;  // one variant in so many is held by every run of the tests

// Counters are written after each run: processes of cases end without the functions that exit() would call. Counts of
// the program's own calls of the variant, such as to move a case, are written at its end.
constexpr const char* kWrapper = R"(#include "harness/op/variant.h"
extern "C" void __gcov_dump();
extern "C" void __gcov_reset();
namespace assay {{
const Variant* find_variant(std::string_view op, std::string_view name, std::string_view device);
struct RegisterCovered {{
  explicit RegisterCovered(Variant variant) {{
    variant.device = "cpu";
    variant.run = [run = variant.run](Call& call) {{
      run(call);
      __gcov_dump();
      __gcov_reset();
    }};
    auto* built_in = const_cast<Variant*>(find_variant(variant.op, variant.name, variant.device));
    if (!built_in) __builtin_trap();
    *built_in = std::move(variant);
  }}
}};
}}
#define RegisterVariant RegisterCovered
#include "kernels/{}.cu"
)";

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

json tools() { return json::parse(selftest::read_text(ASSAY_BUILD_DIR "/kernel_build.json")); }

// Builds the variant as the build makes modules of kernels (kernel_module.cmake), except that functions and branches
// keep counters of their own: code that is inlined, threaded or merged early has none. -O1 is a third quicker to
// compile. Stacks are not proven: counting needs some, too. The module of the built-in kernels is linked, so that it is
// loaded before.
std::string built(const std::string& id, const Scratch& scratch) {
  std::ofstream(scratch.path + "/kernel.cu") << fmt::format(kWrapper, id);
  const json by = tools();
  const std::string compiler = by.at("compiler"), headers = by.at("fast_headers");
  const Ran ran = run_command(fmt::format(
      "cd {} && {} -c -w{}{}{} -O1 --coverage -fprofile-abs-path -fno-early-inlining "
      "-fno-thread-jumps -fno-ssa-phiopt -fno-tree-fre -include {} -I "
      "{}/harness/simt/include -I {} -o compiled.s kernel.cu && {} compiled.s finished.s && "
      "{} -c -x assembler finished.s -o kernel.o && {} -shared -o kernel.so kernel.o -Wl,--no-as-needed {} {} -lfmt "
      "-lgcov",
      scratch.path, compiler, selftest::quoted_words(by.at("flags")), selftest::quoted_words(by.at("fast_flags")),
      selftest::quoted_words(by.at("switch_flags")), headers, kRoot, kRoot, by.at("finish").get<std::string>(),
      compiler, compiler, by.at("core").get<std::string>(), ASSAY_BUILD_DIR "/modules/libkernels_fast.so"));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  return scratch.path + "/kernel.so";
}

// A line of kernels/uncovered.txt: variants | file | part of the line, or "in" and a function | reason.
struct Reason {
  std::string variants, file, part;
  bool used = false;

  bool explains(const std::string& id, const Place& place) const {
    const bool is_there =
        part.starts_with("in ") ? place.is_in(part.substr(3)) : place.text.find(part) != std::string::npos;
    return is_there && matches(variants, id) && matches(file, place.file);
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
    all.push_back({trimmed(parts[1]), trimmed(parts[2]), trimmed(parts[3])});
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

TEST(GcovPlaces, AreLinesThatNeverRanOrTookOneWayOnly) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path + "/kernels/op");
  std::ofstream(scratch.path + "/kernels/op/name.cu") << "f() {\n  if (a) b();\n  if (c) d();\n  e();\n}\ng() {}\n";
  const auto function = [](std::string name, int first, int last, int count) {
    return json{{"name", name},
                {"demangled_name", "(anonymous namespace)::" + name + "<int>(int)"},
                {"start_line", first},
                {"end_line", last},
                {"execution_count", count}};
  };
  const auto line = [](int number, int count, std::vector<int> branches, std::string of = "f") {
    json at = {{"line_number", number}, {"count", count}, {"function_name", of}, {"branches", json::array()}};
    for (const int taken : branches) at["branches"].push_back({{"count", taken}, {"throw", false}});
    return at;
  };
  const json all = {{"files",
                     {{{"file", scratch.path + "/kernels/op/name.cu"},
                       {"functions", {function("f", 1, 5, 9), function("f", 1, 5, 1), function("g", 6, 6, 0)}},
                       {"lines",
                        {line(1, 9, {}), line(2, 9, {9, 0}), line(2, 1, {0, 1}), line(3, 10, {0, 10}), line(4, 0, {}),
                         line(6, 0, {}, "g")}}},
                      {{"file", "/usr/include/math.h"}, {"functions", json::array()}, {"lines", json::array()}}}}};
  const Coverage coverage = selftest::coverage_in(all, scratch.path);
  std::vector<std::string> missing;
  for (const Place& place : coverage.missing) missing.push_back(place.text);
  EXPECT_THAT(missing, testing::ElementsAre("e();", "g() {}", "if (c) d();")) << "two instantiations share line 2";
  EXPECT_EQ(coverage.lines, 4) << "those of f";
  EXPECT_TRUE(coverage.missing.begin()->is_in("f"));
  EXPECT_FALSE(coverage.missing.begin()->is_in("g"));
}

class KernelCoverage : public testing::TestWithParam<std::string> {};

TEST_P(KernelCoverage, ByTheDefaultSuiteIsWholeOrHasAReason) {
  const std::string& id = GetParam();
  const Scratch scratch;
  if (run_command(tools().at("compiler").get<std::string>() + " --version | grep -q clang").exit_code == 0)
    GTEST_SKIP() << "the counters are read by gcov, which is g++'s";
  const std::string module = built(id, scratch);
  // The whole suite, also where the tests are shared out: assay heeds the same variable.
  const Ran ran = run_command(fmt::format(
      "unset GTEST_TOTAL_SHARDS; LD_PRELOAD={} {}/assay check '{}' --device cpu --seed 1 --no-save --shrink 0 "
      "--case-limit 60s --out {}/out",
      module, ASSAY_BUILD_DIR, id, scratch.path));
  ASSERT_LE(ran.exit_code, 1) << ran.out << ran.err;  // what is wrong with the variant is asked elsewhere
  const Ran gcov = run_command("cd " + scratch.path + " && gcov -j -t -b *.gcno");
  ASSERT_EQ(gcov.exit_code, 0) << gcov.err;
  const Coverage coverage = selftest::coverage_in(json::parse(gcov.out), kRoot);
  ASSERT_GT(coverage.lines, 0);
  std::vector<Reason> known = reasons();
  std::set<Place> unexplained;
  for (const Place& place : coverage.missing) {
    const auto reason = std::ranges::find_if(known, [&](const Reason& each) { return each.explains(id, place); });
    if (reason == known.end())
      unexplained.insert(place);
    else
      reason->used = true;
  }
  fmt::print("{}: {} lines, {} of them not wholly covered, {} of these without a reason\n", id, coverage.lines,
             coverage.missing.size(), unexplained.size());
  for (const Reason& reason : known)
    if (reason.used) fmt::print("uses: {} | {} | {}\n", reason.variants, reason.file, reason.part);
  for (const Place& place : unexplained)
    ADD_FAILURE() << "the default suite does not take every way through this line: pin a case that does, or give the "
                     "reason in kernels/uncovered.txt:\n"
                  << id << " | " << place.file << " | " << place.text << " | …";
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
