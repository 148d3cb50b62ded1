// Writing the wrapper, top to bottom.
#include "harness/adapter/build/generate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/adapter/build/cpp_names.h"
#include "harness/adapter/build/element_type.h"
#include "harness/adapter/build/sizes.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/steering.h"
#include "harness/base/embedded.h"
#include "harness/base/number.h"
#include "harness/base/printable.h"

namespace assay {

namespace {

std::string with_sizes(const std::string& text) {
  return with_type(text, kElement, [](const std::vector<Token>& tokens, size_t i) {
    return i >= 2 && token_is(tokens, i - 2, "sizeof") && token_is(tokens, i - 1, "(") && token_is(tokens, i + 1, ")");
  });
}

// Declarations of the dims, attributes and block size of a case that `words` name, from the expression `c`. Attributes
// that are named as a tensor make way for it where tensors are; elsewhere sizes may be divided by, whatever they are.
std::string case_variables(const Contract& contract, const std::string& c, bool beside_tensors,
                           const AdapterWords& words) {
  const std::string size = beside_tensors ? "int64_t" : "assay::adapter::CaseSize";
  const auto whole = [&](const std::string& name) {
    return fmt::format("  [[maybe_unused]] const {0} {1} = {2}.dim(\"{1}\");\n", size, name, c);
  };
  std::string text;
  for (const DimSpec& dim : contract.dims)
    if (words.contains(dim.name)) text += whole(dim.name);
  for (const AttrSpec& attr : contract.attrs) {
    const auto is_tensor = [&](const TensorSpec& tensor) { return tensor.name == attr.name; };
    if (!words.contains(attr.name)) continue;
    if (beside_tensors && std::any_of(contract.tensors.begin(), contract.tensors.end(), is_tensor)) continue;
    const auto all = [&](auto number) {
      return std::ranges::all_of(attr.choices,
                                 [](auto& each) { return number_in<decltype(number)>(each).has_value(); });
    };
    if (all(int64_t{}))
      text += whole(attr.name);
    else if (all(double{}))
      text += fmt::format("  [[maybe_unused]] const double {0} = {1}.real(\"{0}\");\n", attr.name, c);
    else
      text += fmt::format("  [[maybe_unused]] const std::string& {0} = {1}.text(\"{0}\");\n", attr.name, c);
  }
  return text + fmt::format("  [[maybe_unused]] const int block = {}.block.value_or(0);\n", c);
}

// The same without tensors, and with the kind of data.
std::string whole_case_variables(const Contract& contract, const AdapterWords& words) {
  std::string text = case_variables(contract, "assay_case", false, words);
  const auto taken = [&](const char* name) {
    const auto is_it = [&](const auto& spec) { return spec.name == name; };
    return std::any_of(contract.dims.begin(), contract.dims.end(), is_it) ||
           std::any_of(contract.attrs.begin(), contract.attrs.end(), is_it);
  };
  if (!taken("dtype") && words.contains("dtype"))
    text += "  [[maybe_unused]] const std::string dtype(assay::name(assay_case.dtype));\n";
  if (!taken("fill") && words.contains("fill"))
    text += "  [[maybe_unused]] const std::string& fill = assay_case.fill;\n";
  return text;
}

// An output that holds something before the first launch is no output that is only written.
bool is_begun(const Adapter& adapter, const std::string& output) {
  return std::ranges::find(adapter.zero, output) != adapter.zero.end() ||
         std::ranges::any_of(adapter.in_place, [&](const std::string& pair) { return pair.starts_with(output + ":"); });
}

std::string tensor_variables(const Adapter& adapter, const Contract& contract, const AdapterWords& words) {
  std::string text;
  for (const TensorSpec& tensor : contract.tensors) {
    if (!words.contains(tensor.name)) continue;
    const std::string element = element_type(tensor, adapter, contract);
    const std::string type =
        element.empty() ? "assay::adapter::Workspace" : fmt::format("assay::adapter::Tensor<{}>", element);
    text +=
        element.empty()
            ? fmt::format("  [[maybe_unused]] const {0} {1}{{assay_call.out<void>(\"{1}\")}};\n", type, tensor.name)
            : fmt::format("  [[maybe_unused]] const {0} {1}{{assay_call, \"{1}\", assay::adapter::Written::{2}}};\n",
                          type, tensor.name,
                          tensor.role == Role::input                                       ? "never"
                          : tensor.role == Role::output && !is_begun(adapter, tensor.name) ? "only"
                                                                                           : "also");
  }
  return text + "  [[maybe_unused]] const assay::adapter::Workspace workspace{assay_call.workspace<void>()};\n";
}

// A macro of the user's file must not change the names that the wrapper uses.
std::string undefined_names(const Contract& contract) {
  std::string text;
  const auto undefine = [&](const std::string& name) { text += fmt::format("#undef {}\n", name); };
  for (const DimSpec& dim : contract.dims) undefine(dim.name);
  for (const AttrSpec& attr : contract.attrs) undefine(attr.name);
  for (const TensorSpec& tensor : contract.tensors) undefine(tensor.name);
  for (const char* name :
       {"T", "block", "workspace", "min", "max", "ceil_div", "transposed", "converted", "columns", "dtype", "fill"})
    undefine(name);
  return text;
}

// Headers first: within extern "C" they would not be C++ any more.
constexpr const char* kBeforeC =
    "#include <cmath>\n#include <cstdlib>\n#include <cstring>\n#include <math.h>\n"
    "#define restrict __restrict__\nextern \"C\" {\n";

constexpr const char* kUsing =
    "  using assay::adapter::ceil_div;\n  using assay::adapter::min;\n  using assay::adapter::max;\n"
    "  using assay::adapter::transposed;\n  using assay::adapter::converted;\n  using assay::adapter::columns;\n";

// Expressions as they stand in the adapter's file, so that the compiler names its lines.
class Places {
 public:
  explicit Places(const Adapter& adapter) : adapter_(adapter) {}

  // The text that begins the line of the expression `written`; "" where it is not from a file.
  std::string before(const std::string& written) const {
    const auto line = adapter_.lines.find(written);
    if (adapter_.path.empty() || line == adapter_.lines.end()) return "";
    return "\n" + line_directive(line->second, adapter_.path);
  }
  // `code` in place of the expression `written`.
  std::string at(const std::string& written, const std::string& code) const {
    const std::string begin = before(written);
    return begin.empty() ? code : begin + code + "\n";
  }
  std::string at(const std::string& code) const { return at(code, code); }
  std::string list(const std::vector<std::string>& codes) const {
    std::string text;
    for (const std::string& code : codes) text += (text.empty() ? "" : ", ") + at(code);
    return text;
  }
  // Behind them: generated code again.
  std::string end() const {
    return adapter_.path.empty() || adapter_.lines.empty() ? "" : line_directive(1, adapter_.path + ", as compiled");
  }

 private:
  const Adapter& adapter_;
};

// The extents of the grid; its first where the case may choose another.
std::string grid_of(const AdapterLaunch& launch, const Places& places) {
  if (!launch.any_grid) return places.list(launch.grid);
  const std::vector<std::string> rest(launch.grid.begin() + 1, launch.grid.end());
  return fmt::format("assay_call.grid({}){}{}", places.at(launch.grid[0]), rest.empty() ? "" : ", ", places.list(rest));
}

// A function of a user's shared library that launches kernels.
bool is_of_library(const Adapter& adapter, const AdapterLaunch& launch) {
  return launch.is_launcher && !adapter.declaration.empty();
}

std::string launch_of(const AdapterLaunch& launch, const Adapter& adapter, const Contract& contract,
                      const Places& places) {
  const std::string entry = "::" + with_type(launch.entry, kElement), args = places.list(launch.args);
  const std::string begin = places.before(launch.entry) + "  ";
  if (is_of_library(adapter, launch))
    return fmt::format(
        "{0}assay::adapter::call_library(assay_call, assay_workspace(assay_call.c()), {1}, [&] {{ {1}({2}); }});\n",
        begin, entry, args);
  if (adapter.language == KernelLanguage::host) return fmt::format("{}{}({});\n", begin, entry, args);
  if (launch.is_launcher)
    return fmt::format("{}assay::adapter::call_launcher(assay_call, {}, [&] {{ {}({}); }});\n", begin,
                       takes_64_bits(entry, launch, contract), entry, args);
  return fmt::format("{}assay::adapter::run({}, assay::adapter::extents({}), assay::adapter::extents({}), {}{}{});\n",
                     begin, function_of(entry), grid_of(launch, places), places.list(launch.block),
                     places.at(launch.shared, with_sizes(launch.shared)), args.empty() ? "" : ", ", args);
}

bool calls_launcher(const Adapter& adapter) {
  return std::any_of(adapter.launches.begin(), adapter.launches.end(),
                     [](const AdapterLaunch& launch) { return launch.is_launcher; });
}

constexpr const char* kBegin = "namespace {\n\n";  // of what registers the variant

bool mentions_block(const Adapter& adapter) {
  const auto has = [](const std::string& text) {
    const std::vector<Token> tokens = tokens_of(text);
    return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.text == "block"; });
  };
  return std::any_of(adapter.launches.begin(), adapter.launches.end(), [&](const AdapterLaunch& launch) {
    if (launch.is_launcher) return std::any_of(launch.args.begin(), launch.args.end(), has);
    return std::any_of(launch.block.begin(), launch.block.end(), has) ||
           std::any_of(launch.grid.begin(), launch.grid.end(), has) || has(launch.shared);
  });
}

std::vector<int> blocks_of(const Adapter& adapter) {
  if (adapter.language == KernelLanguage::host || !mentions_block(adapter)) return {};
  return adapter.blocks.empty() ? swept_blocks() : adapter.blocks;
}

// The alignment for kernels without a source to read, such as a library's.
constexpr int kUnknownAlignment = 16;

bool has_any_grid(const Adapter& adapter) {
  const auto is_any = [](const AdapterLaunch& launch) { return launch.any_grid && !launch.is_launcher; };
  return adapter.language != KernelLanguage::host &&
         std::any_of(adapter.launches.begin(), adapter.launches.end(), is_any);
}

std::vector<std::string> literals(std::vector<std::string> texts) {
  for (std::string& text : texts) text = cpp_literal(text);
  return texts;
}

std::string domains_text(const std::vector<Domain>& domains) {
  std::string text;
  for (const Domain& domain : domains)
    text += fmt::format("  {{{}, {}, {}, {{{}}}}},\n", cpp_literal(domain.name), domain.min, domain.max,
                        fmt::join(literals(domain.values), ", "));
  return text;
}

// The assignments that move a case to what is computed from its other dims.
std::string fixes_text(const std::vector<Fixed>& computed, const Contract& contract, const Places& places) {
  std::string text;
  for (const Fixed& fixed : computed)
    text += fmt::format("  {{\n{}{}  assay::set_dim(assay_case, {}, int64_t({}));\n  }}\n", kUsing,
                        whole_case_variables(contract, words_in({fixed.value})), cpp_literal(fixed.name),
                        places.at(fixed.value));
  return text + places.end();
}

std::vector<std::string> demands_of(const std::vector<Fixed>& computed, const Adapter& adapter) {
  std::vector<std::string> all = adapter.requirements;
  for (const Fixed& fixed : computed) all.insert(all.end(), {fixed.name, fixed.value});
  return all;
}

// The reasons why a case is not supported.
std::string requirements_text(const std::vector<Fixed>& computed, const Adapter& adapter, const Places& places) {
  std::string text;
  for (const Fixed& fixed : computed)
    text += fmt::format("  if ({} != int64_t({})) return {};\n", fixed.name, places.at(fixed.value),
                        cpp_literal(fmt::format("takes {} = {} only", fixed.name, fixed.value)));
  for (const std::string& requirement : adapter.requirements)
    text += fmt::format("  if (!({})) return {};\n", places.at(requirement), cpp_literal("requires " + requirement));
  return text + places.end();
}

std::string constants_of_variant(const Adapter& adapter) {
  std::string text;
  for (const Constant& constant : adapter.constants)
    text += fmt::format("{{{}, {}}}, ", cpp_literal(constant.tensor), constant.value);
  return text;
}

}  // namespace

bool calls_cuda_library(const Adapter& adapter) {
  return !adapter.launches.empty() && is_of_library(adapter, adapter.launches[0]);
}

std::string wrapper_of(const std::vector<Adapter>& adapters, const Contract& contract, const std::string& source_path) {
  // The head of one that calls a launcher, if any does: launches of the file's own are compiled then.
  const auto head =
      std::find_if(adapters.begin(), adapters.end(), [](const Adapter& adapter) { return calls_launcher(adapter); });
  const std::string first = wrapper_of(head == adapters.end() ? adapters.at(0) : *head, contract, source_path);
  std::string text = first.substr(0, first.find(kBegin));
  for (size_t i = 0; i < adapters.size(); ++i) {
    const std::string one = wrapper_of(adapters[i], contract, source_path);
    const size_t begin = one.find(kBegin);
    text += fmt::format("namespace assay_candidate_{} {{\n{}}}\n", i, one.substr(begin));
  }
  return text;
}

namespace {

// The kernel's file, and what it must find before it.
std::string includes_of(const Adapter& adapter, const std::string& source_path) {
  std::string text;
  if (calls_launcher(adapter)) text += "#define ASSAY_LAUNCHER 1\n";
  if (adapter.language == KernelLanguage::cuda)
    text += "#if defined(ASSAY_CPU_KERNEL)\n#include \"harness/adapter/host_calls.h\"\n#endif\n";
  if (calls_cuda_library(adapter))
    text += fmt::format(
        "#include \"harness/adapter/library_call.h\"\nnamespace assay_declared {{\n{0};\n}}\n"
        "static const assay::adapter::LibraryFunction<decltype(assay_declared::{1})> {1}{{{2}, {3}}};\n",
        adapter.declaration, adapter.launches[0].entry, cpp_literal(adapter.source),
        cpp_literal(adapter.launches[0].entry));
  else if (!adapter.declaration.empty())
    text += fmt::format("extern \"C\" {};\n", adapter.declaration);
  if (source_path.empty()) return text;
  const bool c_file = adapter.source.ends_with(".c");
  // As the reader has it, which chose the text: files guard what only nvcc may see.
  const char* const as_nvcc = adapter.language == KernelLanguage::cuda ? "#define __CUDACC__ 1\n" : "";
  return text + (c_file ? kBeforeC : "") +
         fmt::format(
             "#define main assay_main_of_the_file\n#if defined(__CUDACC__)\n#include {}\n#else\n"
             "{}#include {}\n#undef __CUDACC__\n#endif\n#undef main\n",
             cpp_literal(source_path + ".gpu"), as_nvcc, cpp_literal(source_path)) +
         (c_file ? "}\n" : "");
}

// The values that outputs and scratch hold before the first launch.
std::string begun_outputs(const Adapter& adapter) {
  std::string text;
  for (const std::string& output : adapter.zero)
    text += output == "workspace"
                ? "  assay::adapter::clear_scratch(workspace.data, assay_workspace(assay_call.c()));\n"
                : fmt::format("  assay::adapter::clear_output(assay_call, {});\n", cpp_literal(output));
  for (const std::string& pair : adapter.in_place)
    text += fmt::format("  assay::adapter::copy_input(assay_call, {}, {});\n",
                        cpp_literal(pair.substr(0, pair.find(':'))), pair.substr(pair.find(':') + 1));
  return text;
}

std::string launches_text(const Adapter& adapter, const Contract& contract, const Places& places) {
  std::string text;
  for (const AdapterLaunch& launch : adapter.launches) text += launch_of(launch, adapter, contract, places);
  return text + places.end();
}

std::string dtype_cases(const Adapter& adapter) {
  std::string text;
  for (const DType dtype : adapter.dtypes)
    text += fmt::format("    case assay::DType::{}:\n      return assay_run_as<{}>(assay_call);\n", name(dtype),
                        cpp_type(dtype));
  return text;
}

std::string element_alias(const Contract& contract) {
  const bool has_t = std::ranges::any_of(contract.dims, [](const DimSpec& dim) { return dim.name == "T"; });
  return has_t ? "" : fmt::format("  using T = {};\n", kElement);
}

using Values = std::map<std::string, std::string>;

// The template with a value for each name between two @. A name that is alone in its line stands for whole lines.
std::string filled(const std::string& form, const Values& values) {
  std::string text;
  size_t done = 0;
  for (size_t at = form.find('@'); at != std::string::npos; at = form.find('@', done)) {
    const size_t end = form.find('@', at + 1);
    const std::string& value = values.at(form.substr(at + 1, end - at - 1));
    text += form.substr(done, at - done) + value;
    done = end + 1;
    const bool is_alone = (at == 0 || form[at - 1] == '\n') && form[done] == '\n';
    if (is_alone) ++done;
  }
  return text + form.substr(done);
}

}  // namespace

std::string wrapper_of(const Adapter& given, const Contract& own, const std::string& source_path) {
  const auto [adapter, contract] = CppNames(given, own);
  const Places places(adapter);
  const AdapterWords words = words_of(adapter);
  const std::vector<Fixed> computed = computed_fixes(adapter, contract);
  std::vector<std::string> dtypes;
  for (const DType dtype : adapter.dtypes) dtypes.push_back(fmt::format("assay::DType::{}", name(dtype)));
  static const std::string kTemplate = embedded_file("wrapper.cu.in");
  return with_own_names_in_literals(
      filled(kTemplate, {{"source", cpp_literal(adapter.source)},
                         {"includes", includes_of(adapter, source_path)},
                         {"undefined_names", undefined_names(contract)},
                         {"element", element_alias(contract)},
                         {"using", kUsing},
                         {"case_and_tensors", case_variables(contract, "assay_call.c()", true, words) +
                                                  tensor_variables(adapter, contract, words)},
                         {"begun_outputs", begun_outputs(adapter)},
                         {"launches", launches_text(adapter, contract, places)},
                         {"dtype_cases", dtype_cases(adapter)},
                         {"domains", domains_text(domains_of(given, own))},
                         {"fixes", fixes_text(computed, contract, places)},
                         {"demanded_of", whole_case_variables(contract, words_in(demands_of(computed, adapter)))},
                         {"workspace_of", whole_case_variables(contract, words_in({adapter.workspace}))},
                         {"requirements", requirements_text(computed, adapter, places)},
                         {"stated", fmt::format("{}", fmt::join(literals(adapter.requirements), ", "))},
                         {"fix_count", std::to_string(computed.size())},
                         {"workspace", places.at(adapter.workspace)},
                         {"after_workspace", places.end()},
                         {"op", cpp_literal(contract.name)},
                         {"name", cpp_literal(adapter.name)},
                         {"summary", cpp_literal("from " + adapter.source)},
                         {"dtypes", fmt::format("{}", fmt::join(dtypes, ", "))},
                         {"blocks", fmt::format("{}", fmt::join(blocks_of(adapter), ", "))},
                         {"any_grid", has_any_grid(adapter) ? "true" : "false"},
                         {"aligned", std::to_string(adapter.aligned.value_or(kUnknownAlignment))},
                         {"deterministic", adapter.deterministic ? "true" : "false"},
                         {"rounds", fmt::format("{}", fmt::join(literals(adapter.rounds), ", "))},
                         {"accumulate", std::string(name(adapter.accumulate))},
                         {"ftz", adapter.ftz ? "true" : "false"},
                         {"fast_math", adapter.fast_math ? "true" : "false"},
                         {"mask_value", adapter.mask_value ? fmt::format("{}", *adapter.mask_value) : "-HUGE_VAL"},
                         {"omits", fmt::format("{}", fmt::join(literals(adapter.omits), ", "))},
                         {"constants", constants_of_variant(adapter)}}));
}

}  // namespace assay
