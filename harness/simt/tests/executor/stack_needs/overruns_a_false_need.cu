// EXPECT: OUT_OF_BOUNDS: the module says 32 bytes for each of two functions, its threads use more than the stacks'
// round number.
#include "harness/simt/tests/kernel_test.h"

static void use_more(void*) {
  volatile char bytes[160];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = 1;
  assay::simt::quiet_store(assay::simt::running, assay::simt::current());
}

ASSAY_KERNEL_TEST(overruns_a_false_need) {
  using namespace assay::simt;
  const auto* const address = reinterpret_cast<const void*>(use_more);
  static const FunctionFacts kFacts[] = {{address, 32, 0, 0}};
  Module module = this_module();
  module.functions = kFacts;
  module.functions_end = kFacts + 1;
  launch_in_context({1, 64}, {use_more, nullptr, address, module});
  return "";
}
