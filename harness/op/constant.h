// An input that holds one value in every element.
#pragma once

#include <string>

namespace assay {

// For a variant that does without a tensor's elements (1 for a scale that it leaves out), or takes one number for all
// of them. The value is rounded to the tensor's dtype.
struct Constant {
  std::string tensor;
  double value = 1;
};

}  // namespace assay
