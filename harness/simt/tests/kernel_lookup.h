// How test programs find kernels in the table, and name their tests after them.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "harness/simt/tests/kernel_table.h"

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

// The word after "// EXPECT: ".
inline std::string expected_kind(const KernelTest& test) {
  std::ifstream file(test.path);
  std::string line;
  std::getline(file, line);
  const std::string marker = "// EXPECT: ";
  EXPECT_EQ(line.rfind(marker, 0), 0u) << test.path << ": the first line says what to expect";
  return line.substr(marker.size(), line.find(':', marker.size()) - marker.size());
}

struct PrintName {
  template <class Info>
  std::string operator()(const Info& which) const {
    return which.param.name;
  }
};

}  // namespace assay::simt::test
