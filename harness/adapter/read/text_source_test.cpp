// CUDA text inside files of other languages.
#include "harness/adapter/read/text_source.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char* kKernel = "\nextern \"C\" __global__ void scale(float* y) { y[0] = 1; }\n";

TEST(TextSource, AFileOfCudaIsItsOwnText) {
  const auto text = cuda_text("a/b.cu", kKernel, "");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, kKernel);
  EXPECT_EQ(text->first_line, 1);
}

TEST(TextSource, ReadsTheStringsOfOtherLanguages) {
  const std::string kernel = kKernel;
  const std::vector<std::pair<std::string, std::string>> files = {
      {"lib.rs", "// kernels\nconst SRC: &str = r#\"" + kernel + "\"#;\nfn main() {}\n"},
      {"lib.rs",
       "// kernels\nconst SRC: &str = r\"" + kernel.substr(0, 1) + "__global__ void scale(float* y) {}\n\";\n"},
      {"ops.rb", "module Ops\n  SOURCE = <<~CUDA" + kernel + "  CUDA\nend\n"},
      {"ops.rb", "module Ops\n  SOURCE = <<-'CUDA'.freeze" + kernel + "  CUDA\nend\n"},
      {"ops.py", "import x\nsource = r\"\"\"" + kernel + "\"\"\"\nrun(source)\n"},
      {"ops.py", "import x\nsource = '''" + kernel + "'''\n"},
      {"ops.hpp.in", "#pragma once\nconst char* source = R\"cuda(" + kernel + ")cuda\";\n"},
  };
  for (const auto& [path, file] : files) {
    const auto text = cuda_text(path, file, "");
    ASSERT_TRUE(text) << path << ": " << text.error().line();
    EXPECT_THAT(text->text, HasSubstr("__global__ void scale(float* y)")) << path;
    // The kernel is in the file's third line, wherever the text begins.
    const auto before = text->text.substr(0, text->text.find("__global__"));
    EXPECT_EQ(text->first_line + std::count(before.begin(), before.end(), '\n'), 3) << path << "\n" << text->text;
  }
}

TEST(TextSource, AnEntryChoosesAmongSeveral) {
  const std::string file = std::string("A = \"\"\"") + kKernel +
                           "\"\"\"\nB = \"\"\"__global__ void other(float* y) {}\"\"\"\n" +
                           "C = \"\"\"no kernel: other\"\"\"\n";
  const auto all = cuda_text("k.py", file, "");
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().what, HasSubstr("2 strings hold __global__, at lines 1, 4"));
  const auto other = cuda_text("k.py", file, "void other");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->text, "__global__ void other(float* y) {}");
  EXPECT_EQ(other->first_line, 4);
  EXPECT_THAT(cuda_text("k.py", file, "third").error().what, HasSubstr("no string in it holds __global__ and 'third'"));
}

TEST(TextSource, EscapesAreThoseOfTheLanguage) {
  const auto text_of = [](const std::string& path, const std::string& file) {
    const auto text = cuda_text(path, file, "");
    return text ? text->text : text.error().line();
  };
  const std::string twice = R"(printf("\\n"); __global__)", once = R"(printf("\n"); __global__)";
  EXPECT_EQ(text_of("k.py", "x = \"\"\"" + twice + "\"\"\""), once);
  EXPECT_EQ(text_of("k.py", "x = r\"\"\"" + twice + "\"\"\""), twice);
  EXPECT_EQ(text_of("k.rb", "X = <<~CUDA\n" + twice + "\nCUDA\n"), once);
  EXPECT_EQ(text_of("k.rb", "X = <<~'CUDA'\n" + twice + "\nCUDA\n"), twice);
}

TEST(TextSource, AStringThatIsPutTogetherLaterIsRefused) {
  for (const auto& [path, file] : {std::pair{"k.py", "\nx = f'''__global__ {name}'''"},
                                   std::pair{"k.rb", "\nX = <<~CUDA\n__global__ #{N}\nCUDA\n"}}) {
    const auto text = cuda_text(path, file, "");
    ASSERT_FALSE(text) << path;
    EXPECT_THAT(text.error().what, HasSubstr("parts of this string are put in when the program runs"));
  }
  EXPECT_TRUE(cuda_text("k.rb", "X = <<~'CUDA'\n__global__ #{N}\nCUDA\n", ""));
}

TEST(TextSource, WhatDoesNotEndIsNoString) {
  for (const char* file :
       {"x = \"\"\"__global__ void k() {}", "x = r#\"__global__ void k() {}\"", "x = <<A\n__global__"})
    EXPECT_FALSE(cuda_text("k.any", file, "")) << file;
}

// std::regex, which read these once, needs stack for each character and ends the process.
TEST(TextSource, LongLinesAreReadToo) {
  const std::string longest(300'000, 'a');
  const std::string kernel = kKernel;
  const auto of_ruby = cuda_text("k.rb", "X = <<CUDA + " + longest + kernel + "CUDA\n", "");
  ASSERT_TRUE(of_ruby) << of_ruby.error().line();
  EXPECT_EQ("\n" + of_ruby->text + "\n", kernel);
  const std::string hashes(300'000, '#');
  const auto of_rust = cuda_text("k.rs", "r" + hashes + "\"" + kernel + "\"" + hashes, "");
  ASSERT_TRUE(of_rust) << of_rust.error().line();
  EXPECT_EQ(of_rust->text, kernel);
  EXPECT_FALSE(cuda_text("k.rb", "X = <<" + longest, ""));
  const auto blanks = cuda_text("k.rb", "X = <<CUDA" + kernel + std::string(300'000, ' ') + "CUDA\n", "");
  EXPECT_TRUE(blanks) << blanks.error().line();
}

}  // namespace
}  // namespace assay
