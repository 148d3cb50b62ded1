// The list of all test kernels, in the one module that the build makes of them (kernel_table.cmake).
#pragma once

#include <cstddef>
#include <ostream>

namespace assay::simt::test {

struct KernelTest {
  const char* name;
  const char* path;  // of the source; its first line is "// EXPECT: KIND: why"
  const char* (*run)();
};

const KernelTest* kernel_tests(size_t* count);

// How a test that has one for a parameter is called in lists.
inline void PrintTo(const KernelTest& test, std::ostream* out) { *out << test.name; }

}  // namespace assay::simt::test
