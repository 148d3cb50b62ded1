// In place of Thrust's header of this name: vectors of the device lie in managed memory, which Thrust's algorithms on
// the host and the program's kernels may both access.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cpp/pointer.h>
#include <thrust/system_error.h>

#include <cstddef>
#include <new>

#include "harness/cxx/include/program_prelude.h"

namespace assay::cxx {

class ManagedResource final : public ::thrust::mr::memory_resource<> {
 public:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* memory = nullptr;
    if (bytes != 0 && cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal) != cudaSuccess) throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override { cudaFree(memory); }
};

}  // namespace assay::cxx

THRUST_NAMESPACE_BEGIN
namespace system::cpp {

using memory_resource =
    ::thrust::mr::fancy_pointer_resource<::assay::cxx::ManagedResource, ::thrust::cpp::pointer<void>>;
using universal_memory_resource =
    ::thrust::mr::fancy_pointer_resource<::assay::cxx::ManagedResource, ::thrust::cpp::universal_pointer<void>>;
using universal_host_pinned_memory_resource = universal_memory_resource;

}  // namespace system::cpp
THRUST_NAMESPACE_END
