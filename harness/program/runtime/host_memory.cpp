// The program's variables are those of the executable, except where the kernel is part of it, as `assay c++` makes it.
#include "harness/program/runtime/host_memory.h"

#include <link.h>

#include <vector>

#include "harness/program/runtime/process.h"
#include "harness/program/runtime/stream_races.h"
#include "harness/simt/checked/outside_rule.h"
#include "harness/simt/runtime/host_answers.h"

namespace assay::program {
namespace {

using simt::checked::Outside;

struct Range {
  uintptr_t begin, bytes;
  bool holds(uintptr_t address) const { return address - begin < bytes; }
};

// Where the executable lies, which is the first object that is loaded.
bool in_executable(uintptr_t address) {
  static const std::vector<Range> ranges = [] {
    std::vector<Range> all;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
          for (size_t i = 0; i < info->dlpi_phnum; ++i)
            if (const auto& segment = info->dlpi_phdr[i]; segment.p_type == PT_LOAD)
              static_cast<std::vector<Range>*>(data)->push_back({info->dlpi_addr + segment.p_vaddr, segment.p_memsz});
          return 1;
        },
        &all);
    return all;
  }();
  for (const Range& range : ranges)
    if (range.holds(address)) return true;
  return false;
}

// The launch that runs; the lock is held meanwhile.
struct {
  uintptr_t frame = 0;  // above it are the frames of the program
  std::vector<Range> arguments;
} now;

Outside rule(uintptr_t address, uintptr_t pc, bool on_stack) {
  if (is_host_registered(address)) return Outside::allowed;
  if (!on_stack) return in_executable(address) && !in_executable(pc) ? Outside::host : Outside::unknown;
  for (const Range& argument : now.arguments)
    if (argument.holds(address)) return Outside::unknown;
  return address >= now.frame ? Outside::host : Outside::unknown;
}

}  // namespace

HostMemory::HostMemory(const simt::ProgramKernel& kernel, const simt::Launch& shape, void** arguments,
                       const void* frame) {
  now.frame = reinterpret_cast<uintptr_t>(frame);
  now.arguments = {{reinterpret_cast<uintptr_t>(&shape), sizeof shape}};
  for (size_t i = 0; i < kernel.parameters; ++i)
    now.arguments.push_back({reinterpret_cast<uintptr_t>(arguments[i]), kernel.sizes[i]});
  simt::checked::outside_rule = rule;
  simt::host_may_answer = GpuProcess::get().shares_memory;
}
HostMemory::~HostMemory() {
  simt::checked::outside_rule = nullptr;
  simt::host_may_answer = false;
}

}  // namespace assay::program
