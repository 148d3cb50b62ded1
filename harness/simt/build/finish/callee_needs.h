// Functions of other libraries that kernels call, and the bytes of stack that each is taken to need at most: at least
// twice what stacks_test.cpp measures. Only functions that call nothing that is bound late, and keep nothing large.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace assay::simt::finish {

struct CalleeNeed {
  std::string_view name;
  uint64_t bytes;
};

inline constexpr auto kCalleeNeeds = std::to_array<CalleeNeed>({
    {"expf", 256},
    {"exp2f", 256},
    {"logf", 256},
    {"log2f", 256},
    {"log1pf", 256},
    {"tanhf", 512},
    {"erff", 512},
    {"sinf", 256},
    {"cosf", 256},
    {"powf", 256},
    {"exp", 256},
    {"log", 256},
    {"memcpy", 256},
    {"memset", 256},
    // assay::simt::prepare_to_give_way(), assay::simt::give_way(Fiber*)
    {"_ZN5assay4simt19prepare_to_give_wayEv", 128},
    {"_ZN5assay4simt8give_wayEPNS0_5FiberE", 256},
    // assay::simt::approximated(Approximate, float, float)
    {"_ZN5assay4simt12approximatedENS0_11ApproximateEff", 1024},
    // Leaves the thread's stack at once.
    {"assay_simt_check", 8},
});

}  // namespace assay::simt::finish
