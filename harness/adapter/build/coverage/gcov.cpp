// From gcov's tables to the lines that are not covered.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/adapter/build/coverage/coverage.h"
#include "harness/base/scanner.h"

namespace assay {
namespace {

using nlohmann::json;

bool is_of_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// The compiler has branches of its own, of temporaries and of what may throw; those of the text are asked about.
bool decides(const std::string& text) {
  for (const char* sign : {"?", "&&", "||"})
    if (text.find(sign) != std::string::npos) return true;
  const auto is_letter = [&](size_t i) { return i < text.size() && is_of_name(text[i]); };
  for (const std::string word : {"if", "for", "while", "switch", "case"})
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      if (!is_letter(at - 1) && !is_letter(at + word.size())) return true;  // the letter before the first is none
  return false;
}

// gcov's counts of one line: for each list of branches that an instantiation has there, the sums. Instantiations that
// never run are left out: the line that chooses between them counts instead.
struct CountedLine {
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
};

// The innermost function around a line, and how many instantiations there are of it.
struct Around {
  std::string name;
  size_t instances = 1;
};

Around function_around(const json& file, int64_t line) {
  Around around;
  int64_t first = 0;
  for (const json& function : file.at("functions")) {
    const int64_t start = function.at("start_line"), end = function.at("end_line");
    if (start < first || start > line || end < line) continue;
    around = {function.at("demangled_name"), start == first ? around.instances + 1 : 1};
    first = start;
  }
  return around;
}

// The counts of one file's lines, and the calls of each function by its first line.
struct CountedFile {
  std::map<int64_t, CountedLine> lines;
  std::map<int64_t, int64_t> calls;  // of all instantiations of a template
};

CountedFile counted(const json& file) {
  CountedFile all;
  std::set<std::string> running;
  for (const json& function : file.at("functions")) {
    const int64_t count = function.at("execution_count");
    all.calls[function.at("start_line")] += count;
    if (count > 0) running.insert(function.at("name"));
  }
  for (const json& at : file.at("lines")) {
    const bool is_named = at.contains("function_name");  // else of all instantiations of a lambda
    if (!is_named || running.contains(at.at("function_name")))
      all.lines[at.at("line_number")].add(at, is_named ? 1 : function_around(file, at.at("line_number")).instances);
  }
  return all;
}

// Adds one line's counts; it is uncovered where it did not run or took no way of a branch that the text has.
void add_line(const CountedLine& line, UncoveredLine place, Coverage& coverage) {
  ++coverage.lines;
  coverage.lines_run += line.count > 0 ? 1 : 0;
  place.runs = line.count;
  if (line.count > 0 && decides(place.text))
    for (const auto& [size, sums] : line.branches) {
      place.ways += static_cast<int64_t>(size);
      place.ways_taken += static_cast<int64_t>(size) - std::ranges::count(sums, 0);
    }
  coverage.ways += place.ways;
  coverage.ways_taken += place.ways_taken;
  if (line.count == 0 || place.ways_taken < place.ways) coverage.uncovered.push_back(std::move(place));
}

void add_file(const json& file, const std::string& path, Coverage& coverage) {
  const CountedFile all = counted(file);
  std::ifstream source(path);
  std::string text;
  for (int64_t number = 1; std::getline(source, text); ++number) {
    const auto line = all.lines.find(number);
    const auto calls = all.calls.find(number);
    const UncoveredLine place{path, number, std::string(trimmed(text)), function_around(file, number).name};
    if (calls != all.calls.end() && calls->second == 0)
      add_line({}, place, coverage);
    else if (line != all.lines.end())
      add_line(line->second, place, coverage);
  }
}

}  // namespace

Coverage coverage_in(const json& gcov, const std::function<bool(const std::string& path)>& is_asked) {
  Coverage coverage;
  for (const json& file : gcov.at("files")) {
    const std::string path = std::filesystem::path(file.at("file").get<std::string>()).lexically_normal();
    if (is_asked(path)) add_file(file, path, coverage);
  }
  std::ranges::sort(coverage.uncovered);
  return coverage;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(UncoveredLine, file, line, text, function, runs, ways, ways_taken,
                                                reached_by, tried, decided_by)

void to_json(json& out, const Coverage& coverage) {
  out = {{"lines", coverage.lines},           {"lines_run", coverage.lines_run}, {"ways", coverage.ways},
         {"ways_taken", coverage.ways_taken}, {"uncovered", coverage.uncovered}, {"aimed", coverage.aimed}};
}

void from_json(const json& in, Coverage& coverage) {
  in.at("lines").get_to(coverage.lines);
  in.at("lines_run").get_to(coverage.lines_run);
  in.at("ways").get_to(coverage.ways);
  in.at("ways_taken").get_to(coverage.ways_taken);
  in.at("uncovered").get_to(coverage.uncovered);
  coverage.aimed = in.value("aimed", int64_t{0});
}

}  // namespace assay
