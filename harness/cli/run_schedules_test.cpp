// `assay run --schedules N --jobs M`: runs are beside each other, and what they leave comes in the order of the
// schedules.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::ElementsAre;
using testing::HasSubstr;

// Every run waits until all have begun, and the later ones end first; the second ends by a signal where that is asked
// for.
constexpr const char* kWaitingProgram = R"(
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string>
extern "C" int cudaMalloc(void**, size_t);
int main(int, char** words) {
  const int me = std::stoi(getenv("ASSAY_RUN_SCHEDULE")), all = std::stoi(words[2]);
  void* memory;
  cudaMalloc(&memory, 4 + me);
  fprintf(stderr, "begins: %d\n", me);
  printf("the same\n"), fflush(stdout);
  fclose(fopen((std::string(words[1]) + "/begun-" + std::to_string(me)).c_str(), "w"));
  for (int other = 0; other < all; ++other)
    for (int i = 0; access((std::string(words[1]) + "/begun-" + std::to_string(other)).c_str(), F_OK) != 0; ++i)
      if (usleep(1000); i > 20'000) return 7;
  usleep(50'000 * (all - me));
  if (me == 1 && words[3][0] == 'c') abort();
}
)";

class RunSchedules : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(program_ + ".cpp") << kWaitingProgram;
    const Ran built = selftest::run_command("c++ -std=c++17 -o " + program_ + " " + program_ +
                                            ".cpp " ASSAY_BUILD_DIR "/libassay_cuda.so");
    ASSERT_EQ(built.exit_code, 0) << built.err;
  }
  // The lines that begin so.
  static std::vector<std::string> lines(const std::string& text, const std::string& begin) {
    std::vector<std::string> found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(begin)) found.push_back(line);
    return found;
  }
  selftest::Scratch scratch_;
  std::string program_ = scratch_.path + "/program";
};

TEST_F(RunSchedules, AreBesideEachOtherAndTellInOrder) {
  const std::string log = scratch_.path + "/log", out = scratch_.path + "/out";
  const Ran ran = run("assay", "run --schedules 3 --jobs 3 --out " + out + " --log-file " + log + " " + program_ + " " +
                                   scratch_.path + " 3 -");
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_EQ(ran.out, "the same\n");
  EXPECT_THAT(lines(ran.err, "begins"), ElementsAre("begins: 0", "begins: 1", "begins: 2"));
  EXPECT_THAT(ran.err, HasSubstr("3 findings: 3 LEAK; the program ended with exit code 0"));
  for (const std::string& file : {log, out + "/findings.jsonl"})
    EXPECT_THAT(selftest::read_text(file), testing::ContainsRegex("4 bytes are(.|\n)*5 bytes are(.|\n)*6 bytes are"));
  EXPECT_FALSE(std::filesystem::exists(out + "/schedule-0"));
}

TEST_F(RunSchedules, OneThatIsKilledIsNamedAndTheOthersCount) {
  const Ran ran = run("assay", "run --schedules 3 --jobs 2 " + program_ + " " + scratch_.path + " 2 crash");
  EXPECT_THAT(ran.err, HasSubstr("under schedule 1 the program was killed by signal 6"));
  EXPECT_THAT(lines(ran.err, "begins"), ElementsAre("begins: 0", "begins: 1", "begins: 2"));
  EXPECT_THAT(ran.err, HasSubstr("2 LEAK; the program ended with exit code 134"));
}

}  // namespace
}  // namespace assay
