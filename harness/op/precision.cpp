// Names of precisions, as adapters and messages write them.
#include "harness/op/precision.h"

#include <array>

namespace assay {

std::string_view name(Accumulate accumulate) {
  static constexpr std::array kNames{"f32", "tf32", "bf16_operands", "f16_operands", "f16", "bf16"};  // as in the enum
  return kNames.at(static_cast<size_t>(accumulate));
}

std::optional<Accumulate> parse_accumulate(std::string_view text) {
  for (const Accumulate known : {Accumulate::f32, Accumulate::tf32, Accumulate::bf16_operands, Accumulate::f16_operands,
                                 Accumulate::f16, Accumulate::bf16})
    if (text == name(known)) return known;
  return std::nullopt;
}

}  // namespace assay
