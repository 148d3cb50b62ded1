// Device memory for host code that runs with a kernel: what cudaMalloc and its like mean on the executor.
//
// It belongs to the current context (executor.h), is freed with it at the latest, and begins with bytes that make a NaN
// in every float type. With a checker it lies in the checker's memory, where kernels' accesses are checked as those of
// any buffer; without one it lies between guard bytes, which are looked at when it is freed. Calls on the memory
// itself, such as a copy beyond its end, leave findings in the context.
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)
namespace assay::simt {

// `name`: of the memory in findings. nullptr for 0 bytes, and for more than a device has. The memory begins with a
// page, and the rest of its last one is nobody else's, so that its pages can be exchanged; `alignment`: a power of two,
// which its address is a multiple of.
void* device_allocate(size_t bytes, size_t element_bytes, const char* name, size_t alignment = 1);
// False when it is not the beginning of such memory; nullptr is.
bool device_free(void* memory);

// Memory that is not there for a while, as that of a graph between its launches: with a checker, accesses to it are
// findings until it is opened again, when its bytes have no values. It stays allocated.
void device_close(void* memory);
void device_reopen(void* memory);

// Copies between device memory and the host's, or within either. `call`: what asks for it, in findings. A copy that
// does not initialise leaves the checks' record of what has been written as it is.
bool device_copy(void* to, const void* from, size_t bytes, const char* call, bool initialises = true);
bool device_set(void* to, int value, size_t bytes, const char* call);

// For host code that stands for kernels of a library: how many bytes from `begin` have values, up to `bytes`, and that
// these have been written. Without a checker all bytes have values.
size_t device_bytes_with_values(const void* begin, size_t bytes);
void device_wrote(const void* begin, size_t bytes);

// Makes a finding: host code asks for something that the executor cannot do.
void device_refuse(const char* what);

}  // namespace assay::simt
#pragma GCC visibility pop
