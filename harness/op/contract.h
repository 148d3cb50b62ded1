// The op contract: what an operation means, as data. Everything else is derived from it: generated cases, their
// shrinking, the tensors, the judge, the report's columns, the roofline. Nobody writes those per op.
//
// kernels/<op>/contract.h defines one function, `assay::Contract contract()` in namespace assay::ops::<op>; the build
// compiles and registers it. See kernels/softmax_forward/contract.h for a complete one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/rng.h"
#include "harness/case/case.h"
#include "harness/op/constant.h"
#include "harness/op/reference.h"
#include "harness/op/step.h"
#include "harness/tensor/tensor.h"

namespace assay {

struct Fill;

struct DimSpec {
  std::string name;
  std::string meaning;
  int64_t min = 1;
  int64_t max = int64_t{1} << 40;
  std::vector<int64_t> boundary = {};  // values where kernels break, besides those that the generator tries anyway
  int64_t usual_max = max;  // random cases stay below it, so that they have room for the dims that matter more
  std::vector<std::string> aliases = {};  // what kernels elsewhere call it: infer_adapter() knows parameters by these
  std::vector<int64_t> only = {};  // not empty: it takes these values and no others, and min and max follow from them
  bool repeats = false;  // the op does the same for each of them, as for heads of a batch: made small first, so that
                         // what one of them takes keeps its size
  std::string unpadded = {};  // of a distance between rows: the dim that it is where nothing lies between them
  // For a dim that the op got after lines were written: its value before. A case line that leaves it out means
  // this, and so does a variant that names it nowhere (Variant::domains).
  std::optional<int64_t> before = {};
};

// A number that callers compute of a case and pass in the place of what it is computed from, as 1 - beta^t.
struct NumberSpec {
  std::string name;
  std::string expression;                 // in C++, over dims and attributes
  std::vector<std::string> aliases = {};  // as for dims
};

struct AttrSpec {
  std::string name;
  std::string meaning;
  std::vector<std::string> choices;       // simplest first: shrinking moves towards the front
  std::vector<std::string> aliases = {};  // as for dims
  std::string number = {};  // its value as a C++ expression, where a choice is no number: infer_adapter() passes it
  // The input whose values it chooses. A user's kernel that is not given it makes those values itself, of what it sees:
  // its cases have the first choice.
  std::string of_input = {};
  // The op got it after lines were written, and its first choice is what the op did before. A case line that leaves it
  // out means that, and a variant that names it nowhere takes that only. cases/formats/ holds every op to it.
  bool optional = false;
  // The random cases of a variant go through the choices in turn, from one that the seed says, instead of drawing them:
  // where the choices are different computations, none may be left out by chance.
  bool in_turn = false;
};

// Fills `tensor` (already allocated) for a case. `rng` is the tensor's own stream.
using MakeTensor = std::function<void(const Case& c, Rng& rng, Tensor& tensor)>;

// Fills an input that follows from the tensors before it, such as the forward's results that a backward is given.
using DeriveTensor = std::function<void(const Case& c, const Tensors& earlier, Tensor& tensor)>;

// Marks what of a tensor is not the op's own in a case: see Region.
using MarkRegions = std::function<Regions(const Case& c)>;

// One extent is a product of dims, numbers and attributes whose value is such a product: {"rows", "cols"}, {"S",
// "H*D"},
// {"1"}, {"bias_heads", "S"} in a case with bias_heads=HK.
using ShapeText = std::vector<std::string>;

struct TensorSpec {
  std::string name;
  Role role = Role::input;
  ShapeText shape = {};
  std::optional<DType> dtype = {};  // nothing: the case's dtype
  double magnitude = 0;             // largest |value| the fills may use; 0: the dtype's largest finite number
  MakeTensor make = nullptr;        // nothing: the case's fill (inputs), or the `init` attribute (accumulate)
  DeriveTensor derive = nullptr;    // instead of make
  std::function<ShapeText(const Case& c)> shape_by = nullptr;  // instead of shape, where it depends on the case
  std::function<DType(const Case& c)> dtype_by = nullptr;      // instead of dtype, likewise
  std::vector<std::string> aliases = {};                       // as for dims
  // Names of the halves of rows "2*dim" long, where kernels elsewhere take each as a tensor of its own.
  std::vector<std::vector<std::string>> parts = {};
  std::function<Role(const Case& c)> role_by = nullptr;  // instead of role: output or accumulate, with a make
  MarkRegions regions = nullptr;                         // nothing: all of it is plain
  std::function<bool(const Case& c)> absent = nullptr;   // whether the case leaves it out: no elements, a null pointer
};

// Whether a list such as "q,k,v", the value of attribute `attr`, leaves `word` out: `absent` of an input that some
// cases have.
std::function<bool(const Case& c)> absent_unless_listed(std::string attr, std::string word);

// The input of a property: the case's run, and means to run the variant on other data.
struct PropertyRun {
  const Case& c;
  const Tensors& given;                                            // before the run
  const Tensors& got;                                              // after it
  std::function<Result<Tensors>(const Case&, Tensors given)> run;  // the same variant on other data
  // The error that an honest kernel may make, for each element of a written tensor: 0 where only one result is right,
  // infinity where the reference leaves it open. One is for this run, one for other data; that takes the reference's
  // time.
  std::function<std::vector<double>(std::string_view tensor)> budget;
  std::function<std::vector<double>(const Case&, const Tensors& given, std::string_view tensor)> budget_on;
};

// A fact that holds whatever the reference computes. `broken` returns what it saw where it does not hold. Results of
// two runs are compared by the budgets of both, never by their bits (kernels/properties/agreement.h).
struct Property {
  std::string name;
  std::string states;  // one sentence
  std::function<std::optional<std::string>(const PropertyRun&)> broken;
};

// A formula: another order of the same algebra that right kernels use, and that errs more than the canonical one on
// some data. Its reference is the same function, which asks ReferenceIo::by_formula(). An output is right when all of
// it fits one formula.
struct Formula {
  std::string name;
  std::string states;  // one sentence
  std::function<bool(const Case& c)> applies =
      nullptr;  // nothing: always; else where it differs from the canonical one
};

// A mutant: a wrong answer that the judge must notice. Ops add their own to those of judge/mutants.h. Changes
// `outputs`, what a right kernel would have written, into what the wrong one would have.
struct Mutant {
  std::string name;
  std::function<void(const Case&, const Tensors& given, std::vector<RefTensor<double>>& outputs)> mutate;
};

// An interval of a function's arguments (ranges.h) that no data of the op reach, and why they cannot.
struct OutOfReach {
  std::string function, interval;  // by their names there
  std::string why;                 // one sentence
};

struct Contract {
  std::string name;
  std::string summary;                       // the mathematics in a line or two
  std::vector<std::string> also_named = {};  // other names that kernels for it have: "matmul"
  std::vector<DimSpec> dims;
  // Dims along which the op does the same thing again and again: element i of a written tensor along such a dim needs
  // element i of the others, and not the number i. Cases of 2^31 elements and more repeat a small one along them
  // (huge.h); without such dims the op has none. Where an extent is a product, such a dim comes first in it.
  std::vector<std::string> repeats_along = {};
  std::vector<AttrSpec> attrs = {};
  std::vector<NumberSpec> numbers = {};
  std::vector<TensorSpec> tensors;
  std::vector<Step> steps = {};  // of a composite (composite.h), in order
  std::vector<DType> dtypes = {DType::f32, DType::bf16, DType::f16};
  bool admits_nan = true;  // false: fills with NaN are not part of the contract
  bool admits_infinity = true;
  std::vector<std::string> skip_fills = {};  // further fills that are not part of the contract
  std::string why_left_out = {};             // the reason for these three
  std::vector<OutOfReach> out_of_reach = {};
  // It takes exponentials of what it is given: one random case in six has the fills that are made for that
  // (Fill::for_exponentials), which other ops do not have.
  bool exponentials = false;
  // It has dims H and HK of which the first are heads that share the second: two random cases in three have several
  // groups of several heads.
  bool groups_heads = false;
  // It replaces masked scores by minus infinity, and its reference by Tracked::mask_value, which a variant may declare.
  bool masks_scores = false;
  // Why no vendor's library computes it, so that its mark in benchmarks is the roof; empty where a variant of one does.
  std::string no_library = {};
  bool linear = false;  // only adds and copies its data: with an exact fill every right kernel gives the same bits
  // Constraints between dims, such as "H is a multiple of HK": the reason and a hint when `c` breaks one.
  std::function<std::optional<Error>(const Case& c)> constraint = nullptr;
  // Moves a case that breaks the constraint to one near it that does not; generation and shrinking use it.
  std::function<void(Case& c)> adjust = nullptr;
  Reference reference;
  std::vector<NamedRounding> roundings = {};  // of intermediate results, which variants may declare (Variant::rounds)
  std::vector<Formula> formulas = {};         // besides the canonical one
  bool multiplies_matrices = false;           // its operands may enter products rounded (operands_of)
  std::vector<Property> properties = {};
  std::vector<Mutant> mutants = {};
  std::function<double(const Case& c)> flops = nullptr;  // arithmetic operations of the mathematics, for the roofline
};

bool admits(const DimSpec& dim, int64_t value);

// One of its choices; or any other finite number, where all of them are numbers and not all whole, as those of an eps
// or a scale are: the choices are what is swept, and a kernel may have another built in.
bool admits(const AttrSpec& attr, const std::string& value);

// "one of 1e-5, 1e-6, or another number"
std::string admitted_by(const AttrSpec& attr);

// The value of a dim's domain that is nearest to `size`, of two the smaller.
int64_t nearest(const DimSpec& dim, int64_t size);

// Whether the contract has a meaning for this kind of data.
bool admits(const Contract& contract, const Fill& fill);

// The shape of a tensor in a case, by evaluating its products, its element type, and whether it is read or written.
std::vector<int64_t> shape_of(const TensorSpec& spec, const Case& c);
DType dtype_of(const TensorSpec& spec, const Case& c);
Role role_of(const TensorSpec& spec, const Case& c);

// The parts of a tensor that are not the op's own in a case.
Regions regions_of(const TensorSpec& spec, const Case& c);

// A contract with an attribute of this name has cases in which a written tensor and an input are one buffer: its value
// is "out:a" then (the written one first; "dq:q,dk:k" for several), and "none" otherwise. The buffer starts with the
// input's elements. A device gives kernels the address of the written tensor for both; the input in `Tensors` stays
// what it was, so nobody asks whether it was changed.
inline constexpr const char* kAliasAttr = "alias";

struct Alias {
  std::string written, input;
};

std::vector<Alias> aliases_in(std::string_view choice);
std::vector<Alias> aliases_of(const Case& c);

// Bytes by which a tensor begins after an aligned address in this case. Blocks of a quantised format (u8) always begin
// at one: an offset in bytes would break the alignment of what they are made of.
size_t offset_bytes(const TensorSpec& spec, const Case& c);

// Bytes that any kernel must move: every input read once, every output written once (accumulated ones also read), but
// for what is not the op's own.
int64_t compulsory_bytes(const Contract& contract, const Case& c);

// Elements of all tensors together; the largest number when there are too many to count.
int64_t element_count(const Contract& contract, const Case& c);

inline constexpr int64_t kElementsMax = int64_t{1} << 36;  // of a case: more than any machine's memory holds as double

// Checks a parsed case against the contract: all dims and attributes present (those that came later are added), known
// and inside their domain, constraints kept, a known fill that the op admits. Returns it in canonical form (params in
// the contract's order). `line` is the text that c was parsed from; errors mark the place in it.
Result<Case> conform(const Contract& contract, Case c, std::string_view line);

// The tensors of a case, before a run: inputs filled from its seed or with their constant, outputs poisoned, guards
// intact.
Tensors make_tensors(const Contract& contract, const Case& c, const std::vector<Constant>& constants = {});

// Fills `tensor` with the case's fill, honouring `nonzero`. For MakeTensor functions that start from data.
void apply_fill(const Case& c, Rng& rng, double magnitude, Tensor& tensor);

}  // namespace assay
