// The header that a test kernel's file includes: the function that launches and checks it, and buffers for it.
//
// A file is one test, named after the file; a new test is one new file. Its first comment says:
//   // EXPECT: KIND: why    what must be found (RACE, BARRIER, …), or PASS
//   // RUNS IN: …           fast, checked, or "fast and checked"; without it, checked (fast below executor/)
//   // DETECTOR: name       the detector, off by default, that finds it, or hints at it where the kind is HINT
//   // SAYS: text           part of a sentence that the checked build must report under the ascending schedule
//   // UNCHECKED: crashes   the kernel ends the process where its check is off
//   // CLANG: not seen      clang hides the access from the checked build
// and `// HERE` ends the lines that the checked build must name; it may name no others.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "harness/simt/checked/checker.h"
#include "harness/simt/include/simt/launch.h"
#include "harness/simt/runtime/executor.h"

// Defines the test; its body returns "" or what is wrong with the result.
#define ASSAY_KERNEL_TEST(name) static const char* assay_kernel_test_##name()

namespace assay::simt::test {

// Buffers of the fast build live until the next test runs.
inline std::vector<std::vector<char>>& host_buffers() {
  static std::vector<std::vector<char>> buffers;
  return buffers;
}

template <class T>
constexpr Elements elements_of() {
  if (std::is_integral_v<T>) return Elements::integers;
  return std::is_floating_point_v<T> || sizeof(T) == 2 ? Elements::floats : Elements::unknown;
}

template <class T>
T* bound(const char* name, size_t count, Contents contents, const T* values, size_t first = 0) {
  const size_t bytes = count * sizeof(T), offset = first * sizeof(T);
  if (Checker* const checker = current_checker())
    return static_cast<T*>(checker->bind({name, bytes, sizeof(T), contents, offset, elements_of<T>()}, values));
  std::vector<char>& buffer = host_buffers().emplace_back(offset + bytes);
  if (values != nullptr) std::memcpy(buffer.data() + offset, values, bytes);
  return reinterpret_cast<T*>(buffer.data() + offset);
}

template <class T>
const T* input(const char* name, size_t count) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<T>(static_cast<int>(i * 7 % 31));
  return bound<T>(name, count, Contents::input, values.data());
}

template <class T>
T* output(const char* name, size_t count) {
  return bound<T>(name, count, Contents::fresh, nullptr);
}

// Begins `first` elements after an aligned address.
template <class T>
T* output_slice(const char* name, size_t first, size_t count) {
  return bound<T>(name, count, Contents::fresh, nullptr, first);
}

template <class T>
T* accumulated(const char* name, size_t count) {
  const std::vector<T> zeros(count, T{});
  return bound<T>(name, count, Contents::initialised, zeros.data());
}

}  // namespace assay::simt::test

using assay::simt::launch_kernel;
using assay::simt::test::accumulated;
using assay::simt::test::input;
using assay::simt::test::output;
using assay::simt::test::output_slice;
