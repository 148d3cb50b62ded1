// A step of a composite: one of the ops that a larger op is made of, and how the names of both meet.
//
// A composite is an op like any other, with dims, attributes and tensors of its own; Contract::steps lists what it is
// made of, in order. Tensors that only its steps know are made by one step and taken by later ones. composite.h derives
// the rest from the list: the reference, the constraint, the work, and how a variant runs that chooses one of each
// step's op.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/case/case.h"

namespace assay {

struct Step {
  struct Binding {
    std::string of_step;   // a tensor, dim or attribute of the step's op
    std::string of_whole;  // what it is to the composite
  };

  std::string name;  // as case lines and findings have it
  std::string op;
  std::vector<Binding> tensors = {};  // those that have another name in the composite, or that it does not have at all
  // The value of a dim or attribute: that of the composite's by this name, a product of such dims, or the text itself.
  // Those that are not listed have the composite's of the same name, and other attributes their first choice.
  std::vector<Binding> params = {};
  std::function<bool(const Case& c)> applies = nullptr;               // nothing: in every case
  std::function<void(const Case& c, Case& step)> complete = nullptr;  // sets params that no binding can
};

}  // namespace assay
