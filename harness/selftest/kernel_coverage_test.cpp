// What of each kernel the default suite executes: every line and every branch of kernels/<op>/<variant>.cu, and of the
// files of kernels/device that it includes, but for those that kernels/uncovered.txt names with a reason.
//
// It takes half a minute for each variant and is run where it is asked for, by a pattern of variants:
//   ASSAY_COVERAGE='softmax_*/*' build/tests/selftest --gtest_filter='*Coverage*'
// A variant is compiled again with g++'s counters, under another name, and runs the suite's cases, line by line. Counts
// of a template's instantiations are added up, so a branch that bf16 alone takes is taken.
#include <fnmatch.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "harness/result/row_json.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using selftest::Ran;
using selftest::run_command;
using selftest::Scratch;

const std::string kRoot = ASSAY_SOURCE_DIR;
constexpr const char* kPrefix = "coverage_of_";  // a variant's own name is taken by the one that is built in

// The counters are written after each run: processes of cases end without the functions that exit() would call.
constexpr const char* kWrapper = R"(#include "harness/op/variant.h"
extern "C" void __gcov_dump();
extern "C" void __gcov_reset();
namespace assay {{
struct RegisterCovered {{
  explicit RegisterCovered(Variant variant) {{
    variant.name = "{}" + variant.name;
    variant.run = [run = variant.run](Call& call) {{
      run(call);
      __gcov_dump();
      __gcov_reset();
    }};
    RegisterVariant registered(std::move(variant));
  }}
}};
}}
#define RegisterVariant RegisterCovered
#include "kernels/{}.cu"
)";

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

std::string quoted(const json& words) {
  std::string text;
  for (const json& word : words) text += " '" + word.get<std::string>() + "'";
  return text;
}

// As the build makes modules of kernels (kernel_module.cmake), but that functions keep their own counters: those that
// are inlined early have none. Stacks are not proven: counting needs some, too.
std::string built(const std::string& id, const Scratch& scratch) {
  std::ofstream(scratch.path + "/kernel.cu") << fmt::format(kWrapper, kPrefix, id);
  const json tools = json::parse(selftest::read_text(ASSAY_BUILD_DIR "/kernel_build.json"));
  const std::string compiler = tools.at("compiler"), headers = tools.at("fast_headers");
  const Ran ran = run_command(fmt::format(
      "cd {} && {} -c -w{}{}{} --coverage -fprofile-abs-path -fno-early-inlining -include {} -I "
      "{}/harness/simt/include "
      "-I {} -o compiled.s kernel.cu && {} compiled.s finished.s && {} -c -x assembler finished.s -o kernel.o && "
      "{} -shared -o kernel.so kernel.o {} -lfmt -lgcov",
      scratch.path, compiler, quoted(tools.at("flags")), quoted(tools.at("fast_flags")),
      quoted(tools.at("switch_flags")), headers, kRoot, kRoot, tools.at("finish").get<std::string>(), compiler,
      compiler, tools.at("core").get<std::string>()));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  return scratch.path + "/kernel.so";
}

// The suite's cases of a variant, under the name that it has here.
std::string suite_of_its_cases(const std::string& id, const Scratch& scratch) {
  const Ran ran = selftest::run(
      "assay", "check '" + id + "' --device cpu --seed 1 --no-save --shrink 0 --out " + scratch.path + "/suite");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const std::string path = scratch.path + "/lines.toml";
  std::ofstream toml(path);
  toml << "about = \"the default suite's\"\ncases = 0\npinned = [\n";
  std::ifstream results(scratch.path + "/suite/results.jsonl");
  const size_t name = id.find('/') + 1;
  for (std::string text; std::getline(results, text);)
    if (auto row = row_from_line(text)) toml << fmt::format("\"{}\",\n", row->line().insert(name, kPrefix));
  toml << "]\n";
  return path;
}

// A line of a kernel; of a function that never runs, its first.
struct Place {
  std::string file, text;  // from the root of the project; without the blanks around it
  auto operator<=>(const Place&) const = default;
};

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

// The compiler has branches of its own, of temporaries and of what may throw; those of the text are asked about.
bool decides(const std::string& text) {
  static const std::regex kDecision(R"re(\b(if|for|while|switch|case)\b|\?|&&|\|\|)re");
  return std::regex_search(text, kDecision);
}

// What gcov tells of one line: of each list of branches that an instantiation has there, the sums. Those that never run
// are left out: the line that chooses between instantiations is asked about.
struct Line {
  int64_t count = 0;
  std::map<size_t, std::vector<int64_t>> branches = {};

  // `instances`: so many have their branches in one list, one after the other.
  void add(const json& at, size_t instances) {
    count += at.at("count").get<int64_t>();
    std::vector<int64_t> taken;
    for (const json& branch : at.at("branches"))
      if (!branch.at("throw").get<bool>()) taken.push_back(branch.at("count"));
    const size_t size = taken.size() / (taken.size() % instances == 0 ? instances : 1);
    std::vector<int64_t>& sums = branches[size];
    sums.resize(size);
    for (size_t i = 0; i < taken.size(); ++i) sums[i % size] += taken[i];
  }
  bool is_whole(const std::string& text) const {
    if (count == 0) return false;
    return !decides(text) ||
           std::ranges::all_of(branches, [](const auto& list) { return std::ranges::count(list.second, 0) == 0; });
  }
};

struct Coverage {
  std::set<Place> missing;
  int64_t lines = 0;
};

// How many instantiations there are of the innermost function around a line.
size_t instances_around(const json& file, size_t line) {
  size_t first = 0, instances = 1;
  for (const json& function : file.at("functions")) {
    const size_t start = function.at("start_line"), end = function.at("end_line");
    if (start < first || start > line || end < line) continue;
    instances = start == first ? instances + 1 : 1;
    first = start;
  }
  return instances;
}

Coverage coverage_in(const json& all) {
  Coverage coverage;
  for (const json& file : all.at("files")) {
    const std::string path = fs::path(file.at("file").get<std::string>()).lexically_normal();
    if (!path.starts_with(kRoot + "/kernels/")) continue;
    const std::string name = path.substr(kRoot.size() + 1);
    std::set<std::string> running;
    std::map<size_t, Line> lines;
    std::map<size_t, int64_t> calls;  // of a function and all instantiations of a template, by its first line
    for (const json& function : file.at("functions")) {
      const int64_t count = function.at("execution_count");
      calls[function.at("start_line")] += count;
      if (count > 0) running.insert(function.at("name"));
    }
    for (const json& at : file.at("lines")) {
      const bool is_named = at.contains("function_name");  // else of all instantiations of a lambda
      if (!is_named || running.contains(at.at("function_name")))
        lines[at.at("line_number")].add(at, is_named ? 1 : instances_around(file, at.at("line_number")));
    }
    std::ifstream source(path);
    std::string text;
    for (size_t number = 1; std::getline(source, text); ++number) {
      const bool is_called = !calls.contains(number) || calls[number] > 0;
      const bool is_whole = !lines.contains(number) || lines[number].is_whole(text);
      if (!is_called || !is_whole) coverage.missing.insert({name, trimmed(text)});
    }
    coverage.lines += std::ssize(lines);
  }
  return coverage;
}

// A line of kernels/uncovered.txt: variants | file | part of the line | reason.
struct Reason {
  std::string variants, file, part;
  bool used = false;

  bool explains(const std::string& id, const Place& place) const {
    return matches(variants, id) && matches(file, place.file) && place.text.find(part) != std::string::npos;
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

class KernelCoverage : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KernelCoverage);

TEST_P(KernelCoverage, ByTheDefaultSuiteIsWholeOrHasAReason) {
  const std::string id = GetParam(), op = id.substr(0, id.find('/'));
  const Scratch scratch;
  const std::string module = built(id, scratch), suite = suite_of_its_cases(id, scratch);
  const Ran ran = run_command(fmt::format(
      "LD_PRELOAD={} {}/assay check '{}/{}*' --suite {} --device cpu --no-save --case-limit 60s --out {}/out", module,
      ASSAY_BUILD_DIR, op, kPrefix, suite, scratch.path));
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const Ran gcov = run_command("cd " + scratch.path + " && gcov -j -t -b *.gcno");
  ASSERT_EQ(gcov.exit_code, 0) << gcov.err;
  const Coverage coverage = coverage_in(json::parse(gcov.out));
  EXPECT_GT(coverage.lines, 0);
  std::vector<Reason> known = reasons();
  for (const Place& place : coverage.missing) {
    const auto reason = std::ranges::find_if(known, [&](const Reason& each) { return each.explains(id, place); });
    if (reason != known.end()) {
      reason->used = true;
      continue;
    }
    ADD_FAILURE() << "the default suite does not take every way through this line: pin a case that does, or give the "
                     "reason in kernels/uncovered.txt:\n"
                  << id << " | " << place.file << " | " << place.text << " | …";
  }
  for (const Reason& reason : known)
    EXPECT_TRUE(reason.used || reason.variants != id)
        << "covered now, strike it from kernels/uncovered.txt: " << reason.file << " | " << reason.part;
}

// Those that are asked for.
std::vector<std::string> asked_for() {
  const char* pattern = std::getenv("ASSAY_COVERAGE");
  std::vector<std::string> ids;
  if (!pattern) return ids;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot + "/kernels")) {
    const std::string id = entry.path().parent_path().filename().string() + "/" + entry.path().stem().string();
    if (entry.path().extension() == ".cu" && matches(pattern, id)) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  return std::regex_replace(info.param, std::regex("[^A-Za-z0-9]"), "_");
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelCoverage, testing::ValuesIn(asked_for()), test_name);

TEST(KernelCoverageReasons, AreReadable) { EXPECT_FALSE(reasons().empty()); }

}  // namespace
}  // namespace assay
