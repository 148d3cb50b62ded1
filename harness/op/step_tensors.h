// The tensors of a composite while its steps run: its own, and those that only its steps know.
#pragma once

#include <map>
#include <string>

#include "harness/op/contract.h"

namespace assay {

class StepTensors {
 public:
  explicit StepTensors(const Tensors& whole) : whole_(whole) {}

  // The tensors for a step in the case `inner` of its op: inputs as they are now, outputs poisoned, except what the op
  // keeps of them. Aborts where an input is missing or of another size: step_mistakes() finds that first.
  Tensors given_to(const Step& step, const Case& inner) const;

  // Keeps what the step has written.
  void made_by(const Step& step, Tensors&& got);

  // The tensor by the composite's name; null where nothing has made it yet.
  const Tensor* find(const std::string& name) const;

 private:
  const Tensors& whole_;
  std::map<std::string, Tensor> made_;
};

}  // namespace assay
