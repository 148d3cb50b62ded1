// The kernels of a CUDA source file: names, parameters, where they are and how they are launched. Read by Clang
// (read_by_clang.h), or from PTX, which shows less of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/adapter/read/body_facts.h"
#include "harness/adapter/read/pieces.h"

namespace assay {

struct Parameter {
  std::string type;  // canonical, without `const`, `__restrict__` and `*`: "float", "T", "__nv_bfloat16"
  std::string name;  // "" for an unnamed one
  bool is_pointer = false;
  bool is_const = false;  // of what a pointer points to
  int line = 0;
  // The parameter that this is a field of, and its type: a structure by value. "" for none.
  std::string record = {}, record_type = {};
};

struct TemplateParameter {
  std::string name;        // "T", "BLOCK"
  std::string kind;        // "typename", "class", "function", or a type such as "int"
  std::string by_default;  // as spelled; "" where it has no default

  bool is_type() const { return kind == "typename" || kind == "class"; }
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
  bool tested = false;    // compared, or a condition
  bool many = false;      // indexed by what is no number: it points to several elements
};

struct KernelSource {
  std::string name;            // "softmax_bwd"
  std::string qualified_name;  // with its namespaces: "mine::softmax_bwd"
  std::vector<TemplateParameter> template_parameters;
  std::vector<Parameter> parameters;
  BodyFacts facts = {};                        // what it computes with
  int line = 0;                                // of its name, from 1
  std::vector<KernelInstance> instances = {};  // empty: nobody knows
  // Empty where only PTX is there.
  std::map<std::string, PointerUse> uses = {};  // of each pointer among the parameters
  std::vector<std::string> requirements = {};   // what its assertions say of its parameters
  // Real numbers that launches pass as they are, by parameter: "1.0f".
  std::map<std::string, std::vector<std::string>> literals = {};
  std::set<std::string> chosen_by = {};  // parameters of a launcher whose literals alone make it launch what is wanted
  ReachedPieces reached = {};            // the functions and constants that it uses
  // The arguments of the template that it is the specialisation for, which its qualified name has, too.
  std::vector<std::string> specialised_for = {};
  bool is_overloaded = false;      // by another that is no template either
  bool sums_in_any_order = false;  // it, or what it calls, adds floats atomically, to whatever memory
  // The arguments of each specialisation of a template, for which the template itself is not used.
  std::vector<std::vector<std::string>> specialisations = {};
};

// A function that launches.
struct FunctionSource : KernelSource {
  bool is_callable = false;  // of the file itself, on the host, and of no class
};

// A launch, by kernel<<<grid, block, shared, stream>>>(arguments) or a call of the runtime. Local variables and macros
// stand for their values, so that it is over the parameters of its function.
struct LaunchSource {
  std::string kernel;  // with template arguments, if any
  std::vector<std::string> configuration;
  std::vector<std::string> arguments;
  std::vector<std::string> values = {};  // of arguments that are one whole number: "1048576", and "" for the others
  int line = 0;
  std::optional<size_t> function = {};  // of CudaSource::functions; nothing for one of another file
  std::string file = {};
  std::vector<std::string> template_arguments = {};
  std::vector<std::string> conditions = {};  // that hold where it is reached, over the function's parameters
  bool is_dependent = false;                 // on the parameters of a template that nothing instantiates
};

struct CudaSource {
  std::vector<KernelSource> kernels;  // in the order of the text
  std::vector<FunctionSource> functions;
  std::vector<LaunchSource> launches;
  // Names and values: macros without parameters, constants and enumerators, in the order of the text.
  std::vector<std::pair<std::string, std::string>> constants;
  std::string code;                               // the whole text
  std::vector<std::string> defined = {};          // macros, beside the user's, without which the kernel is not there
  std::shared_ptr<const FilePieces> pieces = {};  // what its kernels need of it
  bool is_read = true;                            // false: nobody knows what the file has
  bool kernels_only = false;                      // its host functions are not there to be called, as by nvcc's PTX
  bool by_nvcc = false;                           // read with nvcc's help, which has types and instances
};

// The function whose body has the launch; null for one of another file.
inline const FunctionSource* function_of(const CudaSource& source, const LaunchSource& launch) {
  return launch.function ? &source.functions[*launch.function] : nullptr;
}

// Whether a name is that of one of a template's parameters.
inline bool is_template_parameter(const KernelSource& kernel, std::string_view name) {
  return std::ranges::any_of(kernel.template_parameters,
                             [&](const TemplateParameter& each) { return each.name == name; });
}

// The names and parameters of kernels and launchers, by name; of overloads all: "copy(float* out, float const* in)".
inline std::map<std::string, std::string> signatures_of(const CudaSource& source) {
  std::map<std::string, std::string> all;
  const auto add = [&](const KernelSource& kernel) {
    std::string& text = all[kernel.name];
    text += (text.empty() ? "" : " ") + kernel.name + "(";
    for (const Parameter& each : kernel.parameters)
      text += (&each == &kernel.parameters[0] ? "" : ", ") + each.type +
              (!each.is_pointer ? " "
               : each.is_const  ? " const* "
                                : "* ") +
              each.name;
    text += ")";
  };
  for (const KernelSource& kernel : source.kernels) add(kernel);
  for (const FunctionSource& function : source.functions) add(function);
  return all;
}

// The kernels that are templates.
inline std::set<std::string> templates_of(const CudaSource& source) {
  std::set<std::string> names;
  for (const KernelSource& kernel : source.kernels)
    if (!kernel.template_parameters.empty()) names.insert(kernel.name);
  return names;
}

}  // namespace assay
