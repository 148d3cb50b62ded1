// Which tensor, dim or attribute of a contract each parameter of a kernel takes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adapter/read/kernel_source.h"
#include "harness/op/contract.h"

namespace assay {

// The content of a C++ type, as far as its spelling shows.
enum class ElementKind { dtype, template_parameter, bits, whole, real, other };  // bits: 16 of some float
struct ElementType {
  ElementKind kind = ElementKind::other;
  std::optional<DType> dtype;  // of ElementKind::dtype; vector types (float4, __half2) count as their elements
};
ElementType element_of_pointer(const KernelSource& kernel, const Parameter& parameter);

// Whether a parameter points to pointers, which no tensor has.
inline bool points_to_pointers(const Parameter& parameter) {
  return parameter.is_pointer && parameter.type.ends_with('*');
}

// The argument for a parameter that is a stream, or a handle that can be made (library_entry.h); "": it is neither.
std::string handle_argument(const Parameter& parameter);

// Whether a parameter is an integer by value.
bool is_whole_number(const Parameter& parameter);

// The target that a parameter may be bound to: a tensor, dim or attribute of the contract.
struct Binding {
  enum Kind { tensor, dim, attribute, value };  // value: an expression that is none of the contract's names
  Kind kind = tensor;
  std::string name;
  std::vector<std::string> aliases;
  std::string expression;                             // what an adapter passes
  const TensorSpec* spec = nullptr;                   // of a tensor
  const std::vector<std::string>* choices = nullptr;  // of an attribute
  std::string in_place_of = {};  // of an output: the input that it holds before the launch, "" for none
  // For columns of a tensor, as a tensor of its own to the kernel: that, of which `spec` is a copy with another shape.
  const TensorSpec* part_of = nullptr;
  std::shared_ptr<const TensorSpec> part = nullptr;  // `spec`
  bool converted = false;                            // a copy of the tensor with elements of the parameter's type
  bool zeroed = false;                               // an output that holds 0 before the launch, which reads it
  std::string whole = {};     // of a count of vectors: what cases must keep to, "(T * E) % 4 == 0"
  std::string constant = {};  // of a value that is one number for a whole input: what cases hold in that
  // For a value that the file's launch computes: names in the launching function, and the contract's names for them.
  std::vector<std::pair<std::string, std::string>> host_names = {};
};
std::vector<Binding> bindings_of(const Contract& contract);

// The tensor that an expression of an adapter passes, whole or its columns: in of "columns(in, dim, dim)".
std::string tensor_in(std::string_view expression);

// The parts of a tensor whose rows have several, as the two of (T, 2*dim), each a tensor to kernels that take them
// apart; empty for others.
std::vector<Binding> parts_of(const Binding& whole);
// These, and the parts of those that have some.
std::vector<Binding> with_parts(std::vector<Binding> bindings);

// Whether a kernel can have one pointer for both: an output, and an input of its shape and type.
bool can_be_in_place(const TensorSpec& output, const TensorSpec& input);

// Whether a parameter's type admits a binding, whatever the two are called.
bool type_fits(const KernelSource& kernel, const Parameter& parameter, const Binding& binding);

// A binding of a tensor whose elements are others than the parameter points to, as a copy of its type: whole numbers of
// 64 bits for the op's 32, or f32 of which the body makes whole numbers; f32 in a kernel of which another pointer is to
// f16 or bf16, since the op's tensors have one type, the least precise, and no other is exactly the others' too; f64,
// which no op has; and int in a kernel of ints alone, for cases of small integers.
// Nothing where the types are alike, or differ more.
std::optional<Binding> converted(const KernelSource& kernel, const Parameter& parameter, const Binding& binding);

// Whether a pointer is to ints and the binding a tensor of floats.
bool is_of_ints(const Parameter& parameter, const Binding& binding);

// Whether what the body does with a pointer admits it.
bool use_fits(const std::map<std::string, PointerUse>& uses, const Parameter& parameter, const Binding& binding);

// How like a parameter's name is to a binding's: another usual name, its own except case and affixes, or exactly that.
enum Likeness { none, usual, own, exact };
Likeness likeness(const std::string& name, const Binding& binding);

// Whether a name is one of a binding's, or its words are, except words such as num, size and ptr, in any order and by
// the usual abbreviations: kv_head_num is num_kv_heads, key_cache is k_cache. A hint, where nothing else is known.
bool is_called_like(const std::string& name, const Binding& binding);

// "d_inp", "inp_ptr" and "p_Inp" are all "inp": lower case, without the affixes that mark device memory.
std::string plain_name(std::string_view name);

// Whether a name counts batches; an op without any has one of them.
bool counts_batches(std::string_view name);

// Whether a name counts all elements of an array.
bool counts_elements(std::string_view name);

// Whether a name is a distance between rows, which is their length where nothing is between them.
bool counts_with_padding(std::string_view name);

// Whether a name is the width of a model: all of a token's heads.
bool counts_model(std::string_view name);

// Whether a name is one letter that means either of two dims: m by n is rows by columns, or columns by rows.
bool means_either(std::string_view name);

// Whether the op writes a matrix with the two extents of one that it reads, the other way round: a kernel may name its
// sizes after either.
bool turns_over(const Contract& contract);

// Whether two spellings of a name are the same except case, underscores, affixes, and the ways of writing a gradient.
bool same_name(std::string_view a, std::string_view b);

struct Match {
  std::optional<Binding> binding;  // nothing: unknown
  bool by_own_name = false;        // the contract's name; otherwise another that is usual
  std::string doubt;               // of an unknown one: why, in a sentence
};

// One for each parameter, in order. Names decide and types exclude: a parameter with one possible binding left takes
// it, and one with several stays unknown.
std::vector<Match> match_parameters(const KernelSource& kernel, const Contract& contract);

// The choice of the attribute `alias` by which `written` lies where `input` was, and no other tensor anywhere; "" where
// the op has none.
std::string alias_of(const Contract& contract, std::string_view written, std::string_view input);

// The same for tensors that parameters take: one of them written, whose input none of them takes.
std::string alias_of(const Contract& contract, const std::vector<Match>& matches);

}  // namespace assay
