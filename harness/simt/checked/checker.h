// The face of the checked build to the harness: which detectors, which buffers, what was found.
//
// A kernel module that was compiled CHECKED (kernel_module.cmake) reports every access of its kernels. Buffers live in
// the checker's own memory, far apart, so the caller binds each one, launches with Options::checker set, and copies the
// results out of the addresses it was given. Without a checker such a module runs unchecked. Memory outside all buffers
// (globals of the module, and anything else while no buffer is bound) is checked for races only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/simt/checked/footprint.h"
#include "harness/simt/runtime/finding.h"

namespace assay::simt {

// A detector (checked/detectors/), and the kind of finding that it makes; none: it gives hints, or counts.
struct Detector {
  std::string name;
  Kind finds = Kind::none;
  bool by_default = true;  // false: it listens only where it is asked for
};

// Which detectors listen, by name: those that do so by default, less `off`, and `on` as well.
struct Checks {
  std::vector<std::string> off = {}, on = {};
};

// The contents that a kernel may expect of a buffer before it runs.
enum class Contents : uint8_t {
  input,        // has values and is only read; writes are the judge's business
  initialised,  // has values, is read and written
  fresh,        // must be written before it is read
  gaps,         // an input of which only some has values: what the caller says was written by host_wrote()
};

// The type of a buffer's elements. 0 and -0, or two NaNs, that lanes store to one address are equal if they are
// floats.
enum class Elements : uint8_t { unknown, integers, floats };

struct Buffer {
  std::string name;  // as a finding names it
  size_t bytes = 0;
  size_t element_bytes = 1;  // 0: nobody knows, and findings count bytes
  Contents contents = Contents::fresh;
  size_t offset =
      0;  // bytes by which it begins after an aligned address: fewer than 4096, and whole elements of 2 bytes or more
  Elements elements = Elements::unknown;
};

namespace checked {
class Monitor;
}

#pragma GCC visibility push(default)
std::vector<Detector> detectors();  // all that there are, by name

class Checker {
 public:
  explicit Checker(const Checks& checks = {});
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // Makes sure, while nothing is bound, that so many buffers of so many bytes together have room. False: the process
  // may not have the addresses (ulimit -v): five times as many as bytes, 640 MB at least, and 40 GB where they are to
  // be had, so that accesses are known that stray far. Without it there is room for a few GB.
  bool reserve(size_t buffers, size_t buffer_bytes);

  // Device memory for `buffer`, holding a copy of `values` (nullptr: bytes that make a NaN in every float type). Valid
  // until release_buffers(). It is aligned to 4096 bytes, except for its offset.
  void* bind(const Buffer& buffer, const void* values);
  void release_buffers();

  // Host code has written there between launches, as cudaMemset does. Stores of a checked module's own host code and
  // memory outside all buffers need no mention.
  void host_wrote(const void* begin, size_t bytes);

  // From now on the bytes that a launch accesses are known at its end: those of bound buffers, and of anything outside
  // of them that is looked at.
  void want_footprints();
  // The footprint of the last launch, once; empty where it was not checked.
  Footprint take_footprint();

  // Remarks of detectors that fail nothing, from all launches since the last call.
  std::vector<std::string> take_hints();

  checked::Monitor& monitor() { return *monitor_; }  // for the executor

 private:
  checked::Monitor* const monitor_;  // no <memory>: test kernels include this, after __noinline__ became a macro
};
#pragma GCC visibility pop

}  // namespace assay::simt
