// For end-to-end tests: runs a program through the shell and keeps what it printed and how it ended.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/base/command.h"

namespace assay::selftest {

struct Ran {
  int exit_code = -1;
  std::string out;
  std::string err;
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A fresh folder below the system's temporary one, removed with the object.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-test-XXXXXX").string();
    path = mkdtemp(pattern.data()) ? pattern : "";
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path;
};

// `command` is shell text, `input` is what it reads.
inline Ran run_command(const std::string& command, const std::string& input = "") {
  const auto ran = run_process({.words = {"/bin/sh", "-c", command}}, {.input = input});
  return ran ? Ran{ran->end.shell_code(), ran->output, ran->errors} : Ran{127, "", ran.error().line()};
}

// `program` is "assay" or "assay_selftest", of the build under test; `arguments` are shell text.
inline Ran run(const std::string& program, const std::string& arguments, const std::string& input = "") {
  return run_command(std::string(ASSAY_BUILD_DIR) + "/" + program + " " + arguments, input);
}

// The text with every run of blanks and line ends as one blank: messages are wrapped wherever a path makes them long.
inline std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

// Writes a suite whose cases are small, for tests of what does not hang on size, and returns the option that names it.
inline std::string small_suite(const Scratch& scratch,
                               const std::string& counts = "checked = 12\nelements_max = 3000\nflops_max = 300000\n") {
  const std::string path = scratch.path + "/small.toml";
  std::ofstream(path) << "about = \"small cases\"\n" << counts;
  return " --suite " + path + " ";
}

}  // namespace assay::selftest
