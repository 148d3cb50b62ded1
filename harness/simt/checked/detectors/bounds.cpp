// Finds accesses out of bounds: outside the array or buffer that they begin in or lie next to, an index outside an
// array of constant size, an address that belongs to nothing, the wrong kind of memory for an instruction, and constant
// memory that is written.
#include <fmt/format.h>
#include <sys/mman.h>

#include <string>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/outside_rule.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt::checked {
namespace {

bool is_mapped(uintptr_t address) {
  unsigned char ignored = 0;
  return mincore(reinterpret_cast<void*>(address & ~(kPageBytes - 1)), 1, &ignored) == 0;
}

class Bounds : public Listener {
 public:
  using Listener::Listener;

  void stray(const Now& now, const Nearest& nearest) override {
    monitor.report(Kind::out_of_bounds, now, [&] { return words(now, nearest); });
  }

  // Whatever is here, it is not the device's: the access itself may end the process.
  void wild(const Now& now) override {
    stop_launch(Kind::out_of_bounds,
                fmt::format("{} of {} bytes at {}, which is {}", now.access == Access::read ? "read" : "write",
                            now.bytes, source_line(now.pc),
                            outside_rule != nullptr && is_mapped(now.address)
                                ? "memory of the host; cudaMalloc and a copy, cudaMallocManaged or cudaHostRegister "
                                  "makes memory that a kernel may access"
                                : "in no buffer; a wild index or a null pointer"));
  }

  void wrong_space(const Now& now, bool wants_shared, const char* instruction) override {
    monitor.report(
        Kind::out_of_bounds, now,
        fmt::format("but {} takes an address of {} memory here", instruction, wants_shared ? "shared" : "global"));
  }

  void constant_written(const Now& now) override {
    monitor.report(
        Kind::out_of_bounds, now,
        "which is __constant__ memory: host code alone may write it; a __device__ variable may be written here");
  }

  void freed_wrongly(const Now& now, const HeapBlock* block) override {
    if (!monitor.log().is_new(Kind::out_of_bounds, now.pc, nullptr)) return;
    Report r{.kind = Kind::out_of_bounds, .me = {}, .earlier = {}, .place = monitor.place(now), .what = {}};
    r.me = {.pc = now.pc, .act = "free", .block = monitor.time().block_number(), .thread = now.me};
    r.what = block == nullptr ? "but a kernel's malloc or new has not returned this address"
                              : "but it has been freed by " + simt::words(block->freed);
    monitor.log().add(std::move(r));
  }

  void index_outside(const void* pc, uint32_t thread, const char* type, uint64_t index) override {
    if (!monitor.log().is_new(Kind::out_of_bounds, pc, nullptr, type)) return;
    Report r{.kind = Kind::out_of_bounds, .me = {}, .earlier = {}, .place = {}, .what = {}};
    r.me = {.pc = pc, .block = monitor.time().block_number(), .thread = thread};
    r.place = fmt::format("index {} of {}", static_cast<int64_t>(index), type);
    r.what = "which is outside the array; it may hit another row of the same array, where no other check sees it";
    monitor.log().add(std::move(r));
  }

 private:
  static std::string words(const Now& now, const Nearest& nearest) {
    if (nearest.buffer != nullptr && nearest.buffer->buffer.element_bytes == 0)
      return fmt::format("but it has {} bytes; a check of the index against the size usually fixes it",
                         nearest.buffer->buffer.bytes);
    if (nearest.buffer != nullptr)
      return fmt::format("but the buffer has {} elements; a check of the index against the size usually fixes it",
                         nearest.buffer->buffer.bytes / nearest.buffer->buffer.element_bytes);
    if (nearest.heap_block != nullptr && nearest.heap_block->is_freed())
      return "but it has been freed by " + simt::words(nearest.heap_block->freed);
    if (nearest.heap_block != nullptr)
      return fmt::format("but this is byte {} of what was allocated by {}", now.address - nearest.heap_block->address,
                         simt::words(nearest.heap_block->made));
    if (nearest.array == nullptr) return "outside all arrays";
    return fmt::format(
        "but the array has {} bytes and this is byte {}; check the index against the size, or the launch's shared "
        "memory against what the kernel uses",
        nearest.array->bytes, now.address - nearest.array->address);
  }
};

const Registered<Bounds> registered("bounds", Kind::out_of_bounds);

}  // namespace
}  // namespace assay::simt::checked
