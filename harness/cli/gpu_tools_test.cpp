// Tests outputs of compute-sanitizer, ncu and nsys in the forms that they print, and in forms that must not pass for a
// result.
#include "harness/cli/gpu_tools.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char* kBegin = "========= COMPUTE-SANITIZER\nPASS  softmax_forward/block_per_row f32 rows=1 cols=1\n";

TEST(Sanitizer, CountsErrors) {
  EXPECT_EQ(read_sanitizer(std::string(kBegin) + "========= ERROR SUMMARY: 0 errors\n")->errors, 0);
  EXPECT_EQ(read_sanitizer(std::string(kBegin) + "========= ERROR SUMMARY: 1 error\n")->errors, 1);
  const auto many = read_sanitizer(std::string(kBegin) +
                                   "========= Invalid __global__ write of size 4 bytes\n"
                                   "========= ERROR SUMMARY: 1024 errors\n"
                                   "========= ERROR SUMMARY: 924 errors were not printed. Use --print-limit option\n");
  ASSERT_TRUE(many) << many.error().line();
  EXPECT_EQ(many->errors, 1024);
  EXPECT_EQ(many->text, "1024 errors");
}

// The flaw of each output.
TEST(Sanitizer, WithoutASummaryNothingIsKnown) {
  const std::string zero = "========= ERROR SUMMARY: 0 errors\n";
  const std::vector<std::pair<std::string, std::string>> outputs = {
      {"", "without its summary"},
      {kBegin, "without its summary"},
      {std::string(kBegin) + "========= ERROR SUMMARY: many errors\n", "without its summary"},
      {std::string(kBegin) + "ERROR SUMMARY: 0 errors\n",
       "without its summary"},  // printed by the program, not the tool
      {std::string(kBegin) + zero + zero, "2 summaries"},
      {std::string(kBegin) + "========= ERROR SUMMARY: 99999999999999999999 errors\n", "counts"},
      {std::string(kBegin) + "========= Error: Target application terminated before first instrumented API call\n" +
           zero,
       "could not watch"},
      {std::string(kBegin) + "========= Internal Sanitizer Error: out of memory\n" + zero, "could not watch"},
  };
  for (const auto& [output, says] : outputs) {
    const auto summary = read_sanitizer(output);
    ASSERT_FALSE(summary) << output;
    EXPECT_THAT(summary.error().what, HasSubstr(says));
  }
}

TEST(Racecheck, HasItsOwnSummary) {
  const auto clean = read_racecheck("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n");
  ASSERT_TRUE(clean) << clean.error().line();
  EXPECT_EQ(clean->errors, 0);
  const auto warned = read_racecheck("========= RACECHECK SUMMARY: 2 hazards displayed (0 errors, 2 warnings)\n");
  EXPECT_EQ(warned->errors, 2);
  EXPECT_EQ(warned->text, "2 hazards (0 errors, 2 warnings)");
  EXPECT_EQ(read_racecheck("========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n")->errors, 1);
  EXPECT_FALSE(read_racecheck("========= ERROR SUMMARY: 0 errors\n"));
  EXPECT_FALSE(read_sanitizer("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"));
}

TEST(Ncu, NeedsAKernelAndAReport) {
  const std::string connected = "==PROF== Connected to process 24 (/b/assay)\n";
  const std::string kernel = "==PROF== Profiling \"softmax\" - 0: 0%....50%....100% - 43 passes\n";
  const std::string report = "==PROF== Disconnected from process 24\n==PROF== Report: /home/me/assay-replay.ncu-rep\n";
  const auto good = read_ncu(connected + kernel + kernel + report);
  ASSERT_TRUE(good) << good.error().line();
  EXPECT_EQ(good->text, "2 launches profiled; open with: ncu-ui /home/me/assay-replay.ncu-rep");
  EXPECT_THAT(read_ncu(connected + report).error().what, HasSubstr("no kernel"));
  EXPECT_THAT(read_ncu(connected + kernel).error().what, HasSubstr("without its report"));
  const auto denied = read_ncu(connected + "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n");
  EXPECT_THAT(denied.error().hint, HasSubstr("right to read GPU counters"));
}

TEST(Nsys, NeedsKernelsAndAReport) {
  const std::string generated = "Generated:\n    /home/me/assay-replay.nsys-rep\n    /home/me/assay-replay.sqlite\n";
  const auto good = read_nsys(generated);
  ASSERT_TRUE(good) << good.error().line();
  EXPECT_EQ(good->text, "open with: nsys-ui /home/me/assay-replay.nsys-rep");
  EXPECT_FALSE(read_nsys(""));
  EXPECT_FALSE(read_nsys("SKIPPED: /home/me/assay-replay.sqlite does not contain CUDA kernel data.\n" + generated));
}

// A kernel prints what it likes, and paths have no limit that we set.
TEST(GpuTools, PrintLongLines) {
  const std::string longest(300'000, 'a'), blanks(300'000, ' ');
  EXPECT_EQ(read_sanitizer(longest + "\n" + std::string(300'000, '=') + " ERROR SUMMARY: 1 error" + blanks)->errors, 1);
  EXPECT_THAT(read_sanitizer("= ERROR SUMMARY: " + std::string(300'000, '1') + " errors").error().what,
              HasSubstr("counts"));
  const auto ncu = read_ncu("==PROF== Profiling \"" + longest + "\" - 0: 100% - 4 passes\n==PROF== Report: " + longest);
  ASSERT_TRUE(ncu) << ncu.error().line();
  EXPECT_THAT(ncu->text, testing::EndsWith("ncu-ui " + longest));
  EXPECT_THAT(read_nsys(blanks + longest + ".nsys-rep\n")->text, testing::EndsWith(longest + ".nsys-rep"));
}

TEST(GpuTools, AreFoundByName) {
  EXPECT_EQ(find_gpu_tool("gdb"), nullptr);
  for (const GpuTool& tool : gpu_tools()) EXPECT_EQ(find_gpu_tool(tool.name), &tool);
}

}  // namespace
}  // namespace assay
