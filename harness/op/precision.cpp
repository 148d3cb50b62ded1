// Names of precisions, as adapters and messages write them.
#include "harness/op/precision.h"

namespace assay {

std::string_view name(Accumulate accumulate) {
  switch (accumulate) {
    case Accumulate::f32:
      return "f32";
    case Accumulate::tf32:
      return "tf32";
    case Accumulate::f16:
      return "f16";
    case Accumulate::bf16:
      return "bf16";
  }
  return "";
}

std::optional<Accumulate> parse_accumulate(std::string_view text) {
  for (const Accumulate known : {Accumulate::f32, Accumulate::tf32, Accumulate::f16, Accumulate::bf16})
    if (text == name(known)) return known;
  return std::nullopt;
}

}  // namespace assay
