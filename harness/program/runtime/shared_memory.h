// Device memory that several processes have: its pages are those of a file without a name, which each of them maps.
//
// A handle for another process says which process has the file open and by which number; /proc leads there while that
// process lives, for processes of one user. What others write is not watched: shared bytes count as written.
#pragma once

#include <tl/expected.hpp>

#include "harness/program/runtime/process.h"

namespace assay::program {

// Any number that no other bytes are likely to be.
enum class SharedKind : uint64_t { none, memory = 0x6d79737361, event, pool };
// 64 bytes, as CUDA's handles of memory and events have.
struct SharedHandle {
  SharedKind kind = SharedKind::none;
  int process = 0, file = 0;
  uint64_t bytes = 0, group = 0;  // the memory's; which pool of the process it is of
  char unused[32] = {};
};
static_assert(sizeof(SharedHandle) == 64);

// A file of so many zero bytes, whole pages of them; -1: the system gives none.
int make_shared_file(size_t bytes);
// A descriptor of this process for the file that another one has open; -1: the process has ended, or is another user's.
int open_shared_file(int process, int file);

// The memory is the file's from now on, until it is freed. `memory`: the beginning of an allocation. The file stays
// open. False: the system refuses.
bool put_behind(GpuProcess& process, void* memory, int file);
// The memory, with what it holds, becomes that of a file. Errors: it is no device memory, or the system refuses.
tl::expected<SharedHandle, cudaError_t> share(GpuProcess& process, const void* memory);
// Before memory is freed: its pages are its own again.
void stop_sharing(void* memory, size_t bytes);

}  // namespace assay::program
