// RegisterVariant and launch for a file that registers its own variants and came by PTX.
#pragma once

#include <type_traits>
#include <utility>

#include "harness/op/registry.h"
#include "harness/op/variant.h"
#include "harness/simt/include/ptx/twins.h"

namespace assay {

// If the same file from source has taken the name, the variant is NAME_by_ptx, so that one can be held against the
// other.
struct RegisterByPtx {
  explicit RegisterByPtx(Variant variant) {
#if defined(ASSAY_CPU_CHECKED)
    constexpr const char* kDevice = "cpu-checked";
#else
    constexpr const char* kDevice = "cpu";
#endif
    if (find_variant(variant.op, variant.name, kDevice)) variant.name += "_by_ptx";
    RegisterVariant(std::move(variant));
  }
};

template <class... Params>
void launch_by_ptx(void (*kernel)(Params...), const Launch& shape, std::type_identity_t<Params>... args) {
  simt::launch_twin(kernel, shape, args...);
}

}  // namespace assay
