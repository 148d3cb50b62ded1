// Each kind of work goes to the file for its subject.
#include "harness/program/runtime/work.h"

#include "harness/program/runtime/conditional_nodes.h"
#include "harness/program/runtime/graph.h"
#include "harness/program/runtime/launch.h"
#include "harness/program/runtime/memory_work.h"
#include "harness/program/runtime/stream_order.h"
#include "harness/program/runtime/stream_races.h"
#include "harness/program/runtime/streams.h"

namespace assay::program {
namespace {

struct Runner {
  const char* name;

  cudaError_t operator()(const KernelWork& work) const {
    return call(name, [&](GpuProcess& process) {
      return launch(process, work.function, work.shape, work.arguments->pointers.data(), work.blocks);
    });
  }
  cudaError_t operator()(const CopyWork& work) const { return copy_box(name, work.params); }
  cudaError_t operator()(const SetWork& work) const { return set_elements(name, work.params); }
  cudaError_t operator()(const HostWork& work) const {
    host_is_called();
    work.params.fn(work.params.userData);
    return cudaSuccess;
  }
  cudaError_t operator()(const ChildWork& work) const { return run_nodes(*work.graph); }
  cudaError_t operator()(const ConditionalWork& work) const { return run_bodies(work); }
  cudaError_t operator()(const EmptyWork&) const { return cudaSuccess; }
  cudaError_t operator()(const EventWaitWork& work) const {  // all that came before it is done
    work_waits_for_event(*work.event);
    return cudaSuccess;
  }
  cudaError_t operator()(const EventRecordWork& work) const {
    record_now(*work.event);
    event_is_recorded_by_work(*work.event);
    return cudaSuccess;
  }
  cudaError_t operator()(const AllocateWork& work) const {
    return call(name, [&](GpuProcess& process) {
      if (!process.open_reserved(work.params.dptr)) return cudaErrorInvalidValue;
      allocated(work.params.dptr, work.params.bytesize);
      return cudaSuccess;
    });
  }
  cudaError_t operator()(const LibraryWork& work) const { return call(name, *work.body); }
  cudaError_t operator()(const FreeWork& work) const {
    return call(name, [&](GpuProcess& process) {
      return work.memory == nullptr || process.free(work.memory, name) ? cudaSuccess : cudaErrorInvalidValue;
    });
  }
};

}  // namespace

cudaGraphNodeType type_of(const Work& work) {
  static constexpr cudaGraphNodeType kTypes[] = {
      cudaGraphNodeTypeKernel,   cudaGraphNodeTypeMemcpy,  cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,
      cudaGraphNodeTypeGraph,    cudaGraphNodeTypeEmpty,   cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree, cudaGraphNodeTypeKernel,    cudaGraphNodeTypeConditional};
  return kTypes[work.index()];
}

cudaError_t run(const char* name, const Work& work) { return std::visit(Runner{name}, work); }

CopyWork linear_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms params{};
  params.dstPtr = {to, bytes, bytes, 1};
  params.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  params.extent = {bytes, 1, 1};
  params.kind = kind;
  return {params};
}

}  // namespace assay::program
