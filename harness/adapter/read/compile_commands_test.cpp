// Tests the options that a compile_commands.json gives for a file, as CMake writes it for nvcc with Ninja and with
// Makefiles.
#include "harness/adapter/read/compile_commands.h"

#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/read/header_packages.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class CompileCommands : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string path(const std::string& name) const { return scratch_.path + "/" + name; }
  void has(const std::string& words) const {
    write("compile_commands.json", R"([{"directory": ")" + scratch_.path +
                                       R"(", "file": "other.cu", "command": "nvcc -DOTHER other.cu"},
              {"directory": ")" + scratch_.path +
                                       R"(", "file": "./k.cu", )" + words + "}]");
  }
  Result<CompileOptions> of(const std::string& file, CompileOptions options = {}) const {
    options.build = scratch_.path;
    return with_build(options, path(file));
  }

  selftest::Scratch scratch_;
};

TEST_F(CompileCommands, GiveFoldersMacrosArchitectureAndArithmetic) {
  has(R"("command": "/usr/bin/nvcc -DHEAD=64 -D 'NAME=\"a b\"' -Iinclude -isystem=/opt/x -I ../y -O3 -std=c++17 )"
      R"(\"--generate-code=arch=compute_80,code=[compute_80,sm_80]\" -use_fast_math -x cu -c k.cu -o k.o")");
  const auto options = of("k.cu", {.include = {"mine"}, .define = {}});
  ASSERT_TRUE(options) << options.error().line();
  EXPECT_THAT(options->include, ElementsAre("mine", path("include"), "/opt/x",
                                            std::filesystem::path(path("../y")).lexically_normal().string()));
  EXPECT_THAT(options->define, ElementsAre("HEAD=64", "NAME=\"a b\""));
  EXPECT_EQ(options->arch, "sm_80");
  EXPECT_EQ(options->nvcc_flags, "-std=c++17 -use_fast_math");
  EXPECT_EQ(options->build, "") << "it is in the others now";
}

TEST_F(CompileCommands, ResponseFilesAreRead) {
  write("includes_CUDA.rsp", "-I\"/a folder\"  --options-file includes_CUDA.rsp\n");  // one that names itself ends
  has(R"("arguments": ["nvcc", "--options-file", "includes_CUDA.rsp", "-arch=sm_90a", "-c", "k.cu"])");
  const auto options = of("k.cu", {.arch = "sm_86"});
  ASSERT_TRUE(options) << options.error().line();
  EXPECT_EQ(options->include.front(), "/a folder");
  EXPECT_EQ(options->arch, "sm_86") << "what is asked for on the command line goes first";
}

TEST_F(CompileCommands, NvccsCommandIsTakenWhereverItStands) {
  has(R"("command": "g++ -DHOST -x c++ k.cu"}, {"directory": ".", "file": "k.cu", "command": "/opt/nvcc -DGPU k.cu")");
  const auto options = of("k.cu");
  ASSERT_TRUE(options) << options.error().line();
  EXPECT_THAT(options->define, ElementsAre("GPU"));
}

TEST_F(CompileCommands, WhatIsNotThereIsSaid) {
  EXPECT_THAT(of("k.cu").error().line(), HasSubstr("CMAKE_EXPORT_COMPILE_COMMANDS"));
  has(R"("command": "nvcc k.cu")");
  EXPECT_THAT(of("j.cu").error().line(), HasSubstr("has no command for " + path("j.cu")));
  for (const char* text : {"{", "[1]", R"([{"file": 3}])", R"([{"file": ")"}) {
    write("compile_commands.json", text);
    EXPECT_THAT(of("k.cu").error().line(), HasSubstr("is no list of compile commands")) << text;
  }
}

// The folder of a preset, through what it inherits and includes.
TEST_F(CompileCommands, APresetNamesTheirFolder) {
  std::filesystem::create_directories(path("out/fast"));
  std::filesystem::create_directories(path("kernels"));
  write("CMakePresets.json", R"({"version": 4, "include": ["more.json"], "configurePresets": [
    {"name": "fast", "inherits": ["flags", "base"]}, {"name": "bare"}, {"name": "odd", "binaryDir": "${generator}/x"}]})");
  write("more.json", R"({"version": 4, "configurePresets": [
    {"name": "flags", "cacheVariables": {}}, {"name": "base", "hidden": true, "binaryDir": "${sourceDir}/out/${presetName}"}]})");
  write("out/fast/compile_commands.json",
        R"([{"directory": ")" + scratch_.path +
            R"(", "file": "kernels/k.cu", "command": "nvcc -DHEAD=64 kernels/k.cu"}])");
  const auto by_preset = [&](const std::string& name) { return with_build({.build = name}, path("kernels/k.cu")); };
  const auto options = by_preset("fast");
  ASSERT_TRUE(options) << options.error().line();
  EXPECT_THAT(options->define, ElementsAre("HEAD=64"));
  EXPECT_THAT(by_preset("slow").error().line(), AllOf(HasSubstr("no configure preset"), HasSubstr("bare, base, fast")));
  EXPECT_THAT(by_preset("bare").error().line(), HasSubstr("has no binaryDir"));
  EXPECT_THAT(by_preset("odd").error().line(), HasSubstr("${generator}"));
  EXPECT_THAT(by_preset("base").error().line(), HasSubstr("out/base/compile_commands.json"));
  write("CMakePresets.json", R"({"configurePresets": [{}]})");
  EXPECT_THAT(by_preset("fast").error().line(), HasSubstr("cannot be read"));
  std::filesystem::remove(path("CMakePresets.json"));
  EXPECT_THAT(by_preset("fast").error().line(), HasSubstr("no folder above"));
}

TEST(HeaderPackages, HeadersNameWhatBringsThem) {
  EXPECT_THAT(with_packages({"torch/extension.h", "mpi.h", "mine.h"}),
              ElementsAre(HasSubstr("pip install torch"), HasSubstr("libopenmpi-dev"), "mine.h"));
}

}  // namespace
}  // namespace assay
