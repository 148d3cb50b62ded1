// What a compile_commands.json says of a file, as CMake writes it for nvcc with Ninja and with Makefiles.
#include "harness/adapter/compile_commands.h"

#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/header_packages.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

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

TEST_F(CompileCommands, WhatIsNotThereIsSaid) {
  EXPECT_THAT(of("k.cu").error().line(), HasSubstr("CMAKE_EXPORT_COMPILE_COMMANDS"));
  has(R"("command": "nvcc k.cu")");
  EXPECT_THAT(of("j.cu").error().line(), HasSubstr("has no command for " + path("j.cu")));
  for (const char* text : {"{", "[1]", R"([{"file": 3}])", R"([{"file": ")"}) {
    write("compile_commands.json", text);
    EXPECT_THAT(of("k.cu").error().line(), HasSubstr("is no list of compile commands")) << text;
  }
}

TEST(HeaderPackages, HeadersNameWhatBringsThem) {
  EXPECT_THAT(with_packages({"torch/extension.h", "mpi.h", "mine.h"}),
              ElementsAre(HasSubstr("pip install torch"), HasSubstr("libopenmpi-dev"), "mine.h"));
}

}  // namespace
}  // namespace assay
