// Infers an adapter from a kernel's source alone: which op it may be, and how its parameters meet the contract.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/adapter/read/kernel_source.h"
#include "harness/op/contract.h"

namespace assay {

// The ops that a kernel may be meant for, best first; empty when none fits.
std::vector<std::string> likely_ops(const KernelSource& kernel);

// Whether a kernel's name has every word of an op's: softmax_fwd_kernel1 those of softmax_forward.
bool names_op(const KernelSource& kernel, const std::string& op);

// The op that the words of a kernel's name say, where they say no other: gelu_forward of gelu_kernel, softmax_backward
// of softmaxBwd, and "" of matmul_transpose, which is two things.
std::string op_by_name(const KernelSource& kernel);

inline constexpr const char* kWholeRows = "rows hold whole vectors";  // a guess
inline constexpr const char* kWholeBlocks = "blocks are whole";       // a guess
inline constexpr const char* kPowersOfTwo = "blocks are powers of two";
inline constexpr const char* kHoldsZero = " holds 0 before the launch, because ";  // in a remark

struct Inferred {
  Adapter adapter;
  std::vector<std::string> remarks;  // what was assumed, for the reader of the file
  std::vector<std::string> unknown;  // what could not be inferred, one sentence each; empty: the adapter is complete.
                                     // Its text is "?" in each such place, which no compiler takes for an expression.
  // The guesses that nothing in the file shows, one clause each. A few right cases show that the first are so: no other
  // arguments give right answers. A launch may be right in these and wrong in others.
  std::vector<std::string> guesses, launch_guesses;
  std::vector<std::string> open_attrs;  // attributes among the unknown
  bool dtype_is_open = false;           // its dtypes are to be tried, one after the other
  int cost = 0;                         // of the guesses: the less, the likelier
  bool shown_right = false;             // in the cases that it was tried in
  int authors_line = 0;                 // of the launch in the file, where it is that and nothing of it is guessed
  int any_block_line = 0;               // of it, where nothing is guessed and its block is any that a caller gives
  int filled_line = 0;                  // of it, where what its grid is computed from is guessed
  std::string bound;                    // the parameter that an index of all threads is compared with
  std::vector<size_t> ones;             // the arguments that count rows by their names, and are guessed to be 1
  bool agrees_with_indices = false;     // what sizes and pointers are agrees with how the kernel's indices step
  bool has_rests = false;               // it has a way of its own for what no whole vector holds
  int overload_line = 0;                // of its kernel, where the file has several of that name
  std::string exchanged = {};           // arguments that the file's launch passes by each other's names
  bool reads_zeros = false;             // a pointer that is only read has nothing of the op's, and holds 0
  size_t stated_requirements = 0;       // how many of the first the file states: the others are guesses
};

// The adapter of `kernel` for `contract`; of several kernels, one launch after the other. A parameter is matched when
// its name and type leave no doubt: it is the name of one tensor, dim or attribute (or one of its usual other names),
// the direction (const or not) and the element type fit.
Inferred infer_adapter(const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                       const std::string& path);
Inferred infer_adapter(const CudaSource& source, const std::vector<const KernelSource*>& kernels,
                       const Contract& contract, const std::string& path);

// The likeliest complete adapters, best first: the inferred one alone where nothing is open, else every completion that
// types and body admit, as many as can be tried together. The result is empty where nothing fits.
std::vector<Inferred> candidate_adapters(const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                                         const std::string& path);

// The adapter that calls `launcher`, a host function that launches. Its parameters are matched as a kernel's; one that
// is a block size is given `block`, a stream the default one.
Inferred infer_launcher(const CudaSource& source, const FunctionSource& launcher, const Contract& contract,
                        const std::string& path);

// Which macros the kernel was read with that the user did not give.
std::string defined_sentence(const CudaSource& source);

// The mistakes in the arguments of an adapter before anything runs: too few or too many, a pointer for a number, a
// const tensor for an output, another element type, two that are exchanged (their names are each other's). One sentence
// each, with the parameter's name and the adapter's or source's line.
std::vector<std::string> wrong_arguments(const CudaSource& source, const Adapter& adapter, const Contract& contract);

// Those of the adapter's dtypes in which the tensors that it passes are what the parameters point to; all of them where
// none is, so that wrong_arguments() says why.
std::vector<DType> fitting_dtypes(const CudaSource& source, const Adapter& adapter, const Contract& contract);

}  // namespace assay
