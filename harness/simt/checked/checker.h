// The face of the checked build to the harness: which checks, which buffers, what was found.
//
// A kernel module that was compiled CHECKED (kernel_module.cmake) reports every access of its kernels. Buffers live in
// the checker's own memory, far apart, so the caller binds each one, launches with Options::checker set, and copies the
// results out of the addresses it was given. Without a checker such a module runs unchecked. Memory outside all buffers
// (globals of the module, and anything else while no buffer is bound) is checked for races only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/simt/runtime/finding.h"

namespace assay::simt {

// Each check can be left out, so that a test can see that its planted bug depends on it.
struct Checks {
  bool races = true;
  bool bounds = true;
  bool uninitialised = true;
  bool misaligned = true;
};

// What a kernel may expect of a buffer before it runs.
enum class Contents : uint8_t {
  input,        // has values and is only read; writes are the judge's business
  initialised,  // has values, is read and written
  fresh,        // must be written before it is read
};

struct Buffer {
  std::string name;  // as a finding names it
  size_t bytes = 0;
  size_t element_bytes = 1;
  Contents contents = Contents::fresh;
};

namespace checked {
class Detector;
}

#pragma GCC visibility push(default)
class Checker {
 public:
  explicit Checker(const Checks& checks = {});
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // Device memory for `buffer`, holding a copy of `values` (nullptr: bytes that make a NaN in every float type). Valid
  // until release_buffers(). Aligned to 4096 bytes.
  void* bind(const Buffer& buffer, const void* values);
  void release_buffers();

  checked::Detector& detector() { return *detector_; }  // for the executor

 private:
  checked::Detector* const detector_;  // no <memory>: test kernels include this, after __noinline__ became a macro
};
#pragma GCC visibility pop

}  // namespace assay::simt
