// EXPECT: PASS: a list that one kernel builds on the heap and another takes apart; malloc fails beyond 8 MB.
// RUNS IN: fast and checked
#include <cstdlib>
#include <vector>

#include "harness/simt/tests/kernel_test.h"

struct Node {
  Node* next;
  int value;
  char label[3];
};

__global__ void build_list_kernel(Node** heads, const int* values) {
  Node* const node = new Node{nullptr, values[threadIdx.x], {1, 2, 3}};
  node->next = new Node{nullptr, node->value + 1, {4, 5, 6}};
  heads[threadIdx.x] = node;
}

__global__ void take_list_apart_kernel(int* y, Node** heads) {
  y[threadIdx.x] = 0;
  for (Node* node = heads[threadIdx.x]; node != nullptr;) {
    y[threadIdx.x] += node->value + node->label[1];
    Node* const next = node->next;
    delete node;
    node = next;
  }
  heads[threadIdx.x] = static_cast<Node*>(malloc(9 << 20));
}

ASSAY_KERNEL_TEST(allocated_used_and_freed) {
  int* const y = output<int>("y", 32);
  Node** const heads = output<Node*>("heads", 32);
  const std::vector<int> host(100, 1);  // the host's own heap is another
  launch_kernel(build_list_kernel, {1, 32}, heads, input<int>("values", 32));
  launch_kernel(take_list_apart_kernel, {1, 32}, y, heads);
  return y[1] == 2 * 7 + 1 + 2 + 5 && y[0] == 8 && heads[9] == nullptr && host[99] == 1 ? "" : "a list is wrong";
}
