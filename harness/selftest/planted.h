// The planted bugs and their twins as their files state them: the first lines of those below planted/.
//   // EXPECT: MISMATCH           the bug's verdict; several may be given
//   // SMALLEST: rows=1 cols=33   parts of the case line that shrinking must arrive at
//   // SUITE: ci                 the suite whose cases are large enough for the bug; left out: a suite of small ones
//   // SANITIZER: racecheck LINE   a case line, and the tool of compute-sanitizer that finds the bug in it
//   // SANITIZER: silent LINE      the twin's case line, in which no tool finds anything
//   // BUGS: 2 because …        entries that a run on the executor reports, where they are not 1
//   // BY PTX: PASS because …     nvcc's optimiser has taken the bug away: nobody can see it in its PTX
//   // TWIN: …                    what the twin does instead
// A file is compiled twice, with ASSAY_PLANTED as 1 for the bug and as 0 for the twin.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/result/row_json.h"
#include "harness/selftest/run_program.h"

namespace assay::selftest {

enum class Side { bug, twin };

struct Planted {
  std::string file;
  std::string id;                                                            // op/variant
  std::vector<std::string> expect = {};                                      // nothing for a twin, which passes
  std::vector<std::string> smallest = {};                                    // likewise
  std::string sanitizer = {}, sanitizer_line = {}, suite = {}, by_ptx = {};  // empty in most files
  size_t bugs = 1;                                                           // entries of its report
};

inline void PrintTo(const Planted& bug, std::ostream* out) { *out << bug.id; }

// The name of a test of one.
inline std::string name_of_test(const testing::TestParamInfo<Planted>& info) {
  std::string name = info.param.id;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

inline std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The text behind the first `key`, up to `end` or the end of the line; empty where there is none.
inline std::string after(const std::string& text, const std::string& key, const std::string& end = "\n") {
  const size_t at = text.find(key);
  if (at == std::string::npos) return "";
  const size_t begin = at + key.size();
  return text.substr(begin, text.find_first_of(end + "\n", begin) - begin);
}

inline std::string suite_of(const Planted& kernel, const Scratch& scratch) {
  return kernel.suite.empty() ? small_suite(scratch) : " --suite " + kernel.suite + " ";
}

// The bugs, or their twins, by id.
inline std::vector<Planted> planted(Side side) {
  const bool bug = side == Side::bug;
  std::vector<Planted> all;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ASSAY_SOURCE_DIR "/harness/selftest/planted")) {
    if (entry.path().extension() != ".cu") continue;
    const std::string text = read_text(entry.path());
    // .name = ASSAY_PLANTED ? "the_bug" : "its_twin"
    const std::string name = after(text, ".name = ASSAY_PLANTED ? \"", "\"");
    const std::string twin = after(text, "\"" + name + "\" : \"", "\"");
    if (twin.empty()) {
      ADD_FAILURE() << entry.path() << " names no bug and twin: .name = ASSAY_PLANTED ? \"the_bug\" : \"its_twin\"";
      continue;
    }
    const std::string silent = "// SANITIZER: silent ";
    const std::string sanitizer = after(text, "// SANITIZER: ");
    const size_t tool_end = std::min(sanitizer.find(' '), sanitizer.size());
    Planted kernel = {.file = entry.path(),
                      .id = after(text, ".op = \"", "\"") + "/" + (bug ? name : twin),
                      .suite = after(text, "// SUITE: ", " ")};
    if (bug) {
      kernel.expect = words(after(text, "// EXPECT: ", ".:,;"));
      kernel.smallest = words(after(text, "// SMALLEST: "));
      kernel.sanitizer = sanitizer.substr(0, tool_end);
      kernel.sanitizer_line = sanitizer.substr(std::min(tool_end + 1, sanitizer.size()));
      const std::string entries = after(text, "// BUGS: ", " ");
      kernel.bugs = entries == "3" ? 3 : entries == "2" ? 2 : 1;
      kernel.by_ptx = after(text, "// BY PTX: ");
    } else if (text.find(silent) != std::string::npos) {
      kernel.sanitizer = "silent";
      kernel.sanitizer_line = after(text, silent);
    }
    all.push_back(kernel);
  }
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.id < b.id; });
  return all;
}

inline std::vector<ResultRow> rows_of(const std::string& folder) {
  std::vector<ResultRow> rows;
  std::ifstream file(folder + "/results.jsonl");
  for (std::string line; std::getline(file, line);) rows.push_back(row_from_line(line).value());
  return rows;
}

// The verdicts of the bugs that a run's report has, without those about the tests themselves.
inline std::vector<std::string> bugs_of(const std::string& folder) {
  const auto run = nlohmann::json::parse(read_text(folder + "/run.json"), nullptr, false);
  if (run.is_discarded()) return {"no run.json"};
  std::vector<std::string> verdicts;
  for (const auto& bug : run.value("bugs", nlohmann::json::array()))
    if (bug.at("verdict") != name(Kind::mistrusted)) verdicts.push_back(bug.at("verdict"));
  return verdicts;
}

// A wrong value shows as NONFINITE where data or a quotient makes it so; everything else must be what the file states.
inline bool explains(const Planted& bug, Kind seen) {
  const auto expects = [&](Kind kind) {
    return std::find(bug.expect.begin(), bug.expect.end(), name(kind)) != bug.expect.end();
  };
  return expects(seen) || (seen == Kind::nonfinite && expects(Kind::mismatch));
}

}  // namespace assay::selftest
