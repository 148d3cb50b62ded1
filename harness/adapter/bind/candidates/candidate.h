// Binding candidates: how a kernel or launcher may be called where its file leaves that open. Each is a guess with a
// cost; a few cases decide between them (TryAdapters), the cheapest first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/adapter/bind/infer.h"
#include "harness/adapter/bind/infer_launch.h"
#include "harness/adapter/bind/match.h"

namespace assay {

struct Choice {
  std::string attr, value;  // of an attribute that the candidate leaves open
};
using Choices = std::vector<Choice>;

// A binding candidate: what every parameter takes and the template parameters stand for, some of it guessed.
struct BindingCandidate {
  std::vector<Match> matches;
  std::map<std::string, std::string> template_values = {};  // by the parameter's name: "256", "true"
  std::vector<std::string> guesses = {};                    // "N is cols"
  int cost = 0;                                             // the less, the likelier
  Choices choices = {};                                     // of attributes, as the body's indices show
  bool agrees_with_indices = false;
};

// The likeliest candidates that bind all parameters, best first: those that types and the body's use of the pointers
// admit. Besides the contract's names, parameters may take products of dims, a dim a second time, one number for a
// whole input, 0 and 1, and pointers nullptr and cleared scratch memory. The result is empty where a parameter fits
// nothing. Of a host function that launches, too: a block size is given `block`, a stream the default one.
std::vector<BindingCandidate> ranked_bindings(const KernelSource& kernel, const Contract& contract, size_t count_max);

// Values for the template parameters that are numbers and that neither a default nor the file's own launch gives: those
// of the instances that a compiler has made, best first; one empty candidate where there are none.
std::vector<BindingCandidate> template_candidates(const CudaSource& source, const KernelSource& kernel);

// The arguments between < and > of the file's own launch of a kernel, as spelled; empty where there are none.
std::vector<std::string> host_template_arguments(const CudaSource& source, const KernelSource& kernel);

// A block's size that is a template argument of the kernel: it is named so, or an array in shared memory has it as its
// extent and the thread's number as its index. Both together leave no doubt.
struct TemplateBlock {
  int size = 0;
  std::string parameter;
  bool is_certain = false;
};
// `arguments` of the template, in order; the defaults of those that are missing. Nothing for blocks of two axes.
std::optional<TemplateBlock> block_of_template(const CudaSource& source, const KernelSource& kernel,
                                               const std::vector<std::string>& arguments);

// The threads of a block by loops that begin at threadIdx.x and all go on by one number: 256 of `for (i = threadIdx.x;
// i < n; i += 256)`, and of 4 * threadIdx.x and 1024. 0: it is not known.
int64_t threads_by_steps(const CudaSource& source, const KernelSource& kernel);

// The extent of the smallest array in shared memory of which each thread writes its own element: a block has no more
// threads. 0: there is none.
int64_t threads_in_shared(const CudaSource& source, const KernelSource& kernel);

// The candidates for a launcher whose parameters leave nothing in doubt: one, or one for each choice of the attributes
// that no parameter takes. The result is empty where it leaves more open.
std::vector<Inferred> candidates_for_launcher(const CudaSource& source, const FunctionSource& launcher,
                                              const Contract& contract, const std::string& path);

// The likeliest launches, best first: the inferred one, if it is complete, and what would show that it is wrong; else
// the file's own with guesses in the places of names that it cannot be followed beyond.
std::vector<InferredLaunch> launch_candidates(const CudaSource& source, const KernelSource& kernel,
                                              const BindingCandidate& candidate, const Contract& contract);

// Whether an adapter holds a dim or an attribute.
inline bool is_fixed(const Adapter& adapter, const std::string& name) {
  return std::ranges::find(adapter.fixed, name, &Fixed::name) != adapter.fixed.end();
}

// Holds dims that nothing takes to the numbers that the kernel's indices and its file's grid have in their places.
void hold_built_in_sizes(const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                         std::vector<Inferred>& all);

// Adds to `all`, which has `plain`, the same candidates with the dims that they leave to the grid held to what these
// might be: one row, as many columns as rows, or a size that counts alike.
void fix_untaken(const Contract& contract, const std::vector<Inferred>& plain, std::vector<Inferred>& all);

// The candidates, and each once more for cases without parts of vectors or of a block's tile: "cols % 4 == 0". Only so
// where the kernel goes by tiles and compares no index that it makes of its blocks.
std::vector<Inferred> with_whole_parts(std::vector<Inferred> candidates, const CudaSource& source,
                                       const KernelSource& kernel, const Contract& contract);

// Where the kernel halves its block, as a tree over the threads does, candidates that leave the block open keep to
// powers of two: a guess where the file's launch computes it.
void keep_to_halved_blocks(std::vector<Inferred>& candidates, const CudaSource& source, const KernelSource& kernel);

// The same adapter with two dims exchanged, where names of one letter are all that distinguishes them in `called`, or
// the op turns a matrix over.
std::optional<Inferred> exchanged(const Inferred& inferred, const KernelSource& called, const Contract& contract);

// The candidates, and before each the same one with what the kernel's name says of an attribute: the second choice of
// an optional one of two whose name it has (causal=1 of a kernel called causal_softmax that has no such parameter), or
// the choice that it has itself (format=q8_0 of dequantize_q8_0). Those of two choices are also there for square
// matrices.
std::vector<Inferred> with_named_choices(std::vector<Inferred> candidates, const std::string& kernel,
                                         const Contract& contract);

// The adapter of a candidate that launches a kernel, or calls a launcher. Its unknown parts are in Inferred::unknown.
Inferred infer_candidate(const CudaSource& source, const KernelSource& kernel, const BindingCandidate& candidate,
                         InferredLaunch launch, const Contract& contract, const Choices& choices = {});
Inferred infer_candidate(const CudaSource& source, const FunctionSource& launcher, const BindingCandidate& candidate,
                         const Contract& contract, const Choices& choices = {});

}  // namespace assay
