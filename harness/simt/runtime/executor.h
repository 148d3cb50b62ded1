// The executor's face to the harness: options in, findings out.
//
// A launch runs its blocks one after another; the threads of a block are fibers (include/simt/fiber.h). One launch runs
// at a time in a process: others, from whatever OS thread, wait for it. An error of a kernel is a Finding in the
// current Context, never an exception or an exit. After a finding the launch's remaining blocks are dropped, its
// suspended threads are abandoned without unwinding, and later launches in the same context are skipped: their input
// would be wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/simt/include/simt/launch.h"
#include "harness/simt/include/simt/limits.h"
#include "harness/simt/runtime/finding.h"

namespace assay {
struct AccessStatistics;
}

#pragma GCC visibility push(default)
namespace assay::simt {

class Checker;

// Chooses which blocks of a launch run, where not all do.
class BlockSample {
 public:
  BlockSample() = default;
  virtual ~BlockSample() = default;
  BlockSample(const BlockSample&) = delete;
  BlockSample& operator=(const BlockSample&) = delete;

  // The number of the next block (x first, then y, then z), asked when the one before has ended; nothing: the launch
  // ends here.
  virtual std::optional<uint64_t> next(const Launch& shape) = 0;
  // A launch that no GPU would take is a finding, as ever; nothing of it runs.
  virtual void refused(const Launch& /*shape*/) {}
};

struct Options {
  // 0: blocks, warps and lanes in ascending order. Any other value seeds a permutation of the blocks, and one of warps
  // and lanes that is renewed at every barrier. The same value always gives the same order.
  uint64_t schedule = 0;
  // Seeds the errors of functions that a GPU approximates (include/simt/fast_math.h); 0: the host's functions.
  uint64_t approximation = 0;
  // Where to say which line, block and thread made the first NaN or infinity (nonfinite.h); nullptr: nobody asks.
  // Once there is an answer the rest goes unwatched.
  std::string* first_nonfinite = nullptr;
  // Checks every access of kernels from modules that are compiled for it (checked/checker.h).
  Checker* checker = nullptr;
  // Runs split kernels with checks inside, in the checker's memory, instead of looking at every access: a launch of
  // which they do not prove that nothing is wrong ends with a finding that does not say what is (sieve/sieve.h).
  bool sieve = false;
  // Where to add up what kernels do to memory (harness/simt/checked/access_statistics.h); nullptr: nobody asks.
  // Counting needs a checker and changes nothing of what it finds.
  AccessStatistics* statistics = nullptr;
  BlockSample* sample = nullptr;  // chooses the blocks of each launch; nullptr: all of them run
};

// The place where launches take their options from and leave their findings.
struct Context {
  Options options;
  Findings findings;
};

// Makes `context` the current one until the end of the scope. Launches outside any scope run with default options, and
// a finding there is a programmer's error: it stops the program.
class ContextScope {
 public:
  explicit ContextScope(Context& context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  Context* previous_;
};

// nullptr outside any scope.
Context* active_context();

// The checker of the current context; nullptr without one.
Checker* current_checker();

// Address space for the stacks of the largest block: 260 MiB, used as threads need it. False: the process has not so
// much (ulimit -v), and launches would fail.
bool reserve_stacks();

// Frees the device memory that host code allocated in this context (device_memory.h).
void end_device_memory(Context& context);

// One launch without a context.
Findings launch(const Launch& shape, const Kernel& kernel, const Options& options);

}  // namespace assay::simt
#pragma GCC visibility pop
