// The command line of nvcc.
#include "harness/cxx/options.h"

#include <gmock/gmock.h>

namespace assay::cxx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CxxOptions, WhatAProgramsBuildUses) {
  const auto options = options_of({"-O2",
                                   "-arch=sm_90",
                                   "-gencode",
                                   "arch=compute_80,code=sm_80",
                                   "-std=c++17",
                                   "-Iinclude",
                                   "-I",
                                   "more",
                                   "-DA=1",
                                   "-Xcompiler",
                                   "-fPIC,-Wall -DB",
                                   "-lineinfo",
                                   "--expt-relaxed-constexpr",
                                   "-o",
                                   "out",
                                   "a.cu",
                                   "b.o",
                                   "-lm",
                                   "-lcudart",
                                   "-Llib",
                                   "-Xlinker=-s",
                                   "c.cpp",
                                   "-MD",
                                   "-MF",
                                   "a.d"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->stage, Stage::link);
  EXPECT_EQ(options->output, "out");
  EXPECT_EQ(options->standard, "-std=c++17");
  EXPECT_THAT(options->files, ElementsAre("a.cu", "c.cpp"));
  EXPECT_THAT(options->to_link, ElementsAre("a.cu", "b.o", "-lm", "c.cpp")) << "in their order, without CUDA's own";
  EXPECT_THAT(options->preprocess, ElementsAre("-I", "include", "-I", "more", "-D", "A=1", "-DB"));
  EXPECT_THAT(options->host, ElementsAre("-O2", "-fPIC", "-Wall"));
  EXPECT_THAT(options->linker, ElementsAre("-Llib", "-Xlinker", "-s"));
  EXPECT_THAT(options->dependencies, ElementsAre("-MD", "-MF", "a.d"));
  EXPECT_FALSE(options->relocatable);
}

TEST(CxxOptions, RelocatableDeviceCode) {
  EXPECT_TRUE(options_of({"-dc", "a.cu"})->relocatable);
  EXPECT_EQ(options_of({"-dc", "a.cu"})->stage, Stage::compile);
  EXPECT_TRUE(options_of({"-rdc=true", "-c", "a.cu"})->relocatable);
  EXPECT_FALSE(options_of({"--relocatable-device-code", "false", "-c", "a.cu"})->relocatable);
  EXPECT_EQ(options_of({"-dlink", "a.o"})->stage, Stage::device_link);
}

TEST(CxxOptions, AFileIsCudasByItsNameOrByX) {
  EXPECT_TRUE(is_cuda_file("a.cu", {}));
  EXPECT_FALSE(is_cuda_file("a.cpp", {}));
  EXPECT_TRUE(is_cuda_file("a.cpp", *options_of({"-x", "cu", "a.cpp"})));
  EXPECT_THAT(options_of({"-x", "cu", "a.hip"})->files, ElementsAre("a.hip"));
}

TEST(CxxOptions, MachineCodeIsNotMade) {
  EXPECT_THAT(options_of({"-ptx", "a.cu"}).error().line(),
              HasSubstr("-ptx: no machine code or PTX is made here; nvcc"));
  EXPECT_THAT(options_of({"a.cu", "-o"}).error().line(), HasSubstr("-o wants a value"));
}

}  // namespace
}  // namespace assay::cxx
