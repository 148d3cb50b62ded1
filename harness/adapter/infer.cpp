// Puts an adapter together from parameters, types and launches, and lists what they leave open.
#include "harness/adapter/infer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "harness/adapter/expression.h"
#include "harness/adapter/grid_stride.h"
#include "harness/adapter/infer_launch.h"
#include "harness/adapter/infer_launcher.h"
#include "harness/adapter/match.h"
#include "harness/adapter/probe.h"
#include "harness/adapter/ways/way.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;
using Taken = std::set<std::string>;  // tensors, dims or attributes that some parameter takes

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  const bool whole_text = end == text.data() + text.size() || *end == 'f' || *end == 'F';
  return end != text.data() && whole_text ? std::optional(value) : std::nullopt;
}

class Inference {
 public:
  Inference(const CudaSource& source, const Contract& contract, const Way& way = {})
      : source_(source), contract_(contract), template_values_(way.template_values) {
    adapter().op = contract.name;
    adapter().dtypes = contract.dtypes;
    inferred_.guesses = way.guesses;
    inferred_.cost = way.cost;
  }

  void add(const KernelSource& kernel) {
    const std::vector<Match> matches = match_parameters(kernel, contract_);
    add(kernel, matches, infer_launch(source_, kernel, matches, contract_));
  }

  void add(const KernelSource& kernel, const std::vector<Match>& matches, InferredLaunch launch) {
    launch.launch.args = arguments(kernel, matches);
    launch.launch.entry = entry(kernel, matches);
    restrict_dtypes(kernel, matches);
    const bool open = launch.launch.block == AdapterLaunch{}.block;
    if (launch.whole_warps && open && adapter().blocks.empty())
      for (const int size : swept_blocks())
        if (size % 32 == 0) adapter().blocks.push_back(size);
    for (const std::string& requirement : launch.requirements) adapter().requirements.push_back(requirement);
    launch.launch.any_grid = strides_by_grid(kernel);
    for (const Fixed& fixed : launch.fixed) fix(fixed.name, fixed.value);
    adapter().launches.push_back(std::move(launch.launch));
    clear_sums(kernel, matches);
    std::move(launch.guesses.begin(), launch.guesses.end(), std::back_inserter(inferred_.launch_guesses));
    std::move(launch.row_guesses.begin(), launch.row_guesses.end(), std::back_inserter(inferred_.guesses));
    inferred_.cost += launch.cost;
    std::move(launch.remarks.begin(), launch.remarks.end(), std::back_inserter(inferred_.remarks));
    std::move(launch.unknown.begin(), launch.unknown.end(), std::back_inserter(inferred_.unknown));
    bodies_ += kernel.body;
  }

  void add_launcher(const FunctionSource& launcher, std::vector<Match> matches) {
    for (size_t i = 0; i < matches.size(); ++i) {
      const Parameter& parameter = launcher.parameters[i];
      const bool is_stream = parameter.type.starts_with("cudaStream");
      if ((matches[i].binding && matches[i].by_own_name) || !(is_stream || is_block_size(parameter))) continue;
      const std::string given = is_stream ? "nullptr" : "block";
      Binding binding;
      binding.name = binding.expression = given;
      matches[i].binding = std::move(binding);
      matches[i].by_own_name = true;
    }
    AdapterLaunch launch;
    launch.entry = launcher.qualified_name;
    launch.is_launcher = true;
    launch.args = arguments(launcher, matches);
    const auto uses = uses_in_kernels(source_, launcher);
    for (size_t i = 0; i < matches.size(); ++i)
      if (const auto use = uses.find(launcher.parameters[i].name);
          use != uses.end() && matches[i].binding && matches[i].binding->spec)
        note_use(matches[i].binding->spec->name, use->second);
    adapter().launches.push_back(std::move(launch));
    if (!launcher.template_parameters.empty()) ask(fmt::format("{} is a template", launcher.name));
    restrict_dtypes(launcher, matches);
    for (const int size : swept_blocks())  // warps: what launchers are written for, and callers give them
      if (taken_.contains("block") && size % 32 == 0) adapter().blocks.push_back(size);
    remark(fmt::format("{} in line {} is called as it is: its grids and runtime calls are its own.", launcher.name,
                       launcher.line));
    bodies_ += launcher.body;
    for (const KernelSource& kernel : source_.kernels) bodies_ += kernel.body;
  }

  Inferred conclude() && {
    if (adapter().launches.size() != 1 || adapter().workspace != Adapter{}.workspace)  // others may count its blocks
      for (AdapterLaunch& launch : adapter().launches) launch.any_grid = false;
    for (const TensorSpec& tensor : contract_.tensors) missing(tensor);
    for (const DimSpec& dim : contract_.dims) missing(dim);
    for (const AttrSpec& attr : contract_.attrs) missing(attr);
    return std::move(inferred_);
  }

  Adapter& adapter() { return inferred_.adapter; }

  void choose(const std::string& attr, const std::string& choice) { chosen_[attr] = choice; }

 private:
  // Atomic additions of floats come in any order; an output that they add to begins at 0.
  void clear_sums(const KernelSource& kernel, const std::vector<Match>& matches) {
    const auto uses = pointer_uses(kernel);
    for (size_t i = 0; i < matches.size(); ++i) {
      const auto use = uses.find(kernel.parameters[i].name);
      if (!matches[i].binding || !matches[i].binding->spec || use == uses.end()) continue;
      note_use(matches[i].binding->spec->name, use->second);
      if (!use->second.added_to) continue;
      const TensorSpec& tensor = *matches[i].binding->spec;
      const std::string name = tensor.name;
      adapter().deterministic = false;
      remark(fmt::format("{} adds to {} atomically, in any order, so two runs may differ in the last bits.",
                         kernel.name, kernel.parameters[i].name));
      if (tensor.role == Role::output) adapter().zero.push_back(name);
    }
  }

  // Whether a tensor is only ever overwritten, by all kernels that take it.
  void note_use(const std::string& tensor, const PointerUse& use) {
    const bool only_written = use.written && !use.read && !use.passed && !use.added_to;
    const auto [seen, is_new] = only_written_.try_emplace(tensor, only_written);
    seen->second = seen->second && only_written;
  }

  void remark(std::string sentence) { inferred_.remarks.push_back(std::move(sentence)); }
  void ask(std::string sentence) { inferred_.unknown.push_back(std::move(sentence)); }

  // An unknown argument is "?", which no compiler accepts.
  Texts arguments(const KernelSource& kernel, const std::vector<Match>& matches) {
    Texts args, renamed;
    for (size_t i = 0; i < matches.size(); ++i) {
      args.push_back(matches[i].binding ? matches[i].binding->expression : "?");
      if (!matches[i].binding) {
        ask(fmt::format("argument {} of {}, {}", i + 1, kernel.name, matches[i].doubt));
        continue;
      }
      taken_.insert(matches[i].binding->name);
      if (!matches[i].binding->constant.empty())
        adapter().constants.push_back({matches[i].binding->name, *number_of(matches[i].binding->constant)});
      if (matches[i].binding->name == "workspace") clear_scratch();
      if (!matches[i].by_own_name)
        renamed.push_back(fmt::format("{} is {}", kernel.parameters[i].name, matches[i].binding->name));
    }
    if (!renamed.empty()) remark(fmt::format("In {}, {}.", kernel.name, fmt::join(renamed, ", ")));
    return args;
  }

  // Scratch memory for a pointer that the op has nothing for: as large as eight bytes for each element of all dims.
  void clear_scratch() {
    Texts extents;
    for (const DimSpec& dim : contract_.dims)
      if (is_extent(contract_, dim)) extents.push_back(dim.name);
    adapter().workspace = fmt::format("8 * {}", fmt::join(extents, " * "));
    adapter().zero.push_back("workspace");
  }

  void fix(const std::string& name, const std::string& to) {
    const bool known = std::any_of(adapter().fixed.begin(), adapter().fixed.end(),
                                   [&](const Fixed& fixed) { return fixed.name == name; });
    if (!known) adapter().fixed.push_back({name, to});
  }

  // What a template parameter of type stands for: the case's elements, or those of the tensor that it is used for.
  std::string type_argument(const KernelSource& kernel, const std::vector<Match>& matches, const std::string& name) {
    for (size_t i = 0; i < matches.size(); ++i)
      if (kernel.parameters[i].type == name && matches[i].binding) {
        const TensorSpec* tensor = matches[i].binding->spec;
        if (tensor && tensor->dtype == DType::f32) return "float";
        if (tensor && !tensor->dtype) return "T";
        if (!tensor) return matches[i].binding->kind == Binding::dim ? "int64_t" : "float";
      }
    return "";
  }

  std::string entry(const KernelSource& kernel, const std::vector<Match>& matches) {
    const Texts host = host_template_arguments(source_, kernel);
    const Names constants = constants_of(source_);
    Texts args;
    for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
      const std::string& kind = kernel.template_kinds[i];
      std::string arg;
      if (kind == "typename" || kind == "class")
        arg = type_argument(kernel, matches, kernel.template_parameters[i]);
      else if (i < host.size() && (number_of(host[i]) || host[i] == "true" || host[i] == "false"))
        arg = host[i];
      else if (i < host.size() && constants.contains(host[i]))
        arg = constants.at(host[i]);
      else if (template_values_.contains(kernel.template_parameters[i]))
        arg = template_values_.at(kernel.template_parameters[i]);
      const bool rest_has_defaults = !kernel.template_defaults[i].empty();
      if (arg.empty() && rest_has_defaults) break;
      if (arg.empty())
        ask(fmt::format("the template argument {} of {}: `entry` must give it", kernel.template_parameters[i],
                        kernel.name));
      args.push_back(arg.empty() ? "?" : arg);
    }
    return args.empty() ? kernel.qualified_name : fmt::format("{}<{}>", kernel.qualified_name, fmt::join(args, ", "));
  }

  // The type that a file's own name for an element type stands for: using floatX = float;
  std::optional<DType> dtype_of_parameter(const KernelSource& kernel, Parameter parameter) const {
    const std::vector<Token> tokens = tokens_of(source_.code);
    for (size_t i = 0; i + 3 < tokens.size(); ++i) {
      const bool alias = tokens[i].text == "using" && tokens[i + 1].text == parameter.type && tokens[i + 2].text == "=";
      const bool old_alias = tokens[i].text == "typedef" && tokens[i + 2].text == parameter.type;
      if (alias || old_alias) parameter.type = tokens[alias ? i + 3 : i + 1].text;
    }
    for (const auto& [name, value] : source_.constants)
      if (name == parameter.type) parameter.type = value;
    return element_of_pointer(kernel, parameter).dtype;
  }

  // A parameter of one fixed element type restricts the adapter to that dtype, where its tensor is of the case's dtype.
  void restrict_dtypes(const KernelSource& kernel, const std::vector<Match>& matches) {
    std::set<std::string> unclear;
    for (size_t i = 0; i < matches.size(); ++i) {
      const Parameter& parameter = kernel.parameters[i];
      if (!matches[i].binding || !matches[i].binding->spec || matches[i].binding->spec->dtype ||
          matches[i].binding->spec->dtype_by)
        continue;
      if (element_of_pointer(kernel, parameter).kind == ElementKind::bits) {
        bits(kernel);
        continue;
      }
      const auto dtype = dtype_of_parameter(kernel, parameter);
      const ElementKind kind = element_of_pointer(kernel, parameter).kind;
      if (dtype)
        std::erase_if(adapter().dtypes, [&](DType each) { return each != *dtype; });
      else if (kind != ElementKind::template_parameter && unclear.insert(parameter.type).second)
        ask(fmt::format("the element type of {}: what is '{}'? `dtypes` must say for which it stands", kernel.name,
                        parameter.type));
    }
    if (adapter().dtypes.empty())
      ask(fmt::format("the element types of {}: its tensors are of several, where {} has one", kernel.name,
                      contract_.name));
  }

  // Elements that are passed as 16 bits: bf16 or f16, as the names of the file say.
  void bits(const KernelSource& kernel) {
    const auto names = [&](std::initializer_list<std::string_view> words) {
      return std::any_of(words.begin(), words.end(),
                         [&](std::string_view word) { return source_.code.find(word) != std::string::npos; });
    };
    const bool bf16 = names({"bf16", "bfloat", "BF16"}), f16 = names({"half", "fp16", "f16(", "f16_"}) && !bf16;
    std::erase_if(adapter().dtypes, [&](DType each) {
      return each == DType::f32 || (bf16 && each == DType::f16) || (f16 && each == DType::bf16);
    });
    if (bf16 == f16)
      inferred_.guesses.push_back(fmt::format("the 16 bits of {}'s elements are bf16 and f16 alike", kernel.name));
  }

  void missing(const TensorSpec& tensor) {
    if (taken_.contains(tensor.name)) return;
    if (tensor.role == Role::input)
      missing_input(tensor);
    else if (std::any_of(contract_.tensors.begin(), contract_.tensors.end(), [&](const TensorSpec& other) {
               return other.role != Role::input && taken_.contains(other.name);
             })) {
      adapter().omits.push_back(tensor.name);
      remark(fmt::format("No parameter takes the output {}, so it is not judged.", tensor.name));
    } else {
      ask(fmt::format("the output {}: no parameter takes it", tensor.name));
    }
  }

  // An input that is there in every case has a meaning, and a kernel without it may compute another op.
  void missing_input(const TensorSpec& tensor) {
    if (may_be_constant(contract_, tensor)) {
      adapter().constants.push_back({tensor.name, 1});
      remark(fmt::format("No parameter takes the input {}, so cases hold 1 in it.", tensor.name));
    } else {
      remark(fmt::format("No parameter takes the input {}.", tensor.name));
    }
    if ((!tensor.absent && !tensor.shape_by && !tensor.shape.empty()) || may_be_constant(contract_, tensor))
      inferred_.guesses.push_back(
          fmt::format("{} computes {} without {}", adapter().name, contract_.name, tensor.name));
  }

  void missing(const DimSpec& dim) {
    if (taken_.contains(dim.name)) return;
    if (is_extent(contract_, dim)) return remark(fmt::format("No parameter takes {} ({}).", dim.name, dim.meaning));
    if (dim.min > 0) return ask(fmt::format("{} ({}): no parameter takes it", dim.name, dim.meaning));
    adapter().fixed.push_back({dim.name, "0"});
    remark(fmt::format("No parameter takes {} ({}), so it must be 0.", dim.name, dim.meaning));
  }

  void missing(const AttrSpec& attr) {
    if (taken_.contains(attr.name) && is_number(attr)) return;
    Texts shaped;
    std::vector<bool> fits(attr.choices.size(), true);
    for (const TensorSpec& tensor : contract_.tensors) {
      const std::vector<Extents> all = extents_by(contract_, tensor, attr);
      const bool same = std::all_of(all.begin(), all.end(), [&](const Extents& each) { return each == all.front(); });
      if (same || !taken_.contains(tensor.name)) continue;
      shaped.push_back(tensor.name);
      for (size_t i = 0; i < all.size(); ++i) fits[i] = fits[i] && !all[i].is_empty();
    }
    if (!shaped.empty()) return require_form(attr, shaped, fits);
    if (const Texts turned = turned_by(attr); !turned.empty()) return require_role(attr, turned);
    if (is_number(attr)) require_number(attr);
  }

  // The form of tensors that the kernel takes depends on `attr`: requires a choice for which none of them is empty.
  void require_form(const AttrSpec& attr, const Texts& shaped, const std::vector<bool>& fits) {
    Texts left;
    for (size_t i = 0; i < fits.size(); ++i)
      if (fits[i]) left.push_back(attr.choices[i]);
    if (left.size() == 1) {
      adapter().fixed.push_back({attr.name, left[0]});
      return remark(fmt::format("{} is given, so {} ({}) must be {}.", fmt::join(shaped, ", "), attr.name, attr.meaning,
                                left[0]));
    }
    if (choose_one(attr)) return;
    ask(fmt::format("{} ({}), on which the form of {} depends: `fix` must say which of {} the kernel expects",
                    attr.name, attr.meaning, fmt::join(shaped, ", "), fmt::join(attr.choices, ", ")));
  }

  // The tensors of the kernel that a choice of `attr` has overwritten, and another added to.
  Texts turned_by(const AttrSpec& attr) const {
    Texts turned;
    for (const TensorSpec& tensor : contract_.tensors) {
      const std::vector<Role> roles = roles_by(contract_, tensor, attr);
      const bool same = std::all_of(roles.begin(), roles.end(), [&](Role role) { return role == roles.front(); });
      if (!same && taken_.contains(tensor.name)) turned.push_back(tensor.name);
    }
    return turned;
  }

  // What is never read, or cleared before, is overwritten; whether what is read is added to, no text shows for sure.
  void require_role(const AttrSpec& attr, const Texts& turned) {
    const bool overwrites = std::all_of(turned.begin(), turned.end(), [&](const std::string& name) {
      const auto use = only_written_.find(name);
      const std::vector<std::string>& zero = adapter().zero;
      return (use != only_written_.end() && use->second) || std::find(zero.begin(), zero.end(), name) != zero.end();
    });
    if (overwrites) {
      const auto tensor = std::find_if(contract_.tensors.begin(), contract_.tensors.end(),
                                       [&](const TensorSpec& each) { return each.name == turned[0]; });
      const std::vector<Role> roles = roles_by(contract_, *tensor, attr);
      const auto choice = std::find(roles.begin(), roles.end(), Role::output) - roles.begin();
      adapter().fixed.push_back({attr.name, attr.choices[static_cast<size_t>(choice)]});
      return remark(fmt::format("Nothing is added to {}, so {} ({}) must be {}.", fmt::join(turned, ", "), attr.name,
                                attr.meaning, attr.choices[static_cast<size_t>(choice)]));
    }
    if (choose_one(attr)) return;
    ask(fmt::format("{} ({}), on which it depends whether {} is added to: `fix` must say which of {} the kernel does",
                    attr.name, attr.meaning, fmt::join(turned, ", "), fmt::join(attr.choices, ", ")));
  }

  // Fixes the choice that was given for an attribute, a guess.
  bool choose_one(const AttrSpec& attr) {
    const auto chosen = chosen_.find(attr.name);
    if (chosen == chosen_.end()) {
      inferred_.open_attrs.push_back(attr.name);
      return false;
    }
    adapter().fixed.push_back({attr.name, chosen->second});
    inferred_.guesses.push_back(fmt::format("{} is {}", attr.name, chosen->second));
    return true;
  }

  bool is_number(const AttrSpec& attr) const {
    const std::vector<Binding> bindings = bindings_of(contract_);
    return std::any_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
      return binding.kind == Binding::attribute && binding.name == attr.name;
    });
  }

  // The kernel's text must contain a number that is no argument.
  void require_number(const AttrSpec& attr) {
    std::set<std::string> written;
    for (const Token& token : tokens_of(bodies_))
      for (const std::string& choice : attr.choices)
        if (choice.find_first_of(".e") != std::string::npos && number_of(token.text) &&
            static_cast<float>(*number_of(token.text)) == static_cast<float>(number_of(choice).value_or(0)))
          written.insert(choice);
    if (written.size() == 1) {
      adapter().fixed.push_back({attr.name, *written.begin()});
      return remark(fmt::format("No parameter takes {} ({}), and {} is written in the kernel.", attr.name, attr.meaning,
                                *written.begin()));
    }
    if (choose_one(attr)) return;
    ask(fmt::format("{} ({}): no parameter takes it, so `fix` must say which of {} the kernel computes with", attr.name,
                    attr.meaning, fmt::join(attr.choices, ", ")));
  }

  const CudaSource& source_;
  const Contract& contract_;
  Inferred inferred_;
  Taken taken_;
  std::map<std::string, std::string> chosen_;  // of attributes that stay open
  std::map<std::string, bool> only_written_;   // by the tensors that kernels take
  const std::map<std::string, std::string> template_values_;
  std::string bodies_;
};

}  // namespace

Inferred infer_adapter(const CudaSource& source, const std::vector<const KernelSource*>& kernels,
                       const Contract& contract, const std::string& path) {
  Inference inference(source, contract);
  inference.adapter().source = path;
  inference.adapter().name = kernels.front()->name;
  for (const KernelSource* kernel : kernels) inference.add(*kernel);
  return std::move(inference).conclude();
}

Inferred infer_adapter(const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                       const std::string& path) {
  return infer_adapter(source, std::vector<const KernelSource*>{&kernel}, contract, path);
}

Inferred infer_way(const CudaSource& source, const KernelSource& kernel, const Way& way, InferredLaunch launch,
                   const Contract& contract, const Choices& choices) {
  Inference inference(source, contract, way);
  inference.adapter().name = kernel.name;
  for (const Choice& choice : choices) inference.choose(choice.attr, choice.value);
  inference.add(kernel, way.matches, std::move(launch));
  return std::move(inference).conclude();
}

Inferred infer_way(const CudaSource& source, const FunctionSource& launcher, const Way& way, const Contract& contract,
                   const Choices& choices) {
  Inference inference(source, contract, way);
  inference.adapter().name = launcher.name;
  for (const Choice& choice : choices) inference.choose(choice.attr, choice.value);
  inference.add_launcher(launcher, way.matches);
  return std::move(inference).conclude();
}

Inferred infer_launcher(const CudaSource& source, const FunctionSource& launcher, const Contract& contract,
                        const std::string& path) {
  Inference inference(source, contract);
  inference.adapter().source = path;
  inference.adapter().name = launcher.name;
  inference.add_launcher(launcher, match_parameters(launcher, contract));
  return std::move(inference).conclude();
}

}  // namespace assay
