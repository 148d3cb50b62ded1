// A file with kernels in a folder of its own, read by Clang.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "harness/adapter/build/build.h"
#include "harness/adapter/read/read_by_clang.h"
#include "harness/selftest/run_program.h"

namespace assay {

class ReadByClang : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_reader()) GTEST_SKIP() << "no assay_read: scripts/setup installs what it is built with";
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.path + "/" + name) << text;
  }

  // `named`: what an adapter would name.
  CudaSource read(const std::string& text, const std::string& kernel = "",
                  const std::set<std::string>& named = {}) const {
    write("k.cu", text);
    const auto source = read_by_clang({text, 1}, scratch_.path + "/k.cu", {}, kernel, named);
    EXPECT_TRUE(source) << source.error().line();
    return source.value_or(CudaSource());
  }

  static const KernelSource& kernel(const CudaSource& source, const std::string& name) {
    for (const KernelSource& each : source.kernels)
      if (each.name == name) return each;
    ADD_FAILURE() << "no kernel " << name;
    static const KernelSource kNone;
    return kNone;
  }

  selftest::Scratch scratch_;
};

}  // namespace assay
