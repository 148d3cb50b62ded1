// The GPU that a program sees: one for each process, made at its first call.
//
// Every call of the runtime holds its lock, and is done when it returns: streams and events order what is ordered
// anyway. What the executor finds is logged after the call that caused it, and the program goes on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/program/repeated_launches.h"
#include "harness/program/runtime/abi.h"
#include "harness/program/runtime/findings_log.h"
#include "harness/program/runtime/host_watch.h"
#include "harness/simt/checked/access_statistics.h"
#include "harness/simt/checked/checker.h"
#include "harness/simt/include/simt/program_table.h"
#include "harness/simt/runtime/executor.h"

namespace assay::program {

inline constexpr size_t kDeviceBytes = size_t{16} << 30;

enum class Memory : uint8_t { device, host, managed };

struct Allocation {
  size_t bytes = 0;
  Memory memory = Memory::device;
  std::string call;  // that made it, with its place in the program
};

// " at FILE:LINE", the line of the program that called the runtime; "" where its host code has no line tables (-g).
// A launch comes by a stub that has the kernel's own line, which is passed over.
enum class Called : uint8_t { directly, by_stub };
std::string calling_line(Called called = Called::directly);
// Where a call comes from, to be asked for its line later, which takes longer.
struct CallSite {
  std::array<void*, 24> frames = {};
  int count = 0;
};
CallSite call_site();
std::string line_of(const CallSite& site, Called called);

// The launches of one kernel so far.
struct KernelLaunches {
  uint64_t count = 0, left_out = 0;
  double seconds = 0;  // that those which ran took here
};

// Bytes that graphs have allocated: what is in use, and what the device keeps for them until it is trimmed.
struct GraphMemory {
  size_t used = 0, kept = 0, kept_high = 0;
};

class GpuProcess {
 public:
  // That of this process.
  static GpuProcess& get();
  static bool is_used() { return is_used_; }

  ProcessLock& lock() { return lock_; }
  bool is_checked() const { return checker() != nullptr; }
  // Null: nothing is checked.
  simt::Checker* checker() const { return context().options.checker; }
  FindingsLog& log() { return log_; }

  // Whether the next launch is checked: its number and the kernel's name, as PTX has it, are those that are asked for.
  bool is_wanted(const std::string& kernel) const;
  // Runs a kernel, unless it would change nothing (repeated_launches.h). What an unchecked one writes counts as
  // written. False: the executor refused the launch, as a GPU would.
  bool run(const simt::ProgramKernel& kernel, const simt::Launch& shape, void** arguments, bool is_checked);
  // Does the work of a library unless it would change nothing. `key`: the call with all that it is given.
  void run_library(const std::string& key, const std::function<void()>& work);
  // Footprints of checked launches are known from now on.
  void want_footprints();
  // That of the last launch, or of the one that it would have repeated; empty where it was not checked.
  const simt::Footprint& footprint() const { return footprint_; }
  bool has_findings() const { return &context() == &context_ && !context_.findings.empty(); }
  // The worst that the executor has found since the last call of the next.
  simt::Kind worst_finding() const { return simt::worst(context().findings); }
  // Logs what the executor has found since the last call, `where` it was.
  void log_findings(const std::string& where);
  // Logs a mistake of host code.
  void found(simt::Kind kind, const std::string& what, const std::string& where);

  // `alignment`: a power of two, which the address is a multiple of, as of 4096 in any case.
  void* allocate(size_t bytes, Memory memory, const std::string& call, size_t alignment = 1);
  // An address for memory of a graph, which is not there yet; null: more than the device has.
  void* reserve(size_t bytes, const std::string& call, size_t alignment = 1);
  // The memory at a reserved address is there now, without contents, until it is freed. False: it is already, or none
  // is reserved there.
  bool open_reserved(void* memory);
  // Likewise for a range of addresses that the program maps itself: memory is there until it is freed.
  void* reserve_range(size_t bytes, const std::string& call, size_t alignment);
  void open_range(void* memory);
  bool is_reserved(const void* memory) const { return reserved_.contains(reinterpret_cast<uintptr_t>(memory)); }
  GraphMemory& graph_memory() { return graph_memory_; }
  // False: nothing was allocated there.
  bool free(void* memory, const std::string& call);
  // The allocation that has the address; null: it is the host's own memory, or a variable of a module.
  const Allocation* allocation_of(const void* address) const;
  // The same with the address at which it begins.
  std::optional<std::pair<uintptr_t, const Allocation*>> place_of(const void* address) const;
  // Calls `body` with the address and the bytes of each that the host accesses, too.
  template <class Body>
  void for_each_shared(Body body) const {
    for (const auto& [begin, allocation] : allocations_)
      if (allocation.memory != Memory::device) body(begin, allocation.bytes);
  }
  size_t allocated_bytes() const { return allocated_bytes_; }
  // Memory that somebody else has allocated counts as the device's until it is taken back (guest_library.h).
  void lend(void* memory, size_t bytes, const std::string& name) {
    allocations_[reinterpret_cast<uintptr_t>(memory)] = {bytes, Memory::device, name};
  }
  void take_back(void* memory) { allocations_.erase(reinterpret_cast<uintptr_t>(memory)); }
  // Knows of no allocation any more; how many there were.
  size_t forget_allocations();
  void failed(const char* name, cudaError_t error);  // a call of which there is no finding
  void log_end();                                    // leaks, launches, and those that were left out

  bool shares_memory = false;               // has had memory that the host and kernels see
  cudaError_t last_error = cudaSuccess;     // of any thread
  std::string unread_error;                 // the first call that failed since the program asked for the last error
  cudaError_t lasting_error = cudaSuccess;  // which every call gives from now on
  uint64_t launches = 0;                    // so far
  bool runtime_has_begun = false;           // it makes the device's own context current

 private:
  inline static bool is_used_ = false;
  GpuProcess();
  void run_now(const simt::ProgramKernel& kernel, const simt::Launch& shape, void** arguments, bool is_checked);
  uint64_t state() const;
  // The executor's context: of the process, or of the case that a guest works for.
  const simt::Context& context() const;
  simt::Context& context() { return const_cast<simt::Context&>(std::as_const(*this).context()); }

  RepeatedLaunches repeated_;
  bool wants_footprints_ = false;
  simt::Footprint footprint_;
  std::map<std::string, simt::Footprint> settled_footprints_;  // of launches that are left out from now on
  ProcessLock lock_;
  FindingsLog log_;
  simt::Checker* checker_ = nullptr;  // never destroyed: kernels may run while the program exits
  simt::Context context_;
  std::optional<simt::ContextScope> scope_;
  std::map<uintptr_t, Allocation> allocations_;
  std::map<uintptr_t, Allocation> reserved_;  // by graphs, whether it is there now or not
  std::set<uintptr_t> ranges_;                // of these, what the program maps itself
  GraphMemory graph_memory_;
  std::map<std::string, KernelLaunches> launched_;  // by the kernel's name, as PTX has it
  AccessStatistics statistics_;
  size_t allocated_bytes_ = 0;
  uint64_t allocations_made_ = 0;
};

// Runs a call of the runtime under the lock, remembers its error, and logs what was found. `name`: the function's.
template <class Body>
cudaError_t call(const char* name, Body body) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  process.runtime_has_begun = process.runtime_has_begun || std::string_view(name).starts_with("cuda");
  const cudaError_t error = process.lasting_error != cudaSuccess ? process.lasting_error : body(process);
  const bool is_found = process.has_findings();
  if (is_found) process.log_findings(name + calling_line());
  if (error != cudaSuccess && error != cudaErrorNotReady) {
    process.last_error = error;
    if (!is_found) process.failed(name, error);
  }
  return error;
}

}  // namespace assay::program
