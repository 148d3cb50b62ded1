// Tests that headers beside a file are put in its place, and that missing ones are named.
#include "harness/adapter/slice/local_headers.h"

#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class LocalHeaders : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  WholeSource whole(const std::string& text) const {
    return with_local_headers(text, (folder_ / "k.cu").string(), 1, {{folder_ / "include"}, {folder_ / "system"}});
  }
  std::string line(int number, const std::string& name) const {
    return "#line " + std::to_string(number) + " \"" + (folder_ / name).string() + "\"\n";
  }

  selftest::Scratch scratch_;
  fs::path folder_ = scratch_.path;
};

TEST_F(LocalHeaders, StandWhereTheyAreIncluded) {
  write("common.h", "int common;\n#include \"deep/more.h\"\nint last;\n");
  write("deep/more.h", "int more;\n");
  EXPECT_EQ(whole("int a;\n#include \"common.h\"  // ours\nint b;\n").text,
            line(1, "k.cu") + "int a;\n" + line(1, "common.h") + "int common;\n" + line(1, "deep/more.h") +
                "int more;\n" + line(3, "common.h") + "int last;\n" + line(3, "k.cu") + "int b;\n");
}

TEST_F(LocalHeaders, LoseTheirByteOrderMark) {
  write("marked.h", "\xEF\xBB\xBFint marked;\n");
  EXPECT_THAT(whole("#include \"marked.h\"\n").text, HasSubstr(line(1, "marked.h") + "int marked;\n"));
}

TEST_F(LocalHeaders, AreReadOnceWhereTheySaySo) {
  write("once.h", "#pragma once\nint once;\n");
  const std::string text = whole("#include \"once.h\"\n#include \"once.h\"\n").text;
  EXPECT_THAT(text, HasSubstr("#ifndef ASSAY_HEADER_0\n#define ASSAY_HEADER_0\n"));
  EXPECT_THAT(text, Not(HasSubstr("pragma")));
  EXPECT_THAT(text, HasSubstr(line(1, "once.h") + "\nint once;\n"));
}

TEST_F(LocalHeaders, StandOnceWhereTheyIncludeEachOtherCrosswise) {
  for (int i = 0; i < 24; ++i) {
    const std::string next = "#include \"h" + std::to_string(i + 1) + ".h\"\n";
    write("h" + std::to_string(i) + ".h", "#pragma once\n" + next + next + "int h" + std::to_string(i) + ";\n");
  }
  write("h24.h", "#pragma once\nint last;\n");
  const std::string text = whole("#include \"h0.h\"\n#include \"h7.h\"\n").text;
  EXPECT_EQ(text.find("int last;"), text.rfind("int last;"));
  EXPECT_THAT(text, HasSubstr("int h0;"));
}

TEST_F(LocalHeaders, StandAgainWhereTheyStoodInAnotherBranch) {
  write("once.h", "#pragma once\nint once;\n");
  const std::string include = "#include \"once.h\"\n";
  const auto times = [&](const std::string& before) {
    const std::string text = whole(before + include).text;
    size_t count = 0;
    for (size_t at = text.find("int once;"); at != std::string::npos; at = text.find("int once;", at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(times("#if A\n" + include + "#endif\n"), 2);
  EXPECT_EQ(times("#if A\n" + include + include + "#else\n" + include + "#endif\n"), 3);
  EXPECT_EQ(times(include + "#ifdef A\n" + include + "#endif\n"), 1);
  EXPECT_EQ(times("#endif\n"), 1) << "a compiler reports it";
}

TEST_F(LocalHeaders, AreGuardedByMacrosToo) {
  const auto times = [&](const std::string& begin) {
    write("once.h", begin + "int once;\n#endif\n");
    const std::string text = whole("#include \"once.h\"\n#include \"once.h\"\n").text;
    return text.find("int once;") == text.rfind("int once;") ? 1 : 2;
  };
  EXPECT_EQ(times("/* ours */\n\n#ifndef ONCE_H\n#define ONCE_H\n"), 1);
  EXPECT_EQ(times("#if !defined(ONCE_H)\n#  define ONCE_H 1\n"), 1);
  EXPECT_EQ(times("#ifndef ONCE_H\n#define OTHER\n"), 2);
  EXPECT_EQ(times("#ifdef ONCE_H\n#define ONCE_H\n"), 2);
  EXPECT_EQ(times("int before;\n#ifndef ONCE_H\n#define ONCE_H\n"), 2);
}

TEST_F(LocalHeaders, OfTheToolkitsOwnLibrariesAreTheToolkits) {
  write("toolkit/crt/host_defines.h", "");
  write("toolkit/cccl/cuda/std/tuple", "int tuple;\n");
  const WholeSource found = with_local_headers("#include <cuda/std/tuple>\n", (folder_ / "k.cu").string(), 1,
                                               {{folder_ / "toolkit/cccl"}, {}});
  EXPECT_THAT(found.text, Not(HasSubstr("int tuple;")));
  EXPECT_THAT(found.text, HasSubstr("#if defined(__CUDACC__) && __has_include(<cuda/std/tuple>)\n"));
}

TEST_F(LocalHeaders, ThatIncludeThemselvesEnd) {
  write("circle.h", "#include \"circle.h\"\n");
  EXPECT_THAT(whole("#include \"circle.h\"\n").text, HasSubstr("#if __has_include(\"circle.h\")"));
}

TEST_F(LocalHeaders, OthersAreIncludedWhereACompilerFindsThemAndElseNamed) {
  write("system/vector", "");
  write("toolkit/crt/host_defines.h", "");
  write("toolkit/cublas_v2.h", "");
  fs::create_symlink(folder_ / "toolkit/cublas_v2.h", folder_ / "system/cublas_v2.h");
  const WholeSource found = whole(
      "#include <vector>\n#include <cublas_v2.h>\n#include <torch/all.h>\n"
      "#include <torch/all.h>\n#include MACRO\n");
  EXPECT_THAT(found.left_out, ElementsAre("cublas_v2.h", "torch/all.h"));
  EXPECT_THAT(found.text, HasSubstr("#if __has_include(<vector>)\n#include <vector>\n#endif\n" + line(2, "k.cu")));
  EXPECT_THAT(found.text, HasSubstr("#if defined(__CUDACC__) && __has_include(<cublas_v2.h>)\n"));
  EXPECT_THAT(found.text, HasSubstr("#include MACRO\n"));
}

TEST_F(LocalHeaders, StayHeadersWhereAllThatTheyIncludeIsHere) {
  write("include/library.h", "#include <deep/more.h>\n#include <vector>\nint library;\n");
  write("include/deep/more.h",
        "#ifndef MORE_H\n#define MORE_H\n#include \"../library.h\"\n#ifdef _MSC_VER\n#include <intrin.h>\n#endif\n"
        "int more;\n#endif\n");
  write("bindings.h", "#ifndef B\n#define B\n#include \"library.h\"\n#include <torch/all.h>\nint bindings;\n#endif\n");
  write("common.h", "#include \"bindings.h\"\nint common;\n");
  write("system/vector", "");
  const auto incomplete = [&](const std::string& text) {
    return with_local_headers(text, (folder_ / "k.cu").string(), 1, {{folder_ / "include"}, {folder_ / "system"}},
                              Local::incomplete);
  };
  const std::string library = "#include \"" + (folder_ / "include/library.h").string() + "\"\n";
  const WholeSource kept = incomplete("#include <library.h>\n");
  EXPECT_THAT(kept.text, HasSubstr(library));
  EXPECT_TRUE(kept.includes_local);
  const WholeSource placed = incomplete("#include \"common.h\"\n");
  EXPECT_THAT(placed.text, testing::AllOf(HasSubstr("int common;"), HasSubstr("int bindings;"), HasSubstr(library),
                                          Not(HasSubstr("int library;"))));
  EXPECT_THAT(placed.left_out, ElementsAre("torch/all.h"));
  EXPECT_FALSE(whole("#include <library.h>\n").includes_local);
}

TEST_F(LocalHeaders, StandOnceWhereTheyAreOnlyRead) {
  write("common.h", "int common;\n");
  const std::string include = "#include \"common.h\"\n";
  const std::string text = with_local_headers("#if A\n" + include + "#else\n" + include + "#endif\n" + include,
                                              (folder_ / "k.cu").string(), 1, {}, Local::once)
                               .text;
  EXPECT_THAT(text, HasSubstr("int common;"));
  EXPECT_EQ(text.find("int common;"), text.rfind("int common;"));
}

TEST_F(LocalHeaders, LieInTheFoldersGivenToo) {
  write("include/lib/mine.h", "int mine;\n");
  EXPECT_THAT(whole("#include \"lib/mine.h\"\n").text, HasSubstr("int mine;"));
  EXPECT_THAT(whole("#include <lib/mine.h>\n").text, HasSubstr("int mine;"));
}

TEST_F(LocalHeaders, LieInAFolderOfAUsualNameNearTheFile) {
  write("include/utils.cuh", "int utils;\n");
  write(".git/HEAD", "");
  const std::string file = (folder_ / "kernels/softmax/k.cu").string();
  const WholeSource found = with_local_headers("#include \"utils.cuh\"\n", file, 1, {});
  EXPECT_THAT(found.text, HasSubstr("int utils;"));
  EXPECT_THAT(found.left_out, testing::IsEmpty());
  EXPECT_THAT(found.guessed, ElementsAre((folder_ / "include/utils.cuh").string()));
  const WholeSource outside =
      with_local_headers("#include \"utils.cuh\"\n", (folder_ / "a/b/c/d/k.cu").string(), 1, {});
  EXPECT_THAT(outside.left_out, ElementsAre("utils.cuh")) << "too far above";
  write("kernels/.git/HEAD", "");
  EXPECT_THAT(with_local_headers("#include \"utils.cuh\"\n", file, 1, {}).left_out, ElementsAre("utils.cuh"))
      << "above a repository";
}

}  // namespace
}  // namespace assay
