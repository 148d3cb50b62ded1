// The queue of launches that kernels have made.
#include "harness/simt/include/simt/child_launches.h"

#include <deque>
#include <map>

#include "harness/simt/runtime/device_heap.h"

namespace assay::simt {
namespace {

struct Queue {
  std::map<const void*, ChildLaunch> prepared;  // by their arguments
  std::deque<ChildLaunch> launched;
};

Queue& queue() {
  static Queue& queue = *new Queue;
  return queue;
}

}  // namespace

void* prepare_child(const ChildLaunch& child) {
  if (child.arguments != nullptr) queue().prepared[child.arguments] = child;
  return child.arguments;
}

int launch_child(void* arguments) {
  constexpr int kInvalidValue = 1;
  const auto found = queue().prepared.find(arguments);
  if (found == queue().prepared.end()) return kInvalidValue;
  queue().launched.push_back(found->second);
  queue().prepared.erase(found);
  return 0;
}

void copy_as_child(void* to, const void* from, size_t bytes) {
  queue().launched.push_back({.to = to, .from = from, .bytes = bytes});
}

std::optional<ChildLaunch> take_child() {
  std::deque<ChildLaunch>& launched = queue().launched;
  if (launched.empty()) return std::nullopt;
  ChildLaunch child = launched.front();
  launched.pop_front();
  return child;
}

void child_done(const ChildLaunch& child) {
  HeapBlock* const block = device_heap().at(reinterpret_cast<uintptr_t>(child.arguments));
  if (block != nullptr && !block->is_freed()) device_heap().free(*block, {reinterpret_cast<const void*>(&child_done)});
}

}  // namespace assay::simt
