// A program that `assay c++` builds in a folder of its own, for tests.
#pragma once

#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {

class CxxProgram : public selftest::OneInFour<> {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(at(name)) << text; }
  std::string at(const std::string& name) const { return scratch_.path + "/" + name; }
  // `assay c++` in the folder of the test.
  selftest::Ran build(const std::string& words) const {
    return selftest::run_command("cd " + scratch_.path + " && " ASSAY_BUILD_DIR "/assay c++ " + words);
  }
  // The words of `assay c++` on a file that it does not build.
  std::string refusal(const std::string& file) const {
    const selftest::Ran ran = build(file + " -o program");
    EXPECT_NE(ran.exit_code, 0);
    return ran.err;
  }
  selftest::Ran run(const std::string& words) const { return selftest::run("assay", "run " + words); }
  // Builds a program of one file, which must print "right" and have no finding, unchecked and checked.
  void expect_right(const std::string& text, const std::string& options = "") const {
    write("program.cu", text);
    const selftest::Ran built = build(options + " program.cu -o program");
    ASSERT_EQ(built.exit_code, 0) << built.err;
    for (const char* const tool : {"none", "all"}) {
      const selftest::Ran ran = run(std::string("--tool ") + tool + " " + at("program"));
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_EQ(ran.out, "right\n") << tool;
    }
  }
  selftest::Scratch scratch_;
};

}  // namespace assay
