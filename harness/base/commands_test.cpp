// Commands in documents are those that there are: subcommands and options of assay stand in its help, options of a
// script in the script, and every script answers --help. Whether the examples do what they show is
// harness/selftest/examples_test.cpp's to find out.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/test_tree.h"
#include "harness/selftest/run_program.h"

namespace assay::style {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

Words words_of(std::string_view text) {
  Words words;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.emplace_back(text.substr(begin, end - begin));
  }
  return words;
}

// The commands of a shell line, each as its words, without comment, prompt and assignments.
std::vector<Words> commands_of(std::string_view line) {
  std::vector<Words> commands(1);
  for (const std::string& word : words_of(line)) {
    if (word.starts_with('#')) break;
    const bool is_first = commands.back().empty();
    if (word == "&&" || word == "||" || word == "|")
      commands.emplace_back();
    else if (!is_first || (word != "$" && word.find('=') == std::string::npos))
      commands.back().push_back(word);
  }
  return commands;
}

const File* find(const std::string& path) {
  const auto found = std::find_if(project().begin(), project().end(), [&](const File& f) { return f.path == path; });
  return found == project().end() ? nullptr : &*found;
}

bool mentions(const File& file, std::string_view word) {
  return std::any_of(file.lines.begin(), file.lines.end(),
                     [&](const std::string& line) { return has_word(line, word); });
}

bool is_subcommand(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

std::optional<std::string> wrong(const Words& command) {
  const bool is_assay = !command.empty() && (command[0] == "assay" || command[0].ends_with("/assay"));
  const bool is_script = !command.empty() && command[0].starts_with("scripts/");
  if (!is_assay && !is_script) return std::nullopt;
  const bool has_sub = is_assay && command.size() > 1 && is_subcommand(command[1]) && !command[1].starts_with('-');
  const File* page = find(is_script ? command[0] : "harness/cli/help/" + (has_sub ? command[1] : "assay") + ".md");
  if (!page) return command[0] + (has_sub ? " " + command[1] : "");
  for (const std::string& word : command) {
    const std::string option = word.substr(0, word.find_first_of("=.,;:)`'"));
    if (option.starts_with("--") && option.size() > 2 && option != "--help" && !mentions(*page, option))
      return command[0] + " … " + option;
  }
  return std::nullopt;
}

bool is_workflow(const File& file) { return file.path.ends_with(".yml"); }

// The command that a line of a workflow runs, if any: "- run: scripts/test" and lines of longer steps.
std::string step_of(const std::string& line) {
  const size_t begin = line.find("run: ");
  return begin == std::string::npos ? line : line.substr(begin + 5);
}

void unknown_commands(const File& file, Complaints& complaints) {
  if ((!is_markdown(file) && !is_cpp(file) && !is_workflow(file)) || file.path == "harness/base/commands_test.cpp")
    return;
  bool in_block = false;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    if (line.starts_with("```")) in_block = !in_block;
    const bool is_code = is_markdown(file) && (in_block || line.starts_with("    "));
    for (const std::string& code : is_workflow(file) ? Words{step_of(line)}
                                   : is_code         ? Words{line}
                                                     : in_backticks(line))
      for (const Words& command : commands_of(code))
        if (const auto what = wrong(command))
          complaints.push_back(at(file, i) + *what + " is banned, use a command or an option that there is");
  }
}

TEST(Commands, OfDocumentsAreThere) {
  EXPECT_THAT(over_project(unknown_commands), AreNone());
  const auto says = [](const std::string& line) { return of_canary("README.md", {line}, unknown_commands); };
  EXPECT_THAT(says("what `assay frobnicate` does"),
              ElementsAre("README.md:1: assay frobnicate is banned, use a command or an option that there is"));
  EXPECT_THAT(says("    $ A=b build/assay check --frobnicate"), ElementsAre(HasSubstr("build/assay … --frobnicate")));
  EXPECT_THAT(says("    true && scripts/frobnicate"), ElementsAre(HasSubstr("scripts/frobnicate")));
  EXPECT_THAT(says("`scripts/test --frobnicate`"), ElementsAre(HasSubstr("scripts/test … --frobnicate")));
  EXPECT_THAT(of_canary(".github/workflows/x.yml", {"      - run: scripts/frobnicate"}, unknown_commands),
              ElementsAre(HasSubstr("scripts/frobnicate")));
  EXPECT_THAT(says("`assay check x.cu --seed 7` and `scripts/demo --help`, assay is prose, `assay --version`"),
              IsEmpty());
}

// All programs of scripts/, which are those without an ending.
TEST(Commands, EveryScriptAnswersHelp) {
  int scripts = 0;
  for (const File& file : project()) {
    const std::filesystem::path path = file.path;
    if (path.parent_path() != "scripts" || path.has_extension()) continue;
    const selftest::Ran ran = selftest::run_command("'" ASSAY_SOURCE_DIR "/" + file.path + "' --help");
    EXPECT_EQ(ran.exit_code, 0) << file.path << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("usage: " + file.path));
    ++scripts;
  }
  EXPECT_GE(scripts, 5);
}

}  // namespace
}  // namespace assay::style
