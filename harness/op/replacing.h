// Variants that take the places of others with their names, in a process that runs mutants of a kernel.
#pragma once

namespace assay {

// While it lives, a variant that registers replaces the one with its op, name and device, where there is one: two of
// one name are a mistake of the build otherwise.
class ReplacingVariants {
 public:
  ReplacingVariants();
  ~ReplacingVariants();
  ReplacingVariants(const ReplacingVariants&) = delete;
  ReplacingVariants& operator=(const ReplacingVariants&) = delete;
};

}  // namespace assay
