// Names and sums of instruction counts.
#include "harness/simt/checked/instruction_counts.h"

#include <numeric>

namespace assay {

std::string_view name(Counted counted) {
  static constexpr std::array<std::string_view, kCounted> kNames{
      "fp32",       "fp16",        "fp64",      "tensor",    "integer",   "conversion", "special",
      "shuffle",    "shared",      "global",    "local",     "control",   "barrier",    "move",
      "tensor_f16", "tensor_tf32", "tensor_f8", "tensor_i8", "tensor_f64"};
  return kNames[static_cast<size_t>(counted)];
}

InstructionCounts& InstructionCounts::operator+=(const InstructionCounts& other) {
  for (size_t i = 0; i < kCounted; ++i) of[i] += other.of[i];
  by_threads += other.by_threads;
  return *this;
}

int64_t issued(const InstructionCounts& counts) {
  return std::accumulate(counts.of.begin(), counts.of.begin() + kInstructionClasses, int64_t{0});
}

}  // namespace assay
