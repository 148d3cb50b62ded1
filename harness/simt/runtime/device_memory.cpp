// Allocations of host code, by context.
#include "harness/simt/include/simt/device_memory.h"
#include "harness/simt/include/simt/skipped_call.h"

#include "harness/simt/runtime/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "harness/simt/checked/monitor.h"

namespace assay::simt {
namespace {

constexpr size_t kBytesMax = size_t{4} << 30;
constexpr size_t kGuardBytes = 4096;  // on either side
constexpr size_t kPage = 4096;        // cudaMalloc promises 256 bytes; textures need 512, files pages
constexpr int kGuard = 0xa5, kPoison = 0xff;

struct Allocation {
  Context* context;
  std::string name;
  std::byte* data;
  size_t bytes;
  std::unique_ptr<std::byte[]> guarded;  // none in a checker's memory
};

std::vector<Allocation>& allocations() {
  static std::vector<Allocation> all;
  return all;
}

void report(Context* context, Kind kind, std::string what) {
  if (context != nullptr) context->findings.push_back({kind, std::move(what)});
}

checked::Arena* arena_of(const Context* context) {
  const bool checks = context != nullptr && context->options.checker != nullptr;
  return checks ? &context->options.checker->monitor().arena : nullptr;
}

void look_at_guards(const Allocation& allocation) {
  if (!allocation.guarded) return;
  const std::byte* const end = allocation.data + allocation.bytes;
  const auto is_broken = [](std::byte b) { return b != std::byte{kGuard}; };
  const std::byte* const before = std::find_if(allocation.data - kGuardBytes, allocation.data, is_broken);
  const std::byte* const after = std::find_if(end, end + kGuardBytes, is_broken);
  if (before == allocation.data && after == end + kGuardBytes) return;
  const std::byte* const at = after != end + kGuardBytes ? after : before;
  report(allocation.context, Kind::out_of_bounds,
         fmt::format("{}: memory was written outside its {} bytes, at byte {}", allocation.name, allocation.bytes,
                     at - allocation.data));
}

// Whether the range lies within one buffer, where the memory is a checker's.
bool is_inside(Context* context, const void* memory, size_t bytes, const char* call, const char* does) {
  const checked::Arena* const arena = arena_of(context);
  const auto address = reinterpret_cast<uintptr_t>(memory);
  if (arena == nullptr || !arena->holds(address)) return true;
  const checked::Placed* const placed = arena->nearest(address);
  if (placed != nullptr && address >= placed->address && address + bytes <= placed->address + placed->buffer.bytes)
    return true;
  report(context, Kind::out_of_bounds,
         placed == nullptr
             ? fmt::format("{} {} {} bytes of device memory that is not allocated", call, does, bytes)
             : fmt::format("{} {} {} bytes from byte {} of {}, which has {}", call, does, bytes,
                           static_cast<int64_t>(address - placed->address), placed->buffer.name, placed->buffer.bytes));
  return false;
}

void note_written(Context* context, const void* memory, size_t bytes) {
  checked::Arena* const arena = arena_of(context);
  const auto address = reinterpret_cast<uintptr_t>(memory);
  if (arena != nullptr && arena->holds(address)) arena->initialise(address, bytes);
}

}  // namespace

void* device_allocate(size_t bytes, size_t element_bytes, const char* name, size_t alignment) {
  if (bytes == 0 || bytes > kBytesMax) return nullptr;
  Context* const context = active_context();
  Allocation allocation{context, name, nullptr, bytes, nullptr};
  alignment = std::max(alignment, kPage);
  if (checked::Arena* const arena = arena_of(context)) {
    arena->align_next(alignment);
    allocation.data =
        static_cast<std::byte*>(context->options.checker->bind({name, bytes, element_bytes, Contents::fresh}, nullptr));
  } else {
    allocation.guarded.reset(new std::byte[bytes + 2 * kGuardBytes + alignment]);
    void* begin = allocation.guarded.get() + kGuardBytes;
    size_t room = bytes + kGuardBytes + alignment;
    std::align(alignment, bytes + kGuardBytes, begin, room);
    allocation.data = static_cast<std::byte*>(begin);
    std::memset(allocation.data - kGuardBytes, kGuard, bytes + 2 * kGuardBytes);
    std::memset(allocation.data, kPoison, bytes);
  }
  allocations().push_back(std::move(allocation));
  return allocations().back().data;
}

bool device_free(void* memory) {
  if (memory == nullptr) return true;
  auto& all = allocations();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Allocation& a) { return static_cast<void*>(a.data) == memory; });
  if (found == all.end()) {
    report(active_context(), Kind::out_of_bounds,
           "cudaFree of what no cudaMalloc returned, or of memory that is freed already");
    return false;
  }
  look_at_guards(*found);
  if (checked::Arena* const arena = arena_of(found->context)) arena->release(reinterpret_cast<uintptr_t>(memory));
  all.erase(found);
  return true;
}

void device_close(void* memory) {
  for (const Allocation& allocation : allocations())
    if (allocation.data == memory)
      if (checked::Arena* const arena = arena_of(allocation.context))
        arena->release(reinterpret_cast<uintptr_t>(memory));
}

void device_reopen(void* memory) {
  for (const Allocation& allocation : allocations()) {
    if (allocation.data != memory) continue;
    if (checked::Arena* const arena = arena_of(allocation.context))
      arena->place_again(reinterpret_cast<uintptr_t>(memory), {.name = allocation.name, .bytes = allocation.bytes});
    else
      std::memset(memory, kPoison, allocation.bytes);
  }
}

bool device_copy(void* to, const void* from, size_t bytes, const char* call, bool initialises) {
  Context* const context = active_context();
  if (bytes == 0) return true;
  if (!is_inside(context, from, bytes, call, "reads") || !is_inside(context, to, bytes, call, "writes")) return false;
  std::memmove(to, from, bytes);
  if (initialises) note_written(context, to, bytes);
  return true;
}

bool device_set(void* to, int value, size_t bytes, const char* call) {
  Context* const context = active_context();
  if (bytes == 0) return true;
  if (!is_inside(context, to, bytes, call, "writes")) return false;
  std::memset(to, value, bytes);
  note_written(context, to, bytes);
  return true;
}

size_t device_bytes_with_values(const void* begin, size_t bytes) {
  const checked::Arena* const arena = arena_of(active_context());
  const auto address = reinterpret_cast<uintptr_t>(begin);
  if (bytes == 0 || arena == nullptr || !arena->holds(address)) return bytes;
  return arena->first_without_value(address, bytes) - address;
}

void device_wrote(const void* begin, size_t bytes) {
  if (bytes != 0) note_written(active_context(), begin, bytes);
}

void device_refuse(const char* what) { report(active_context(), Kind::crash, what); }
void skip_call(const char* why) { report(active_context(), Kind::skipped, why); }

void end_device_memory(Context& context) {
  auto& all = allocations();
  for (const Allocation& allocation : all) {
    if (allocation.context != &context) continue;
    look_at_guards(allocation);
    if (arena_of(&context) != nullptr)
      context.options.checker->monitor().hints.push_back(
          fmt::format("{}: {} bytes are never freed", allocation.name, allocation.bytes));
  }
  std::erase_if(all, [&](const Allocation& allocation) { return allocation.context == &context; });
}

}  // namespace assay::simt
