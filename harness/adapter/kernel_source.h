// The kernels of a CUDA source file: names, parameters, where they are. Read from the text, without a
// compiler: it works on files that do not compile, and knows nothing of types beyond how they are spelled.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/adapter/pieces.h"
#include "harness/base/error.h"

namespace assay {

struct Parameter {
  std::string type;  // as spelled, without `const`, `__restrict__` and `*`: "float", "T", "__nv_bfloat16"
  std::string name;  // "" for an unnamed one
  bool is_pointer = false;
  bool is_const = false;  // of what a pointer points to
  int line = 0;
};

// The instances of a kernel in the file, explicit or as a compiler saw them: one for each set of template arguments.
struct KernelInstance {
  std::vector<std::string> arguments = {};   // of its template, as C++ spells them: "float", "128"
  std::array<uint64_t, 3> threads_max = {};  // of a block, as __launch_bounds__ says; 0: it does not
  uint64_t shared_bytes = 0;                 // of its static shared arrays
};

// The uses that a function makes of one of its pointers.
struct PointerUse {
  bool indexed = false;   // p[i], *p
  bool written = false;   // p[i] = …, directly or through a pointer that was made from it
  bool added_to = false;  // by atomicAdd
  bool read = false;      // its elements, as p[i] += … does too
  bool passed = false;    // to a function, which may do anything
  bool many = false;      // indexed by what is no number: it points to several elements
};

struct KernelSource {
  std::string name;                              // "softmax_bwd"
  std::string qualified_name;                    // with its namespaces: "mine::softmax_bwd"
  std::vector<std::string> template_parameters;  // "T", "BLOCK": names only
  std::vector<std::string> template_kinds;       // of each: "typename", "class", "function", or a type such as "int"
  std::vector<std::string> template_defaults;    // of each, as spelled; "" where there is none
  std::vector<Parameter> parameters;
  std::string body;                            // between its braces, comments and strings blanked
  int line = 0;                                // of its name, from 1
  std::vector<KernelInstance> instances = {};  // empty: nobody knows
  // As a compiler has it; empty where only the text is there.
  std::map<std::string, PointerUse> uses = {};  // of each parameter
  std::vector<std::string> requirements = {};   // what its assertions say of its parameters
  std::string reached = {};                     // the text of the functions and constants that it uses
  // The arguments of the template that it is the specialisation for, which its qualified name has, too.
  std::vector<std::string> specialised_for = {};
  // The arguments of each specialisation of a template, for which the template itself is not used.
  std::vector<std::vector<std::string>> specialisations = {};
};

// A function that is no kernel; its body is kernel code (is_device) or the host's.
struct FunctionSource : KernelSource {
  std::string result;         // type, as spelled: "void", "const float*"
  bool is_device = false;     // __device__, whether or not it is __host__ too
  bool is_member = false;     // of a class
  size_t begin = 0, end = 0;  // of the body, as offsets in CudaSource::code
};

// A launch in host code: kernel<<<grid, block, shared, stream>>>(arguments), as spelled.
struct LaunchSource {
  std::string kernel;  // with template arguments, if any
  std::vector<std::string> configuration;
  std::vector<std::string> arguments;
  int line = 0;
  size_t at = 0;  // offset of its <<< in CudaSource::code
  // Where a compiler has read it, local variables and macros stand for their values above, and there is more:
  bool is_compiled = false;
  std::string file = {};
  std::vector<std::string> template_arguments = {};
  std::vector<std::string> conditions = {};  // that hold where it is reached, over the function's parameters
};

struct CudaSource {
  std::vector<KernelSource> kernels;  // in the order of the text
  std::vector<FunctionSource> functions;
  std::vector<LaunchSource> launches;
  // #define NAME replacement, without parameters and of one line, in the order of the text
  std::vector<std::pair<std::string, std::string>> constants;
  std::string code;                               // the whole text, comments, strings and directives blanked
  std::shared_ptr<const FilePieces> pieces = {};  // where a compiler has read it
  std::string not_read = {};                      // why a compiler did not, where one is here; a sentence
  bool kernels_only = false;                      // its host functions are not there to be called, as by nvcc's PTX
  bool by_nvcc = false;  // read with nvcc's help: macros are expanded, and types have no aliases
};

// The function whose body has the launch; null for one of no function that was read.
const FunctionSource* function_of(const CudaSource& source, const LaunchSource& launch);

// Text that cannot be understood (unbalanced braces, say) is an error with its line.
Result<CudaSource> read_cuda(std::string_view text);

// The same text with every kernel<<<…>>>(…) replaced by a call that a host compiler understands,
// assay_refused_launch(kernel)(…), on the same line: host code of a user's file is compiled but never run.
std::string without_launch_syntax(std::string_view text);

// The same text with `__shared__ alignas(16) float x[4]` as `alignas(16) __shared__ float x[4]`: only nvcc takes the
// first.
std::string with_alignas_first(std::string_view text);

}  // namespace assay
