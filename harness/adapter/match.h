// Which tensor, dim or attribute of a contract each parameter of a kernel takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adapter/kernel_source.h"
#include "harness/op/contract.h"

namespace assay {

// What a C++ type holds, as far as its spelling says.
enum class ElementKind { dtype, template_parameter, whole, real, other };
struct ElementType {
  ElementKind kind = ElementKind::other;
  std::optional<DType> dtype;  // of ElementKind::dtype; vector types (float4, __half2) count as their elements
};
ElementType element_of_pointer(const KernelSource& kernel, const Parameter& parameter);

// A thing that a contract has to give.
struct Offer {
  enum Kind { tensor, dim, attribute };
  Kind kind = tensor;
  std::string name;
  std::vector<std::string> aliases;
  std::string expression;                             // what an adapter passes
  const TensorSpec* spec = nullptr;                   // of a tensor
  const std::vector<std::string>* choices = nullptr;  // of an attribute
};
std::vector<Offer> offers_of(const Contract& contract);

// Whether a parameter can take an offer, whatever they are called.
bool type_fits(const KernelSource& kernel, const Parameter& parameter, const Offer& offer);

// How well a parameter's name says an offer's: another usual name, its own but for case and affixes, or exactly that.
enum Likeness { none, usual, own, exact };
Likeness likeness(const std::string& name, const Offer& offer);

// "d_inp", "inp_ptr" and "p_Inp" are all "inp": lower case, without what only says that it is on the device.
std::string plain_name(std::string_view name);

// Whether two spellings of a name are the same but for case, underscores, affixes, and the ways of writing a gradient.
bool same_name(std::string_view a, std::string_view b);

struct Match {
  std::optional<Offer> offer;  // nothing: unknown
  bool by_own_name = false;    // the contract's name; otherwise another that is usual
  std::string doubt;           // of an unknown one: why, in a sentence
};

// One for each parameter, in order. Names decide, types exclude; what has only one meaning left takes it; what could be
// two things stays unknown.
std::vector<Match> match_parameters(const KernelSource& kernel, const Contract& contract);

}  // namespace assay
