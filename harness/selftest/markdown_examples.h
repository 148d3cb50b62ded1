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
#include <cstdlib>
#include <map>
#include <memory>
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

inline const std::string kMark = "<!-- test: ";

inline std::string word_at(const std::string& line, size_t at) {
  return line.substr(at, std::min(line.find(' ', at), line.size()) - at);
}

// "" when `before` is not in the line.
inline std::string word_after(const std::string& line, const std::string& before) {
  const size_t at = line.find(before);
  return at == std::string::npos ? "" : word_at(line, at + before.size());
}

inline std::vector<MarkdownBlock> fenced_blocks(const std::string& markdown) {
  std::vector<MarkdownBlock> blocks;
  std::string section, example;
  bool inside = false;
  int number = 0;
  for (const std::string& line : lines_of(markdown)) {
    ++number;
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back().lines.push_back(line);
    } else if (line.starts_with("```")) {
      const std::string language = word_at(line, 3), title = word_after(line, " title=");
      blocks.push_back({section, example, language, title, {}, number});
      example.clear();
      inside = true;
    } else if (line.starts_with("#")) {
      section = line.substr(std::min(line.find_first_not_of("# "), line.size()));
    } else if (const std::string name = word_after(line, kMark); !name.empty() && line == kMark + name + " -->") {
      example = name;
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

// Runs a command in the example's folder, with the programs under test first on the path.
inline Ran run_example_command(const ExampleCommand& command, const std::string& folder) {
  const auto ran = run_process({.words = {"/bin/sh", "-c", command.text},
                                .environment = {{"PATH", fmt::format("{}:{}", ASSAY_BUILD_DIR, getenv("PATH"))}},
                                .folder = folder,
                                .errors = Redirect::merged()});
  return ran ? Ran{ran->end.shell_code(), ran->output, ""} : Ran{127, ran.error().line(), ""};
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

// Executes every marked block. Returns a complaint for each difference from the page, and for each block that looks
// like part of an example but is not marked.
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
