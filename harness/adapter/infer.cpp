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

namespace assay {
namespace {

using Texts = std::vector<std::string>;
using Taken = std::set<std::string>;  // tensors, dims or attributes that some parameter takes

// A case of the contract in which every dim is another number, to compute shapes with.
Case probe(const Contract& contract) {
  Case c;
  c.op = contract.name;
  int64_t extent = 512;
  for (const DimSpec& dim : contract.dims) {
    c.set(dim.name, std::to_string(std::clamp(extent, dim.min, dim.max)));
    extent -= 2;  // even ones, because a head may have to be; falling, because padding comes last
  }
  for (const AttrSpec& attr : contract.attrs) c.set(attr.name, attr.choices.front());
  return c;
}

struct Form {
  std::vector<int64_t> shape;
  DType dtype;
  bool operator==(const Form&) const = default;
};

// A tensor's shape and type, for each choice of an attribute.
std::vector<Form> forms(const Contract& contract, const TensorSpec& tensor, const AttrSpec& attr) {
  std::vector<Form> all;
  Case c = probe(contract);
  for (const std::string& choice : attr.choices) {
    c.set(attr.name, choice);
    all.push_back({shape_of(tensor, c), dtype_of(tensor, c)});
  }
  return all;
}

bool is_empty(const Form& form) { return std::find(form.shape.begin(), form.shape.end(), 0) != form.shape.end(); }

// Whether a dim is an extent of some tensor.
bool is_extent(const Contract& contract, const DimSpec& dim) {
  const Case c = probe(contract);
  for (const TensorSpec& tensor : contract.tensors)
    for (const std::string& extent : tensor.shape_by ? tensor.shape_by(c) : tensor.shape) {
      std::string product = "*" + extent + "*";
      if (product.find("*" + dim.name + "*") != std::string::npos) return true;
    }
  return false;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  const bool whole_text = end == text.data() + text.size() || *end == 'f' || *end == 'F';
  return end != text.data() && whole_text ? std::optional(value) : std::nullopt;
}

class Inference {
 public:
  Inference(const CudaSource& source, const Contract& contract) : source_(source), contract_(contract) {
    adapter().op = contract.name;
    adapter().dtypes = contract.dtypes;
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
    adapter().launches.push_back(std::move(launch.launch));
    clear_sums(kernel, matches);
    std::move(launch.guesses.begin(), launch.guesses.end(), std::back_inserter(inferred_.launch_guesses));
    inferred_.cost += launch.cost;
    std::move(launch.remarks.begin(), launch.remarks.end(), std::back_inserter(inferred_.remarks));
    std::move(launch.unknown.begin(), launch.unknown.end(), std::back_inserter(inferred_.unknown));
    bodies_ += kernel.body;
  }

  void add_launcher(const FunctionSource& launcher) {
    std::vector<Match> matches = match_parameters(launcher, contract_);
    for (size_t i = 0; i < matches.size(); ++i) {
      const Parameter& parameter = launcher.parameters[i];
      const bool is_stream = parameter.type.starts_with("cudaStream");
      if (matches[i].binding || !(is_stream || is_block_size(parameter))) continue;
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

  void guess(const RankedMatches& way) {
    inferred_.guesses.insert(inferred_.guesses.end(), way.guesses.begin(), way.guesses.end());
    inferred_.cost += way.cost;
  }
  void choose(const std::string& attr, const std::string& choice) { chosen_[attr] = choice; }

 private:
  // Atomic additions of floats come in any order; an output that they add to begins at 0.
  void clear_sums(const KernelSource& kernel, const std::vector<Match>& matches) {
    const auto uses = pointer_uses(kernel);
    for (size_t i = 0; i < matches.size(); ++i) {
      const auto use = uses.find(kernel.parameters[i].name);
      if (!matches[i].binding || !matches[i].binding->spec || use == uses.end() || !use->second.added_to) continue;
      const TensorSpec& tensor = *matches[i].binding->spec;
      const std::string name = tensor.name;
      adapter().deterministic = false;
      remark(fmt::format("{} adds to {} atomically, in any order, so two runs may differ in the last bits.",
                         kernel.name, kernel.parameters[i].name));
      if (tensor.role == Role::output) adapter().zero.push_back(name);
    }
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
      if (!matches[i].by_own_name)
        renamed.push_back(fmt::format("{} is {}", kernel.parameters[i].name, matches[i].binding->name));
    }
    if (!renamed.empty()) remark(fmt::format("In {}, {}.", kernel.name, fmt::join(renamed, ", ")));
    return args;
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
    const Texts host = host_template_arguments(kernel);
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
      const bool rest_has_defaults = !kernel.template_defaults[i].empty();
      if (arg.empty() && rest_has_defaults) break;
      if (arg.empty())
        ask(fmt::format("the template argument {} of {}: `entry` must give it", kernel.template_parameters[i],
                        kernel.name));
      args.push_back(arg.empty() ? "?" : arg);
    }
    return args.empty() ? kernel.qualified_name : fmt::format("{}<{}>", kernel.qualified_name, fmt::join(args, ", "));
  }

  Texts host_template_arguments(const KernelSource& kernel) const {
    const LaunchSource* host = own_launch(source_, kernel);
    if (!host) return {};
    const std::vector<Token> tokens = tokens_of(host->kernel);
    const auto open = std::find_if(tokens.begin(), tokens.end(), [](const Token& t) { return t.text == "<"; });
    if (open == tokens.end()) return {};
    Texts all;
    const auto begin = static_cast<size_t>(open - tokens.begin()) + 1;
    for (const auto& part : split_at_commas(tokens, begin, tokens.size() - 1)) all.push_back(spelled(part));
    return all;
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
    remark(fmt::format("No parameter takes the input {}.", tensor.name));
    if (!tensor.absent && !tensor.shape_by && !tensor.shape.empty())
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
      const std::vector<Form> all = forms(contract_, tensor, attr);
      const bool same = std::all_of(all.begin(), all.end(), [&](const Form& form) { return form == all.front(); });
      if (same || !taken_.contains(tensor.name)) continue;
      shaped.push_back(tensor.name);
      for (size_t i = 0; i < all.size(); ++i) fits[i] = fits[i] && !is_empty(all[i]);
    }
    if (!shaped.empty()) return require_form(attr, shaped, fits);
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

std::vector<Inferred> candidate_adapters(const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                                         const std::string& path) {
  constexpr size_t kCandidatesMax = 24, kWaysMax = 12;
  Inferred plain = infer_adapter(source, kernel, contract, path);
  if (plain.unknown.empty()) return {std::move(plain)};
  std::vector<Inferred> all;
  const auto put_together = [&](const RankedMatches& way, const InferredLaunch& launch, const AttrSpec* attr,
                                const std::string& choice) {
    Inference inference(source, contract);
    inference.adapter().source = path;
    inference.adapter().name = kernel.name;
    if (attr) inference.choose(attr->name, choice);
    inference.guess(way);
    inference.add(kernel, way.matches, launch);
    return std::move(inference).conclude();
  };
  for (const RankedMatches& way : ranked_matches(kernel, contract, kWaysMax))
    for (const InferredLaunch& launch : launch_candidates(source, kernel, way.matches, contract)) {
      Inferred one = put_together(way, launch, nullptr, "");
      if (one.unknown.empty())
        all.push_back(std::move(one));
      else if (one.open_attrs.size() == 1 && one.unknown.size() == 1)
        for (const AttrSpec& attr : contract.attrs)
          for (const std::string& choice : attr.choices)
            if (attr.name == one.open_attrs[0]) all.push_back(put_together(way, launch, &attr, choice));
    }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (all.size() > kCandidatesMax) all.resize(kCandidatesMax);
  return all;
}

Inferred infer_launcher(const CudaSource& source, const FunctionSource& launcher, const Contract& contract,
                        const std::string& path) {
  Inference inference(source, contract);
  inference.adapter().source = path;
  inference.adapter().name = launcher.name;
  inference.add_launcher(launcher);
  return std::move(inference).conclude();
}

}  // namespace assay
