// Files behind memory.
#include "harness/program/runtime/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "harness/simt/include/simt/device_memory.h"

namespace assay::program {
namespace {

constexpr size_t kPage = 4096;

size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// The file behind each memory that is shared, by the memory's beginning. -1: one that others keep open.
std::map<uintptr_t, int>& files() {
  static auto& all = *new std::map<uintptr_t, int>;
  return all;
}

bool write_all(int file, const void* from, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t written = pwrite(file, static_cast<const char*>(from) + done, bytes - done, static_cast<off_t>(done));
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

bool map_file(void* memory, size_t bytes, int file) {
  return mmap(memory, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}

}  // namespace

int make_shared_file(size_t bytes) {
  const int file = memfd_create("assay", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(whole_pages(bytes))) == 0) return file;
  close(file);
  return -1;
}

int open_shared_file(int process, int file) {
  return open(fmt::format("/proc/{}/fd/{}", process, file).c_str(), O_RDWR | O_CLOEXEC);
}

bool put_behind(GpuProcess& process, void* memory, int file) {
  const Allocation* const allocation = process.allocation_of(memory);
  if (allocation == nullptr || !map_file(memory, allocation->bytes, file)) return false;
  files().emplace(reinterpret_cast<uintptr_t>(memory), -1);
  simt::device_wrote(memory, allocation->bytes);
  return true;
}

tl::expected<SharedHandle, cudaError_t> share(GpuProcess& process, const void* memory) {
  const auto place = process.place_of(memory);
  if (!place || place->second->memory != Memory::device) return tl::unexpected(cudaErrorInvalidValue);
  const auto& [begin, allocation] = *place;
  auto known = files().find(begin);
  if (known != files().end() && known->second < 0) return tl::unexpected(cudaErrorInvalidValue);  // another's
  if (known == files().end()) {
    auto* const first = reinterpret_cast<void*>(begin);
    const int file = make_shared_file(allocation->bytes);
    if (file < 0 || !write_all(file, first, whole_pages(allocation->bytes)) || !put_behind(process, first, file))
      return tl::unexpected(cudaErrorMemoryAllocation);
    known = files().find(begin);
    known->second = file;
  }
  return SharedHandle{
      .kind = SharedKind::memory, .process = getpid(), .file = known->second, .bytes = allocation->bytes};
}

void stop_sharing(void* memory, size_t bytes) {
  const auto found = files().find(reinterpret_cast<uintptr_t>(memory));
  if (found == files().end()) return;
  const size_t pages = whole_pages(bytes);
  void* const own = mmap(nullptr, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (own == MAP_FAILED) return;  // they stay shared; the memory is as good as before
  std::memcpy(own, memory, pages);
  mremap(own, pages, pages, MREMAP_MAYMOVE | MREMAP_FIXED, memory);
  if (found->second >= 0) close(found->second);
  files().erase(found);
}

}  // namespace assay::program
