// For end-to-end tests: runs a program through the shell and keeps what it printed and how it ended.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/base/command.h"
#include "harness/base/descriptor.h"
#include "harness/base/rng.h"

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

// An empty folder below the system's temporary one, removed with the object. It has the same path in every run of a
// test, so that what is compiled there is found in the cache again; another one where that is in use.
class Scratch {
 public:
  Scratch() {
    namespace fs = std::filesystem;
    static int made = 0;
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = fmt::format("{} {}.{} {}", ASSAY_BUILD_DIR, test ? test->test_suite_name() : "",
                                         test ? test->name() : "", made++);
    path = fs::temp_directory_path() / fmt::format("assay-test-{:016x}", std::hash<std::string>()(name));
    if (lock()) {
      fs::remove_all(path);  // left by a run that was killed
      fs::create_directory(path);
      return;
    }
    path += "-XXXXXX";
    if (!mkdtemp(path.data())) path.clear();
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
    if (!lock_path_.empty()) std::filesystem::remove(lock_path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path;

 private:
  // A file beside the folder: the program that is tested locks folders itself.
  bool lock() {
    const std::string file = path + ".lock";
    lock_ = Descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    struct stat locked = {}, there = {};
    const bool mine = flock(lock_.get(), LOCK_EX | LOCK_NB) == 0 && fstat(lock_.get(), &locked) == 0 &&
                      stat(file.c_str(), &there) == 0 && locked.st_ino == there.st_ino;  // not one just removed
    if (mine) lock_path_ = file;
    return mine;
  }

  std::string lock_path_;  // empty: the folder's name is its own
  Descriptor lock_;
};

// Whether a push leaves out `part`, one of many parts of a test that take seconds and resemble each other: it runs one
// in four of them, which the commit draws (CI sets ASSAY_CI_DRAW to its hash). The night, and who runs the tests by
// hand, runs all.
inline bool left_to_the_night(std::string_view part) {
  const char* commit = std::getenv("ASSAY_CI_DRAW");
  return commit && *commit && Rng::stream(1, std::string(commit) + std::string(part)).below(4) != 0;
}

// Fixtures of tests that take seconds and resemble each other: a push runs one in four of them.
template <class Fixture = testing::Test>
class OneInFour : public Fixture {
 protected:
  void SetUp() override {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    if (left_to_the_night(std::string(test.test_suite_name()) + test.name()))
      GTEST_SKIP() << "left to the night: a push runs one in four of these";
  }
};

// `command` is shell text, `input` is what it reads.
inline Ran run_command(const std::string& command, const std::string& input = "") {
  const auto ran = run_process({.words = {"/bin/sh", "-c", command}}, {.input = input});
  return ran ? Ran{ran->end.shell_code(), ran->output, ran->errors} : Ran{127, "", ran.error().line()};
}

// The words, each in quotes for the shell and behind a blank.
template <class Words>
std::string quoted_words(const Words& words) {
  std::string text;
  for (const auto& word : words) text += " '" + word.template get<std::string>() + "'";
  return text;
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
