// EXPECT: OUT_OF_BOUNDS: the launch says 64 bytes, its threads use more than the stacks' round number.
#include "harness/simt/tests/kernel_test.h"

static void use_more(void*) {
  volatile char bytes[160];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = 1;
  assay::simt::quiet_store(assay::simt::running, assay::simt::current());
}

ASSAY_KERNEL_TEST(overruns_a_false_need) {
  assay::simt::launch_in_context({1, 64}, use_more, nullptr, {.stack_bytes = 64});
  return "";
}
