// Hostile kernels and wrong adapters: each is reported in words of its own, and the program survives to report it.
//
// The first lines of each file say what is expected: SAYS: a text of the output, all of which must be there; with
// `A | B` one of them is enough. OPTIONS: words for `assay check`. EXIT: its exit code, 1 where nothing is said.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Scratch;

struct Hostile {
  std::string file, options;
  std::vector<std::string> says;
  int exit_code = 1;
};

std::vector<std::string> lines_after(const std::string& text, const std::string& mark) {
  std::vector<std::string> all;
  const std::regex line("// " + mark + ": ([^\n]*)");
  for (std::sregex_iterator i(text.begin(), text.end(), line), none; i != none; ++i) all.push_back((*i)[1]);
  return all;
}

std::vector<Hostile> hostile_kernels() {
  std::vector<Hostile> all;
  for (const auto& entry : fs::directory_iterator(ASSAY_SOURCE_DIR "/harness/selftest/hostile")) {
    if (entry.path().extension() == ".toml") continue;
    const std::string text = selftest::read_text(entry.path());
    const auto options = lines_after(text, "OPTIONS"), code = lines_after(text, "EXIT");
    all.push_back({entry.path(), options.empty() ? "--cases 12" : options[0], lines_after(text, "SAYS"),
                   code.empty() ? 1 : std::stoi(code[0])});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return all;
}

bool says(const std::string& text, const std::string& alternatives) {
  const std::string output = selftest::unwrapped(text);
  for (size_t begin = 0; begin < alternatives.size();) {
    const size_t end = std::min(alternatives.find(" | ", begin), alternatives.size());
    if (output.find(alternatives.substr(begin, end - begin)) != std::string::npos) return true;
    begin = end + 3;
  }
  return false;
}

void PrintTo(const Hostile& kernel, std::ostream* out) { *out << kernel.file; }

class HostileKernel : public selftest::OneInFour<testing::TestWithParam<Hostile>> {};

TEST_P(HostileKernel, IsReported) {
  const Hostile& kernel = GetParam();
  const Scratch scratch;
  const auto check = selftest::run("assay", "check '" + kernel.file + "' " + kernel.options +
                                                " --seed 1 --case-limit 2s --shrink 2s --no-save --regressions " +
                                                scratch.path + "/saved --out " + scratch.path + "/out");
  EXPECT_EQ(check.exit_code, kernel.exit_code) << check.out << check.err;
  ASSERT_FALSE(kernel.says.empty()) << kernel.file << " needs a line SAYS: TEXT";
  for (const std::string& sentence : kernel.says)
    EXPECT_TRUE(says(check.out + check.err, sentence)) << sentence << "\nis not in\n" << check.out << check.err;
}

std::string name_of_hostile(const testing::TestParamInfo<Hostile>& info) {
  return fs::path(info.param.file).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Hostile, HostileKernel, testing::ValuesIn(hostile_kernels()), name_of_hostile);

// An empty list would pass.
TEST(Hostile, ThereAreMany) { EXPECT_GE(hostile_kernels().size(), 20u); }

}  // namespace
}  // namespace assay
