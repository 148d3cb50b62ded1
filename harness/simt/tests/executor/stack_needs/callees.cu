// EXPECT: PASS: what the functions of build/finish/callee_needs.h need, measured: "name bytes" in each line.
#include <string>

#include "harness/simt/tests/kernel_test.h"

namespace callees {

constexpr int kPaintedBytes = 8192;
volatile float sink;
volatile double sink_double;
char copied[256];

// Ordinary arguments, and those that take the long way: huge ones, tiny ones, infinities, NaN.
constexpr float kArguments[] = {0.5f,   -0.75f, 3.0f,  -20.0f, 88.0f,    1e5f,      -3e7f, 3e38f,
                                1e-40f, 0.0f,   -0.0f, 1e-5f,  INFINITY, -INFINITY, NAN};

template <class Function>
void with_each(Function function) {
  for (const float x : kArguments) function(x);
}

struct Callee {
  const char* name;
  void (*call)();
};

#define OF_ONE(name)                                          \
  {                                                           \
#name, [] { with_each([](float x) { sink = name(x); }); } \
  }
const Callee kCallees[] = {
    OF_ONE(expf),
    OF_ONE(exp2f),
    OF_ONE(logf),
    OF_ONE(log2f),
    OF_ONE(log1pf),
    OF_ONE(tanhf),
    OF_ONE(erff),
    OF_ONE(sinf),
    OF_ONE(cosf),
    {"powf", [] { with_each([](float x) { with_each([=](float y) { sink = powf(x, y); }); }); }},
    {"exp", [] { with_each([](float x) { sink_double = exp(static_cast<double>(x)); }); }},
    {"log", [] { with_each([](float x) { sink_double = log(static_cast<double>(x)); }); }},
    {"memcpy", [] { memcpy(copied, copied + 128, static_cast<size_t>(sink) & 127); }},
    {"memset", [] { memset(copied, 0, static_cast<size_t>(sink) & 255); }},
    {"_ZN5assay4simt19prepare_to_give_wayEv", [] { assay::simt::prepare_to_give_way(); }},
    {"_ZN5assay4simt12approximatedENS0_11ApproximateEff",
     [] {
       using namespace assay::simt;
       for (uint32_t i = 0; i <= static_cast<uint32_t>(Approximate::reciprocal_root); ++i)
         with_each([=](float x) { with_each([=](float y) { sink = approximated(Approximate{i}, x, y); }); });
     }},
    {"_ZN5assay4simt8give_wayEPNS0_5FiberE",
     [] {
       using namespace assay::simt;
       switch_to(give_way(current()));
       quiet_store(current()->site, kSiteBarrier);
     }},
};

// The lowest byte that the call changes, below where the stack pointer stands.
__device__ __noinline__ size_t bytes_used(void (*call)()) {
  volatile char* below;
  asm volatile("mov %%rsp, %0" : "=r"(below));
  for (int i = 1; i <= kPaintedBytes; ++i) below[-i] = 0x55;
  call();
  int used = kPaintedBytes;
  while (used > 0 && below[-used] == 0x55) --used;
  return static_cast<size_t>(used);
}

// Each thread begins with another function, so that all of them have been suspended below some of the calls.
__global__ void measure(size_t* most) {
  constexpr size_t kCount = sizeof kCallees / sizeof kCallees[0];
  for (size_t i = 0; i < kCount; ++i) {
    const size_t which = (i + threadIdx.x) % kCount;
    const size_t used = bytes_used(kCallees[which].call);
    if (used > most[which]) most[which] = used;
  }
}

}  // namespace callees

ASSAY_KERNEL_TEST(callees) {
  using namespace callees;
  static std::string text;
  std::vector<size_t> most(sizeof kCallees / sizeof kCallees[0]);
  assay::simt::launch_kernel(measure, {1, 64}, most.data());
  text.clear();
  for (size_t i = 0; i < most.size(); ++i) text += kCallees[i].name + (" " + std::to_string(most[i])) + "\n";
  return text.c_str();
}
