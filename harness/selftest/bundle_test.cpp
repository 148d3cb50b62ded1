// Tests what scripts/bundle relies on: that what it copies is there, that check_static.sh accepts no program that needs
// more than glibc, that notices.sh misses no licence, that sources are fetched whole or not at all, and that a program
// without its build reports that. A bundle itself takes minutes of nvcc.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Ran;
using selftest::run_command;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class Bundle : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream(path + "/" + name) << text; }

  void compile(const std::string& arguments) {
    const Ran ran = run_command("cd " + path + " && c++ " + arguments);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
  }

  Ran check_static(const std::string& program) {
    return run_command(ASSAY_SOURCE_DIR "/scripts/check_static.sh " + path + "/" + program);
  }

  // Its output with apt-get as the text of a script, which finds what the tests' programs need on PATH.
  Ran google_benchmark(const std::string& apt_get) {
    write("apt-get", "#!/bin/sh\n" + apt_get);
    fs::permissions(path + "/apt-get", fs::perms::owner_all);
    return run_command("env PATH=" + path + ":$PATH " ASSAY_SOURCE_DIR "/scripts/google_benchmark.sh " + path + "/new");
  }

  const selftest::Scratch scratch;
  const std::string path = scratch.path;
};

TEST_F(Bundle, WhatItCopiesIsThere) {
  const std::regex copied("^cp (-r )?([a-z]+(?:/[a-z]+)*|LICENSE) ");
  int count = 0;
  std::istringstream lines(selftest::read_text(ASSAY_SOURCE_DIR "/scripts/bundle"));
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("cp ") && !line.starts_with("cp build-bundle")) {
      ++count;
      ASSERT_TRUE(std::regex_search(line, match, copied)) << line;
      EXPECT_TRUE(fs::exists(ASSAY_SOURCE_DIR "/" + match[2].str())) << line;
    }
  EXPECT_GE(count, 4);
}

TEST_F(Bundle, TakesProgramsThatNeedGlibcAlone) {
  write("program.cpp", "#include <iostream>\nint main() { std::cout << 1; }\n");
  compile("program.cpp -static-libstdc++ -static-libgcc -o program");
  const Ran glibc = check_static("program");
  EXPECT_EQ(glibc.exit_code, 0) << glibc.err;
  compile("program.cpp -static -o whole");
  const Ran whole = check_static("whole");
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
}

TEST_F(Bundle, NamesTheLibrariesThatAProgramNeeds) {
  write("beside.cpp", "int beside() { return 0; }\n");
  write("program.cpp", "int beside();\nint main() { return beside(); }\n");
  compile("-shared -fPIC beside.cpp -o libbeside.so");
  compile("program.cpp -L. -lbeside -Wl,-rpath," + path + " -o program");
  EXPECT_EQ(run_command(path + "/program").exit_code, 0);
  for (const char* where : {"there", "gone"}) {
    const Ran ran = check_static("program");
    EXPECT_EQ(ran.exit_code, 1) << where;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("/program needs "), HasSubstr("libbeside.so"))) << where;
    fs::remove(path + "/libbeside.so");
  }
  compile("-shared -fPIC beside.cpp -Wl,--no-as-needed -o libalone.so");
  EXPECT_THAT(check_static("libalone.so").err, HasSubstr("libstdc++.so.6")) << "a library is no exception";
}

TEST_F(Bundle, NamesWhatAProgramExports) {
  write("program.cpp", "extern \"C\" int shown() { return 0; }\nint main() {}\n");
  compile("program.cpp -static-libstdc++ -static-libgcc -Wl,--export-dynamic-symbol=shown -o program");
  const Ran ran = check_static("program");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, EndsWith("/program exports 1 symbols, among them shown\n"));
}

TEST_F(Bundle, WhatIsNoProgramFails) {
  write("program", "#!/bin/sh\n");
  for (const char* file : {"program", "nowhere"}) EXPECT_EQ(check_static(file).exit_code, 1) << file;
}

TEST_F(Bundle, SourcesThatCannotBeFetchedAreOneLine) {
  const Ran offline = google_benchmark("echo 'W: odd'; echo 'E: the archive is out of reach'; exit 100\n");
  EXPECT_EQ(offline.exit_code, 1);
  EXPECT_EQ(
      offline.err,
      "scripts/google_benchmark.sh: no sources of Google Benchmark: apt-get says: E: the archive is out of reach\n");
  const Ran other = google_benchmark("echo other > benchmark_1.7.1.orig.tar.gz\n");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("benchmark_1.7.1.orig.tar.gz has another checksum than "));
  EXPECT_EQ(std::count(other.err.begin(), other.err.end(), '\n'), 1) << other.err;
  EXPECT_FALSE(fs::exists(path + "/new/CMakeLists.txt"));
}

TEST_F(Bundle, HasTheLicencesOfWhatItWasCompiledFrom) {
  const auto notices = [&] { return run_command(ASSAY_SOURCE_DIR "/scripts/notices.sh " + path + " " + path + "/to"); };
  write("CMakeCache.txt", "CHARTJS:FILEPATH=/usr/share/javascript/chart.js/chart.min.js\n");
  write("build.ninja",
        "rule cxx\n  command = c++ -I fetched/include -MD -MF $out.d -c $in -o $out\n  deps = gcc\n  depfile = $out.d\n"
        "build program.o: cxx program.cpp\n");
  EXPECT_EQ(notices().err, "scripts/notices.sh: " + path + " was not built, or not by ninja\n");

  fs::create_directories(path + "/fetched/include");
  write("fetched/include/fetched.h", "");
  write("program.cpp", "#include <fetched.h>\n#include <fmt/core.h>\n");
  ASSERT_EQ(run_command("ninja -C " + path).exit_code, 0);
  const Ran unlicensed = notices();
  EXPECT_EQ(unlicensed.exit_code, 1);
  EXPECT_EQ(unlicensed.err, "scripts/notices.sh: no LICENSE in " + path + "/fetched\n");

  write("fetched/LICENSE.txt", "as you like\n");
  const Ran ran = notices();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(selftest::read_text(path + "/to/fetched"), "as you like\n");
  for (const char* package : {"libfmt-dev", "libjs-chart.js"})
    EXPECT_TRUE(fs::exists(path + "/to/" + package)) << package;
  EXPECT_FALSE(fs::exists(path + "/to/libpugixml-dev")) << "nothing was compiled from it";
}

TEST_F(Bundle, AProgramWithoutItsBuildTakesNoKernels) {
  fs::copy_file(ASSAY_BUILD_DIR "/assay", path + "/assay");
  write("kernel.cu",
        "__global__ void kernel(const float* x, float* y, int rows, int cols) {\n"
        "  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = x[c];\n"
        "}\n");
  const Ran ran = run_command("env LD_LIBRARY_PATH=" ASSAY_BUILD_DIR ":" ASSAY_BUILD_DIR "/modules " + path +
                              "/assay check --op softmax_forward " + path + "/kernel.cu");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.err, "assay: " + path + "/kernel.cu: without " + path +
                         "/kernel_build.json kernels cannot be compiled; build or install assay; what scripts/bundle "
                         "packs takes no kernels but its own\n");
}

}  // namespace
}  // namespace assay
