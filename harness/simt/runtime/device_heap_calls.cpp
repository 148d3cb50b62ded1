// Functions that kernel modules call in place of malloc, free, new and delete.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/device_heap.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

// The thread of a kernel that runs here; false: host code does.
bool find_caller(const void* pc, HeapBlock::Party& by) {
  const Worker* const worker = this_worker_if_any();
  if (worker == nullptr || worker->launch == nullptr) return false;
  const int stack = worker->stacks.holding(__builtin_frame_address(0));
  if (stack < 0) return false;
  by = {pc, block.block_idx, worker->stacks.label(stack)};
  return true;
}

checked::Monitor* monitor() { return this_worker().launch->checker; }

// The heap's region in the fast build; kept for the life of the process.
uintptr_t plain_region() {
  static void* const memory =
      mmap(nullptr, DeviceHeap::kRegion, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  SIMT_CHECK(memory != MAP_FAILED, "no addresses for the device's heap");
  return reinterpret_cast<uintptr_t>(memory);
}

void* allocate(size_t bytes, const HeapBlock::Party& by) {
  checked::Monitor* const checker = monitor();
  uintptr_t region = device_heap().region();
  if (region == 0) region = checker != nullptr ? checker->arena.place_heap() : plain_region();
  HeapBlock* const block = device_heap().allocate(bytes, by, region);
  if (block == nullptr) return nullptr;
  if (checker != nullptr) checker->arena.open_heap_block(*block);
  return reinterpret_cast<void*>(block->address);
}

void release(void* memory, const HeapBlock::Party& by) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  HeapBlock* const block = device_heap().at(address);
  checked::Monitor* const checker = monitor();
  if (block == nullptr || block->is_freed()) {
    if (checker != nullptr) return checker->bad_free(address, block, by);
    stop_launch(Kind::out_of_bounds, block == nullptr ? "frees what malloc has not returned in a kernel"
                                                      : "frees what has been freed by " + words(block->freed));
  }
  if (checker != nullptr) checker->heap_block_freed(*block, by);
  device_heap().free(*block, by);
}

}  // namespace
}  // namespace assay::simt

using assay::simt::HeapBlock;

#define ASSAY_HEAP_CALL extern "C" __attribute__((visibility("default")))

ASSAY_HEAP_CALL void* assay_simt_malloc(size_t bytes) {
  HeapBlock::Party by;
  return assay::simt::find_caller(__builtin_return_address(0), by) ? assay::simt::allocate(bytes, by)
                                                                   : std::malloc(bytes);
}

// g++ calls this for a malloc whose memory is cleared at once.
ASSAY_HEAP_CALL void* assay_simt_calloc(size_t count, size_t bytes) {
  HeapBlock::Party by;
  if (!assay::simt::find_caller(__builtin_return_address(0), by)) return std::calloc(count, bytes);
  void* const memory = assay::simt::allocate(count * bytes, by);
  if (memory == nullptr) return memory;
  if (assay::simt::checked::Monitor* const checker = assay::simt::monitor())
    checker->arena.host_wrote(reinterpret_cast<uintptr_t>(memory), count * bytes);
  return std::memset(memory, 0, count * bytes);
}

ASSAY_HEAP_CALL void* assay_simt_new(size_t bytes) {
  HeapBlock::Party by;
  return assay::simt::find_caller(__builtin_return_address(0), by) ? assay::simt::allocate(bytes, by)
                                                                   : ::operator new(bytes);
}

ASSAY_HEAP_CALL void assay_simt_free(void* memory) {
  HeapBlock::Party by;
  if (memory == nullptr) return;
  if (assay::simt::find_caller(__builtin_return_address(0), by)) return assay::simt::release(memory, by);
  std::free(memory);
}

ASSAY_HEAP_CALL void assay_simt_delete(void* memory) {
  HeapBlock::Party by;
  if (memory == nullptr) return;
  if (assay::simt::find_caller(__builtin_return_address(0), by)) return assay::simt::release(memory, by);
  ::operator delete(memory);
}
