// The fixture of tests that judge variants of libraries without a GPU: fakes of the libraries, the simulated GPU.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "harness/base/optional_programs.h"

namespace assay {

class FakeLibraries : public testing::Test {
 protected:
  void SetUp() override {
    depends_on("nvcc");
    if (folder().empty())
      GTEST_SKIP() << "built without nvcc, the headers of cuBLAS and cuDNN, the executor, or reference/vendor in "
                      "ASSAY_GPU_KERNELS";
    setenv("ASSAY_GPU_MODULES", folder().c_str(), 1);
    setenv("ASSAY_CUDA_LIBRARIES", folder().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("ASSAY_GPU_MODULES");
    unsetenv("ASSAY_CUDA_LIBRARIES");
  }
  static std::string folder() { return ASSAY_FAKE_LIBRARIES; }  // "" without nvcc
};

}  // namespace assay
