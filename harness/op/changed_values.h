// Whether the choices of an attribute mean other data or another computation, and what an input that is not there is.
#pragma once

#include "harness/op/contract.h"

namespace assay {

// Whether the reference gives other values for the same inputs with another choice of `attr`, as gelu_forward does with
// form=tanh: a kernel that does not get the choice computes one of them. False of a choice that only says how inputs
// are filled, or that changes what tensors there are; those that a small case does not admit are passed over.
bool changes_values(const Contract& contract, const AttrSpec& attr);

// Whether a tensor begins with other numbers by another choice of `attr`, as the targets of a loss do by how many of
// them are padding: then a kernel that is given it sees the choice.
bool changes_data(const Contract& contract, const AttrSpec& attr, const std::string& tensor);

// Whether each element of what the op writes comes of the elements at its place alone, however rows are long: then a
// kernel needs no more than how many there are. False where no small case shows it.
bool is_elementwise(const Contract& contract);

// The number that an input holds where a kernel does without it: 1 in a factor, such as a norm's weight, without which
// an output no longer depends on the largest other input; else 0, as in a bias. 1, too, where no small case shows it.
double neutral_value(const Contract& contract, const std::string& tensor);

}  // namespace assay
