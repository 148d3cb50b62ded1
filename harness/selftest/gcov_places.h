// Reads from gcov's tables which lines of kernel files never ran, and which did not take all their branches.
//
// Counts of a template's instantiations are added up, so a branch that bf16 alone takes is taken.
#pragma once

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace assay::selftest {

// A line of a kernel; of a function that never runs, its first.
struct Place {
  std::string file, text;  // from the root of the project; without the blanks around it
  std::string function;    // the innermost one around it, as the compiler writes it; empty: none
  auto operator<=>(const Place&) const = default;

  // `pattern`: of a function's name without its class and arguments.
  bool is_in(const std::string& pattern) const {
    for (size_t begin = 0, end = 0; end < function.size(); begin = end + 1) {
      for (end = begin; end < function.size() && is_of_name(function[end]);) ++end;
      const bool is_called = end < function.size() && std::string("(<[").find(function[end]) != std::string::npos;
      if (is_called && fnmatch(pattern.c_str(), function.substr(begin, end - begin).c_str(), 0) == 0) return true;
    }
    return false;
  }
  static bool is_of_name(char letter) { return std::isalnum(letter) || letter == '_'; }
};

inline std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

// The compiler has branches of its own, of temporaries and of what may throw; those of the text are asked about.
inline bool decides(const std::string& text) {
  for (const char* sign : {"?", "&&", "||"})
    if (text.find(sign) != std::string::npos) return true;
  const auto is_letter = [&](size_t i) { return i < text.size() && Place::is_of_name(text[i]); };
  for (const std::string word : {"if", "for", "while", "switch", "case"})
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      if (!is_letter(at - 1) && !is_letter(at + word.size())) return true;  // the letter before the first is none
  return false;
}

// gcov's counts of one line: for each list of branches that an instantiation has there, the sums. Instantiations that
// never run are left out: the line that chooses between them counts instead.
struct Line {
  int64_t count = 0;
  std::map<size_t, std::vector<int64_t>> branches = {};

  // `instances`: so many have their branches in one list, one after the other.
  void add(const nlohmann::json& at, size_t instances) {
    count += at.at("count").get<int64_t>();
    std::vector<int64_t> taken;
    for (const nlohmann::json& branch : at.at("branches"))
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

// The innermost function around a line, and how many instantiations there are of it.
struct Around {
  std::string name;
  size_t instances = 1;
};

inline Around function_around(const nlohmann::json& file, size_t line) {
  Around around;
  size_t first = 0;
  for (const nlohmann::json& function : file.at("functions")) {
    const size_t start = function.at("start_line"), end = function.at("end_line");
    if (start < first || start > line || end < line) continue;
    around = {function.at("demangled_name"), start == first ? around.instances + 1 : 1};
    first = start;
  }
  return around;
}

// `all` is what `gcov -j -t -b` prints; of other files than those below root/kernels nothing is asked.
inline Coverage coverage_in(const nlohmann::json& all, const std::string& root) {
  Coverage coverage;
  for (const nlohmann::json& file : all.at("files")) {
    const std::string path = std::filesystem::path(file.at("file").get<std::string>()).lexically_normal();
    if (!path.starts_with(root + "/kernels/")) continue;
    const std::string name = path.substr(root.size() + 1);
    std::set<std::string> running;
    std::map<size_t, Line> lines;
    std::map<size_t, int64_t> calls;  // of a function and all instantiations of a template, by its first line
    for (const nlohmann::json& function : file.at("functions")) {
      const int64_t count = function.at("execution_count");
      calls[function.at("start_line")] += count;
      if (count > 0) running.insert(function.at("name"));
    }
    for (const nlohmann::json& at : file.at("lines")) {
      const bool is_named = at.contains("function_name");  // else of all instantiations of a lambda
      if (!is_named || running.contains(at.at("function_name")))
        lines[at.at("line_number")].add(at, is_named ? 1 : function_around(file, at.at("line_number")).instances);
    }
    std::ifstream source(path);
    std::string text;
    for (size_t number = 1; std::getline(source, text); ++number) {
      const bool is_called = !calls.contains(number) || calls[number] > 0;
      const bool is_whole = !lines.contains(number) || lines[number].is_whole(text);
      if (!is_called || !is_whole) coverage.missing.insert({name, trimmed(text), function_around(file, number).name});
    }
    coverage.lines += std::ssize(lines);
  }
  return coverage;
}

}  // namespace assay::selftest
