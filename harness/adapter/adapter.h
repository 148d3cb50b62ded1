// An adapter says how a user's kernel meets a contract: which function, its arguments, how it is launched. It is a TOML
// file beside the kernel, or inferred from the kernel's source. harness/cli/help/adapt.md says what its keys are, and
// what its expressions may name. A tensor hides an attribute of its name.
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
  bool dtypes_unmade = false;    // those of a template, in which nobody makes an instance; no file has this
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
