// An adapter says how a user's kernel meets a contract: which function, its arguments, how it is launched. It is a TOML
// file beside the kernel, or inferred from the kernel's source.
//
//   op = "softmax_backward"
//   source = "my_kernels.cu"                 # beside this file; left out: the file that `assay check` was given
//   name = "my_idea"                         # of the variant; left out: the kernel's name
//   language = "host"                        # of the entries: "host" for plain functions; left out: "cuda"
//   dtypes = ["f32"]                         # left out: all that fit the parameters
//   blocks = [128, 256]                      # left out: swept over powers of two, other multiples of 32, and odd sizes
//   fix = { Sq = "Sk", causal = "1" }        # dims and attributes that the kernel does not leave open
//   range = { cols = [1, 1024], D = ["64", "128"] }  # from … to, or some values
//   requires = ["cols % 4 == 0"]             # cases that break one are UNSUPPORTED, with this text
//   skip_fills = ["ties"]                    # kinds of data that it is not meant for (`assay list fills`)
//   finite = true                            # nor is it for fills with NaN or infinities
//   omits = ["rstd"]                         # outputs that the kernel does not make: the others are judged
//   constant = { gamma = 1 }                 # inputs of which it does without the elements: cases hold this in each
//   mask_value = -1e9                        # what it replaces masked scores by; left out: minus infinity
//   rounds = ["p"]                           # intermediate results that it rounds to the case's dtype
//   accumulate = "f16"                       # its arithmetic: f16, bf16, or tf32 operands; left out: f32
//   ftz = true                               # f32 subnormals are 0 to it
//   fast_math = true                         # it takes fast intrinsics; -use_fast_math is ftz too
//   aligned = 16                             # bytes of which each tensor's address must be a multiple; left out: 16
//                                            # where the file's text shows vectors and no question for an address
//   zero = ["dw"]                            # outputs, or "workspace", that the caller clears before the first launch
//   in_place = ["y:x"]                       # outputs that hold an input when the first launch begins: the kernel
//                                            # takes one pointer for both
//   workspace = "rows * 4"                   # bytes of scratch memory
//   deterministic = true
//   include = ["../include"]                 # folders of headers, as -I gives them; beside this file
//   define = ["HEAD_SIZE=64"]                # macros, as -D gives them
//   flags = "-O1"                            # further flags of the host compiler
//   via = "ptx"                              # "source": by the host compiler; "ptx": by nvcc's PTX; left out: "auto"
//   nvcc_flags = "-use_fast_math"            # further flags of nvcc, where it makes the PTX
//   arch = "sm_80"                           # what nvcc compiles for; left out: sm_90a
//   guesses = ["the block is 16 by 16"]      # what nothing showed: while it is here, failures are not the kernel's
//   language = "cuda"                        # or "host": entry is a plain C or C++ function, and there is no grid
//   declaration = "void f(const float*, …)"  # of the entry, where the source is a shared library
//
//   [[launch]]                               # in order; one or more
//   entry = "softmax_bwd<T>"                 # T stands for the case's element type
//   args = ["g", "y", "dx", "rows", "cols"]
//   grid = ["rows"]                          # one to three extents
//   any_grid = true                          # its loops stride by gridDim.x: any first extent will do, and is tried
//   block = ["block"]                        # left out: ["block"]
//   shared = "block * 4"                     # bytes of dynamic shared memory; left out: 0
//
//   [[launch]]
//   launcher = "softmax_forward4"            # instead of entry, grid, block and shared: a function of the file that
//   args = ["y", "x", "rows", "cols", "block"]  # launches, called as it is; `block` is swept where args name it
//
// Cases are generated inside of fix and range, and moved towards what `requires` demands.
//
// Strings in args, grid, block, shared and workspace are C++ expressions over: the contract's tensors (pointers), its
// dims and whole-number attributes (int64_t), its other attributes (double when they are numbers, else std::string),
// `block` (int), `workspace` (void*), `T`, and the functions ceil_div(a, b), min, max, sqrtf. A tensor hides an
// attribute of its name. In args `count[0]` is an element as the host reads it before the launch, and
// `transposed(delta, 0, 1)` a copy of a tensor with two of its axes exchanged, `converted<float>(gamma)` a copy of
// which the elements are of another type, `columns(in, dim, dim)` a copy of the columns [dim, 2 * dim) of each row;
// what the kernel writes there is copied back. Strings in fix and requires know no tensors, only `dtype` and `fill`
// (std::string) and every attribute.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/op/variant.h"
#include "harness/tensor/dtype.h"

namespace assay {

struct AdapterLaunch {
  std::string entry;
  std::vector<std::string> args;
  std::vector<std::string> grid = {"1"};
  std::vector<std::string> block = {"block"};
  std::string shared = "0";
  bool any_grid = false;     // whatever the grid's first extent is, it does the whole work
  bool is_launcher = false;  // entry is a host function that launches; grid, block and shared mean nothing
};

// How the kernel's file is compiled, besides what every kernel gets.
struct CompileOptions {
  std::vector<std::string> include = {};  // folders where headers are looked for
  std::vector<std::string> define = {};   // "NAME" or "NAME=VALUE"
  std::string flags = {};                 // of the host compiler, with spaces between
  std::string nvcc_flags = {};            // of nvcc, where it makes the PTX
  std::string arch = {};                  // that nvcc compiles for, "sm_80"; "": sm_90a
  std::string via = {};                   // "source", "ptx" or "auto"; "": auto
  std::string build = {};                 // where a compile_commands.json has more of these; "": nowhere
  bool counts = false;                    // kernels by PTX are translated so that instructions can be counted
  bool coverage = false;                  // kernels from source are compiled so that their lines are counted
  bool operator==(const CompileOptions&) const = default;
};

// The options as words of a command line: -I FOLDER -D NAME=VALUE --flags=TEXT --nvcc-flags=TEXT --arch=sm_80 --via=ptx
// -p BUILD.
std::vector<std::string> words_of(const CompileOptions& options);

// `first`, then what `second` adds to it.
CompileOptions merged(CompileOptions first, const CompileOptions& second);

enum class KernelLanguage { cuda, host };  // host: a plain C or C++ function; grid, block and shared mean nothing

struct Fixed {
  std::string name;   // of a dim or attribute
  std::string value;  // a number, a choice, or an expression over the case
};

struct Adapter {
  std::string path = {};                  // of the TOML file; "" when it was inferred
  std::map<std::string, int> lines = {};  // of expressions in it
  std::string source = {};                // path of the kernel's file
  std::string op = {};
  std::string name = {};
  KernelLanguage language = KernelLanguage::cuda;
  std::vector<DType> dtypes = {};
  bool all_dtypes = false;                     // the file names none: those of the op that its pointers admit
  std::vector<int> blocks = {};                // empty: swept_blocks()
  std::vector<std::string> requirements = {};  // `requires` in the file, a keyword here
  std::vector<Fixed> fixed = {};               // `fix`
  std::vector<Domain> ranges = {};             // `range`
  std::vector<std::string> skip_fills = {};
  bool finite = false;
  std::vector<std::string> omits = {};
  std::vector<Constant> constants = {};  // `constant`
  std::optional<double> mask_value = {};
  std::vector<std::string> rounds = {};  // the declared precisions, as Variant has them
  Accumulate accumulate = Accumulate::f32;
  bool ftz = false;
  bool fast_math = false;
  std::vector<std::string> zero = {};
  std::vector<std::string> in_place = {};  // "y:x"
  std::optional<int> aligned = {};         // nothing: what the kernel's accesses need
  std::string workspace = "0";
  bool deterministic = true;
  CompileOptions compile = {};
  std::vector<std::string> guesses = {};
  std::string declaration = {};  // of the entry of a shared library
  std::vector<AdapterLaunch> launches = {};
};

// Block sizes that are swept where an adapter leaves them open.
const std::vector<int>& swept_blocks();

// The kernel's name in an entry: "softmax_bwd" of "mine::softmax_bwd<T>".
std::string kernel_of(const std::string& entry);

// The entry as an expression of C++: one of several overloads is named with its types, "k(float*, int)".
std::string function_of(const std::string& entry);

// Errors name the file and line: an unknown key, op, element type or tensor, a wrong type, no launch, an UNKNOWN that
// `assay adapt` wrote and nobody settled. `source` is then
// a path from the current folder, and `name` and `dtypes` are filled in; `blocks` stays empty where the file is silent.
Result<Adapter> read_adapter(const std::string& path);

// The file that read_adapter reads back, whatever is in its texts as long as it is UTF-8: TOML has nothing else.
// `remarks` become comments at its head, one line each. It names `source` from
// the folder of `path`, or as a file beside it when there is no path.
std::string print(const Adapter& adapter, const std::vector<std::string>& remarks);

}  // namespace assay
