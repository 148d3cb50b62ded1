// Work that a stream or a graph is given, as data: it can be run at once, or kept in a graph and run there.
#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "harness/program/runtime/abi_graph.h"
#include "harness/program/runtime/process.h"
#include "harness/simt/include/simt/launch_shape.h"

namespace assay::program {

enum class Blocks : uint8_t { independent, cooperative };

// Copies of a kernel's arguments, and pointers to them as a launch takes them.
struct Arguments {
  std::vector<std::vector<std::byte>> values;
  std::vector<void*> pointers;
};

struct KernelWork {
  const void* function = nullptr;
  simt::Launch shape = {};
  std::shared_ptr<Arguments> arguments = {};  // is not changed once it is made
  Blocks blocks = Blocks::independent;
};
struct CopyWork {
  cudaMemcpy3DParms params;
};
struct SetWork {
  cudaMemsetParams params;
};
struct HostWork {
  cudaHostNodeParams params;
};
struct ChildWork {
  std::shared_ptr<CUgraph_st> graph;  // the node's own
};
// Which of the bodies runs is said by a condition (conditional_nodes.h).
struct ConditionalWork {
  uint64_t handle = 0;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<CUgraph_st>> bodies = {};   // the node's own
  std::shared_ptr<std::vector<cudaGraph_t>> listed = {};  // the same for the program, of the node that it has made
};
struct EmptyWork {};
struct EventWaitWork {
  cudaEvent_t event;
};
struct EventRecordWork {
  cudaEvent_t event;
};
struct AllocateWork {
  cudaMemAllocNodeParams params;  // with the address, which is reserved when the node is made
};
struct FreeWork {
  void* memory;
};

// A call of a library such as cuBLAS, which on a GPU would launch kernels.
struct LibraryWork {
  using Body = std::function<cudaError_t(GpuProcess&)>;
  std::shared_ptr<const Body> body;
};

using Work = std::variant<KernelWork, CopyWork, SetWork, HostWork, ChildWork, EmptyWork, EventWaitWork, EventRecordWork,
                          AllocateWork, FreeWork, LibraryWork, ConditionalWork>;

// The node type that CUDA has for the work.
cudaGraphNodeType type_of(const Work& work);

// Does the work. `name`: the call that asked for it, in findings. Host functions run without the process's lock where
// the caller does not hold it.
cudaError_t run(const char* name, const Work& work);

// A copy of `bytes` that lie one behind the other.
CopyWork linear_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);

}  // namespace assay::program
