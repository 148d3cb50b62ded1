// How test programs find kernels in the table, and name their tests after them.
#pragma once

#include <string>
#include <vector>

#include "harness/device/cpu/tests/kernel_table.h"

namespace assay::simt::test {

inline std::vector<KernelTest> tests_in(const std::string& folder) {
  size_t count = 0;
  const KernelTest* const all = kernel_tests(&count);
  std::vector<KernelTest> found;
  for (size_t i = 0; i < count; ++i)
    if (std::string(all[i].path).find("/" + folder + "/") != std::string::npos) found.push_back(all[i]);
  return found;
}

inline const KernelTest& test_named(const std::string& name) {
  size_t count = 0;
  const KernelTest* test = kernel_tests(&count);
  while (test->name != name) ++test;
  return *test;
}

struct PrintName {
  template <class Info>
  std::string operator()(const Info& which) const {
    return which.param.name;
  }
};

}  // namespace assay::simt::test
