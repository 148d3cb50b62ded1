// Worked examples in a document, as tests: the files and commands of its marked blocks, executed in the order of the
// page.
//
//   <!-- test: NAME -->          the next fenced block belongs to the example NAME; blocks of one name share a folder
//   ```cuda title=my_kernel.cu   writes that file
//   ```console                   `$ command` lines, each with the output that it must print; … stands for anything
//                                in a line, and a line with nothing but … for any lines
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "harness/selftest/run_program.h"

namespace assay::selftest {

using Lines = std::vector<std::string>;

struct MarkdownBlock {
  std::string section;   // the heading above
  std::string example;   // "": not marked
  std::string language;  // "cuda", "console", …
  std::string title;     // the file's name
  Lines lines;
  int line = 0;  // of the opening fence, from 1
};

struct ExampleCommand {
  std::string text;
  Lines expected;
};

inline Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::vector<MarkdownBlock> fenced_blocks(const std::string& markdown) {
  static const std::regex heading("#+ +(.*)"), mark("<!-- test: (\\S+) -->"), fence("```(\\S+)?(?: title=(\\S+))?.*");
  std::vector<MarkdownBlock> blocks;
  std::string section, example;
  bool inside = false;
  int number = 0;
  std::smatch match;
  for (const std::string& line : lines_of(markdown)) {
    ++number;
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back().lines.push_back(line);
    } else if (std::regex_match(line, match, fence)) {
      blocks.push_back({section, example, match[1], match[2], {}, number});
      example.clear();
      inside = true;
    } else if (std::regex_match(line, match, heading)) {
      section = match[1];
    } else if (std::regex_match(line, match, mark)) {
      example = match[1];
    }
  }
  return blocks;
}

inline std::vector<ExampleCommand> commands_of(const MarkdownBlock& block) {
  std::vector<ExampleCommand> commands;
  for (const std::string& line : block.lines) {
    if (line.starts_with("$ "))
      commands.push_back({line.substr(2), {}});
    else if (!commands.empty())
      commands.back().expected.push_back(line);
  }
  return commands;
}

// Whether `line` is `pattern` with something, or nothing, for each ….
inline bool line_matches(const std::string& pattern, const std::string& line) {
  const std::string any = "…";
  const size_t hole = pattern.find(any);
  if (hole == std::string::npos) return pattern == line;
  if (line.compare(0, hole, pattern, 0, hole) != 0) return false;
  const std::string rest = pattern.substr(hole + any.size());
  for (size_t at = hole; at <= line.size(); ++at)
    if (line_matches(rest, line.substr(at))) return true;
  return false;
}

inline bool lines_match(const Lines& patterns, const Lines& lines, size_t pattern = 0, size_t line = 0) {
  if (pattern == patterns.size()) return line == lines.size();
  if (patterns[pattern] == "…") {
    for (size_t at = line; at <= lines.size(); ++at)
      if (lines_match(patterns, lines, pattern + 1, at)) return true;
    return false;
  }
  return line < lines.size() && line_matches(patterns[pattern], lines[line]) &&
         lines_match(patterns, lines, pattern + 1, line + 1);
}

// Runs a command in the example's folder, with the programs under test first on the path and caches of its own.
inline Ran run_example_command(const ExampleCommand& command, const std::string& folder) {
  const Scratch scratch;
  std::ofstream(scratch.path + "/command") << command.text << "\n";
  const std::string script =
      fmt::format("cd '{0}' && PATH='{1}':\"$PATH\" XDG_CACHE_HOME='{0}/.cache' sh '{2}/command'", folder,
                  ASSAY_BUILD_DIR, scratch.path);
  const int status = std::system(fmt::format("({}) >{}/out 2>&1 </dev/null", script, scratch.path).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(scratch.path + "/out"), ""};
}

inline void run_console(const MarkdownBlock& block, const std::string& folder, Lines& complaints) {
  const auto commands = commands_of(block);
  if (commands.empty()) complaints.push_back(fmt::format("line {}: a console block without a $ command", block.line));
  for (const ExampleCommand& command : commands) {
    const Ran ran = run_example_command(command, folder);
    const bool silent_failure = command.expected.empty() && ran.exit_code != 0;
    if (!silent_failure && lines_match(command.expected, lines_of(ran.out))) continue;
    complaints.push_back(fmt::format("line {}, section '{}': $ {}\nexited with {} and printed\n{}", block.line,
                                     block.section, command.text, ran.exit_code, ran.out));
  }
}

// Executes every marked block. What differs from the page, and blocks that look like parts of an example but are not
// marked, one complaint each.
inline Lines run_examples(const std::string& markdown) {
  Lines complaints;
  std::map<std::string, std::unique_ptr<Scratch>> folders;
  for (const MarkdownBlock& block : fenced_blocks(markdown)) {
    const bool console = block.language == "console";
    if (block.example.empty()) {
      if (console || !block.title.empty())
        complaints.push_back(fmt::format("line {}: this block needs a <!-- test: NAME --> above it", block.line));
      continue;
    }
    auto& folder = folders[block.example];
    if (!folder) folder = std::make_unique<Scratch>();
    if (console) {
      run_console(block, folder->path, complaints);
    } else if (!block.title.empty()) {
      std::ofstream file(folder->path + "/" + block.title);
      for (const std::string& line : block.lines) file << line << "\n";
    } else {
      complaints.push_back(fmt::format("line {}: a marked block has a title or is a console", block.line));
    }
  }
  return complaints;
}

}  // namespace assay::selftest
