// How a kernel file of the checks' tests gets its buffers: bound to the checker of the run, by name.
//
// The first line of a file says what must be found (`// EXPECT: RACE: why`, or PASS). Lines `// SAYS: text` are parts
// of sentences that must be among the findings of the ascending schedule. `// UNCHECKED: crashes` says that the kernel
// ends the process where its check is switched off; `// CLANG: not seen` that clang hides it.
// Lines that end with `// HERE` are those that findings must name, and no others.
#pragma once

#include "harness/simt/checked/checker.h"
#include "harness/simt/runtime/executor.h"
#include "harness/simt/tests/kernel_test.h"

namespace assay::simt::test {

template <class T>
T* bound(const char* name, size_t count, Contents contents, const T* values) {
  return static_cast<T*>(current_checker()->bind({name, count * sizeof(T), sizeof(T), contents}, values));
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
