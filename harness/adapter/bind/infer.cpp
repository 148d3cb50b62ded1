// Puts an adapter together from parameters, types and launches, and lists what they leave open.
#include "harness/adapter/bind/infer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/element_dtypes.h"
#include "harness/adapter/bind/host_arguments.h"
#include "harness/adapter/bind/host_launch.h"
#include "harness/adapter/bind/infer_launch.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/bind/infer_missing.h"
#include "harness/adapter/bind/match.h"
#include "harness/adapter/bind/probe.h"
#include "harness/adapter/bind/row_counts.h"
#include "harness/adapter/read/expression.h"
#include "harness/adapter/read/grid_stride.h"
#include "harness/adapter/read/instances.h"
#include "harness/adapter/read/records.h"
#include "harness/adapter/steering.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

class Inference {
 public:
  Inference(const CudaSource& source, const Contract& contract, const BindingCandidate& candidate = {})
      : source_(source), contract_(contract), template_values_(candidate.template_values) {
    adapter().op = contract.name;
    adapter().dtypes = contract.dtypes;
    inferred_.guesses = candidate.guesses;
    inferred_.cost = candidate.cost;
    inferred_.agrees_with_indices = candidate.agrees_with_indices;
    if (!source.defined.empty()) remark(defined_sentence(source));
  }

  void add(const KernelSource& kernel) {
    const std::vector<Match> matches = match_arguments(source_, kernel, contract_);
    add(kernel, matches, infer_launch(source_, kernel, matches, contract_));
  }

  void add(const KernelSource& kernel, const std::vector<Match>& matches, InferredLaunch launch) {
    launch.launch.args = arguments(kernel, matches);
    std::ranges::replace(launch.launch.args, std::string("block"), launch.launch.block.front());  // along x
    const Texts template_arguments = entry_arguments(kernel, matches);
    launch.launch.entry = template_arguments.empty()
                              ? kernel.qualified_name
                              : fmt::format("{}<{}>", kernel.qualified_name, fmt::join(template_arguments, ", "));
    if (kernel.is_overloaded) launch.launch.entry += fmt::format("({})", fmt::join(types_of(kernel), ", "));
    restrict_dtypes(kernel, matches, template_arguments);
    const bool open = launch.launch.block == AdapterLaunch{}.block;
    if (open) hold_block(kernel, template_arguments);
    int64_t declared = declared_threads(kernel, template_arguments);
    if (const int64_t indexed = threads_in_shared(source_, kernel); indexed > 0)
      declared = declared == 0 ? indexed : std::min(declared, indexed);
    if ((launch.whole_warps || declared > 0) && open && adapter().blocks.empty())
      for (const int size : swept_blocks())
        if ((!launch.whole_warps || size % 32 == 0) && (declared == 0 || size <= declared))
          adapter().blocks.push_back(size);
    for (const std::string& requirement : launch.requirements) adapter().requirements.push_back(requirement);
    inferred_.stated_requirements = adapter().requirements.size();
    launch.launch.any_grid = strides_by_grid(kernel);
    adapter().launches.push_back(std::move(launch.launch));
    clear_sums(kernel, matches);
    std::move(launch.guesses.begin(), launch.guesses.end(), std::back_inserter(inferred_.launch_guesses));
    std::move(launch.row_guesses.begin(), launch.row_guesses.end(), std::back_inserter(inferred_.guesses));
    inferred_.cost += launch.cost;
    inferred_.authors_line = launch.authors_line;
    inferred_.any_block_line = launch.any_block_line;
    inferred_.filled_line = launch.filled_line;
    std::move(launch.remarks.begin(), launch.remarks.end(), std::back_inserter(inferred_.remarks));
    std::move(launch.unknown.begin(), launch.unknown.end(), std::back_inserter(inferred_.unknown));
    if (launch.authors_line != 0 || launch.filled_line != 0) note_other_instances(kernel);
    note_exchanged(kernel);
    note_written(kernel);
    note_arithmetic(kernel);
  }

  void add_launcher(const FunctionSource& launcher, std::vector<Match> matches) {
    for (size_t i = 0; i < matches.size(); ++i) {
      const Parameter& parameter = launcher.parameters[i];
      const std::string handle = handle_argument(parameter);
      if ((matches[i].binding && matches[i].by_own_name) || (handle.empty() && !is_block_size(parameter))) continue;
      const std::string given = handle.empty() ? "block" : handle;
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
    clear_sums(launcher, matches);
    InferredLaunch stated;
    add_conditions(launcher.requirements, names_in_kernel(source_, launcher, matches), stated);
    adapter().requirements.insert(adapter().requirements.end(), stated.requirements.begin(), stated.requirements.end());
    inferred_.stated_requirements = adapter().requirements.size();
    if (!launcher.template_parameters.empty()) ask(fmt::format("{} is a template", launcher.name));
    restrict_dtypes(launcher, matches, {});
    for (const int size : swept_blocks())  // warps: what launchers are written for, and callers give them
      if (taken_.names.contains("block") && size % 32 == 0) adapter().blocks.push_back(size);
    remark(fmt::format("{}{} is called as it is: its grids and runtime calls are its own.", launcher.name,
                       launcher.line > 0 ? fmt::format(" in line {}", launcher.line) : ""));
    note_written(launcher);
    for (const KernelSource& kernel : source_.kernels) note_written(kernel);
    for (const LaunchSource& each : source_.launches)
      if (function_of(source_, each) == &launcher)
        for (const KernelSource& kernel : source_.kernels)
          if (kernel.name == kernel_of(each.kernel)) note_arithmetic(kernel);
  }

  Inferred conclude() && {
    if (adapter().launches.size() != 1 || adapter().workspace != Adapter{}.workspace)  // others may count its blocks
      for (AdapterLaunch& launch : adapter().launches) launch.any_grid = false;
    infer_missing(contract_, taken_, inferred_);
    return std::move(inferred_);
  }

  Adapter& adapter() { return inferred_.adapter; }

  void choose(const std::string& attr, const std::string& choice) { taken_.chosen[attr] = choice; }

 private:
  void note_written(const KernelSource& kernel) {
    const std::vector<WrittenNumber>& all = kernel.facts.written;
    taken_.written.insert(taken_.written.end(), all.begin(), all.end());
  }

  // An instance for blocks of one size is given those, where the launch leaves them open.
  void hold_block(const KernelSource& kernel, const Texts& template_arguments) {
    if (!adapter().blocks.empty()) return;
    if (const int64_t threads = threads_by_steps(source_, kernel); threads > 0) {
      adapter().blocks = {static_cast<int>(threads)};
      return remark(fmt::format("Blocks have {} threads, because loops of {} go on by that from threadIdx.x.", threads,
                                kernel.name));
    }
    const auto block = block_of_template(source_, kernel, template_arguments);
    if (!block) return;
    adapter().blocks = {block->size};
    if (block->is_certain)
      remark(fmt::format("Blocks have {} threads, because {}, the block's size in {}, is {}.", block->size,
                         block->parameter, kernel.name, block->size));
    else
      inferred_.launch_guesses.push_back(fmt::format("the block is {}, as {}", block->size, block->parameter));
  }

  // Atomic additions of floats come in any order; an output that they add to begins at 0.
  void clear_sums(const KernelSource& kernel, const std::vector<Match>& matches) {
    bool in_any_order = kernel.sums_in_any_order;
    const auto& uses = kernel.uses;
    for (size_t i = 0; i < matches.size(); ++i) {
      const auto use = uses.find(kernel.parameters[i].name);
      if (!matches[i].binding || !matches[i].binding->spec || use == uses.end()) continue;
      note_use(matches[i].binding->spec->name, use->second);
      if (use->second.read && use->second.indexed && !use->second.tested && !use->second.passed)
        taken_.read_untested.insert(matches[i].binding->spec->name);
      if (!use->second.added_to) continue;
      const TensorSpec& tensor = *matches[i].binding->spec;
      const std::string name = tensor.name;
      in_any_order = true;
      if (tensor.role == Role::output) adapter().zero.push_back(name);
    }
    if (!in_any_order) return;
    adapter().deterministic = false;
    remark(fmt::format("{} adds atomically, in any order, so two runs may differ in the last bits.", kernel.name));
  }

  // Whether a tensor is only ever overwritten, by all kernels that take it.
  void note_use(const std::string& tensor, const PointerUse& use) {
    const bool only_written = use.written && !use.read && !use.passed && !use.added_to;
    const auto [seen, is_new] = taken_.only_written.try_emplace(tensor, only_written);
    seen->second = seen->second && only_written;
  }

  // Memory that is only written is for somebody to read; if it is only read, somebody has written it.
  void note_scratch(const PointerUse& use) {
    taken_.writes_scratch |= use.written;
    taken_.writes_result |= use.written && !use.read && !use.passed && !use.added_to;
    inferred_.reads_zeros |= use.read && !use.written && !use.passed;
  }

  // A file may launch a template with several numbers, of which one is judged; types are judged by the dtypes.
  void note_other_instances(const KernelSource& kernel) {
    const LaunchSource* own = own_launch(source_, kernel, template_values_);
    std::set<Texts> instances;
    const auto numbers = [&](const LaunchSource& launch) {
      Texts all;
      for (size_t i = 0; i < std::min(launch.template_arguments.size(), kernel.template_parameters.size()); ++i)
        if (!kernel.template_parameters[i].is_type()) all.push_back(launch.template_arguments[i]);
      return all;
    };
    for (const LaunchSource& launch : source_.launches)
      if (kernel_of(launch.kernel) == kernel.name) instances.insert(numbers(launch));
    if (!own || instances.size() < 2) return;
    remark(fmt::format("The file launches {} instances of {}, and that of {} alone is judged.", instances.size(),
                       kernel.name, fmt::join(numbers(*own), ", ")));
  }

  // Errors of fast intrinsics are those that CUDA documents, and so are the roundings of f32 to what tensor cores
  // multiply: the source shows that they are meant.
  void note_arithmetic(const KernelSource& kernel) {
    const auto& traits = kernel.reached.traits;
    if (!adapter().fast_math && traits.contains("approximations")) {
      adapter().fast_math = true;
      remark(fmt::format("{} calls fast intrinsics, so budgets are theirs (fast_math).", kernel.name));
    }
    const auto multiplied = std::ranges::find_if(traits, [](const std::string& trait) {
      return operands_of(parse_accumulate(trait).value_or(Accumulate::f32)).has_value();
    });
    if (multiplied == traits.end() || !contract_.multiplies_matrices || adapter().accumulate != Accumulate::f32) return;
    if (std::ranges::find(adapter().dtypes, DType::f32) == adapter().dtypes.end()) return;
    adapter().accumulate = *parse_accumulate(*multiplied);
    remark(fmt::format("Tensor cores multiply f32 rounded to {}, so budgets are those of such products (accumulate).",
                       multiplied->substr(0, multiplied->find('_'))));
  }

  void remark(std::string sentence) { inferred_.remarks.push_back(std::move(sentence)); }
  void ask(std::string sentence) { inferred_.unknown.push_back(std::move(sentence)); }

  // The types of its parameters in C++.
  static Texts types_of(const KernelSource& kernel) {
    Texts types;
    for (const Parameter& each : kernel.parameters)
      types.push_back((each.is_const ? "const " : "") + each.type + (each.is_pointer ? "*" : ""));
    return types;
  }

  // An unknown argument is "?", which no compiler accepts.
  Texts arguments(const KernelSource& kernel, const std::vector<Match>& matches) {
    Texts args, renamed;
    for (size_t i = 0; i < matches.size(); ++i) {
      args.push_back(matches[i].binding ? matches[i].binding->expression : "?");
      if (!matches[i].binding) {
        ask(fmt::format("argument {} of {}, {}", i + 1, kernel.name, matches[i].doubt));
        continue;
      }
      taken_.names.insert(tensor_in(matches[i].binding->name));
      note_number(kernel, i);
      if (matches[i].binding->kind == Binding::attribute)
        taken_.names.merge(words_in({matches[i].binding->expression}));
      if (const auto element = element_of_pointer(kernel, kernel.parameters[i]).dtype;
          element && matches[i].binding->spec && !matches[i].binding->converted)
        taken_.elements.emplace(matches[i].binding->spec->name, *element);
      for (const auto& [host, name] : matches[i].binding->host_names) taken_.names.insert(name);
      if (const std::string& input = matches[i].binding->in_place_of; !input.empty()) {
        taken_.names.insert(tensor_in(input));
        adapter().in_place.push_back(fmt::format("{}:{}", matches[i].binding->name, input));
      }
      if (const std::string& whole = matches[i].binding->whole;
          !whole.empty() && std::ranges::count(adapter().requirements, whole) == 0)
        adapter().requirements.push_back(whole);
      if (!matches[i].binding->constant.empty())
        adapter().constants.push_back({matches[i].binding->name, *number_of(matches[i].binding->constant)});
      if (matches[i].binding->name == "workspace") {
        if (const auto use = kernel.uses.find(kernel.parameters[i].name); use != kernel.uses.end()) {
          note_scratch(use->second);
          if (use->second.written)
            remark(fmt::format("What is written to {} is not judged.", kernel.parameters[i].name));
        }
        clear_scratch();
      }
      if (matches[i].binding->zeroed) {
        adapter().zero.push_back(matches[i].binding->name);
        remark(fmt::format("{}{}{} reads it, too.", matches[i].binding->name, kHoldsZero, kernel.name));
      }
      if (is_of_ints(kernel.parameters[i], *matches[i].binding)) skip_fills(std::not_fn(&Fill::exact));
      const bool is_rounded = matches[i].binding->converted && !matches[i].binding->spec->dtype;
      if (is_rounded && contract_.linear) skip_fills(&Fill::has_nan);  // a rounding keeps no bits of NaN
      if (matches[i].binding->converted)
        remark(fmt::format("{} is a copy of {} whose elements are {}.", kernel.parameters[i].name,
                           matches[i].binding->name, kernel.parameters[i].type));
      if (!matches[i].by_own_name)
        renamed.push_back(fmt::format("{} is {}", kernel.parameters[i].name, matches[i].binding->name));
    }
    if (!renamed.empty()) remark(fmt::format("In {}, {}.", kernel.name, fmt::join(renamed, ", ")));
    return in_records(args, kernel.parameters);
  }

  template <class Is>
  void skip_fills(Is is) {
    std::vector<std::string>& skipped = adapter().skip_fills;
    for (const Fill& fill : fills())
      if (std::invoke(is, fill) && std::ranges::find(skipped, fill.name) == skipped.end()) skipped.push_back(fill.name);
  }

  // A whole number that is guessed to be 1 is one of several counts whose product is the op's rows, or nobody knows
  // what it is, as the elements of a thread: larger cases may want more of it than those that are tried.
  void note_number(const KernelSource& kernel, size_t place) {
    const Parameter& parameter = kernel.parameters[place];
    if (!is_whole_number(parameter) || parameter.type == "bool") return;
    for (const char* number : {"1", "0"}) {
      const std::string guess = fmt::format("{} is {}", parameter.name, number);
      const auto found = std::ranges::find(inferred_.guesses, guess);
      if (found == inferred_.guesses.end()) continue;
      if (!counts_rows(source_, kernel, place, contract_)) {
        inferred_.launch_guesses.push_back(guess);
        inferred_.guesses.erase(found);
      } else if (guess.ends_with('1')) {
        inferred_.ones.push_back(place);
      }
    }
  }

  // A launch that passes two numbers by each other's names may be what is wrong. With pointers exchanged likewise it is
  // another product, of matrices that are turned over.
  void note_exchanged(const KernelSource& kernel) {
    const LaunchSource* host = own_launch(source_, kernel);
    if (!host || host->arguments.size() != kernel.parameters.size()) return;
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      for (size_t other = i + 1; other < kernel.parameters.size(); ++other) {
        const Parameter &one = kernel.parameters[i], &second = kernel.parameters[other];
        if (host->arguments[i] != second.name || host->arguments[other] != one.name) continue;
        if (one.is_pointer || second.is_pointer) {
          inferred_.exchanged.clear();
          return;
        }
        inferred_.exchanged = fmt::format("line {} does not pass {} for {} and {} for {}", host->line, second.name,
                                          one.name, one.name, second.name);
      }
  }

  // Scratch memory for a pointer that the op has nothing for: as large as eight bytes for each element of all dims.
  // A file does not say how large: some numbers for a row, a column or a block, though there are none of the others.
  void clear_scratch() {
    Texts extents;
    for (const DimSpec& dim : contract_.dims)
      if (is_extent(contract_, dim)) extents.push_back(fmt::format("max({}, 1)", dim.name));
    adapter().workspace = fmt::format("4096 + 8 * {}", fmt::join(extents, " * "));
    adapter().zero.push_back("workspace");
  }

  void fix(const std::string& name, const std::string& to) {
    const bool known = std::any_of(adapter().fixed.begin(), adapter().fixed.end(),
                                   [&](const Fixed& fixed) { return fixed.name == name; });
    if (!known) adapter().fixed.push_back({name, to});
  }

  // For the template parameters, as far as defaults do not give the rest.
  Texts entry_arguments(const KernelSource& kernel, const std::vector<Match>& matches) {
    const Texts host = host_template_arguments(source_, kernel);
    const Names constants = constants_of(source_);
    Texts args;
    for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
      std::string arg;
      if (kernel.template_parameters[i].is_type())
        arg = type_argument(kernel, matches, kernel.template_parameters[i].name);
      else if (i < host.size() && (number_of(host[i]) || host[i] == "true" || host[i] == "false"))
        arg = host[i];
      else if (i < host.size() && constants.contains(host[i]))
        arg = constants.at(host[i]);
      else if (template_values_.contains(kernel.template_parameters[i].name))
        arg = template_values_.at(kernel.template_parameters[i].name);
      if (const Texts compiled = compiled_arguments(kernel, i); arg.empty() && compiled.size() == 1) arg = compiled[0];
      const bool rest_has_defaults = !kernel.template_parameters[i].by_default.empty();
      if (arg.empty() && rest_has_defaults) break;
      if (arg.empty())
        ask(fmt::format("the template argument {} of {}: `entry` must give it", kernel.template_parameters[i].name,
                        kernel.name));
      args.push_back(arg.empty() ? "?" : arg);
    }
    return args;
  }

  void restrict_dtypes(const KernelSource& kernel, const std::vector<Match>& matches, const Texts& template_arguments) {
    ElementDTypes found = element_dtypes(source_, kernel, matches, contract_, adapter().dtypes, template_arguments);
    adapter().dtypes = std::move(found.possible);
    inferred_.dtype_is_open |= found.is_open;
    adapter().dtypes_unmade |= found.is_unmade;
    for (std::string& each : found.unknown) ask(std::move(each));
    std::move(found.guesses.begin(), found.guesses.end(), std::back_inserter(inferred_.guesses));
    for (std::string& each : found.remarks) remark(std::move(each));
  }

  const CudaSource& source_;
  const Contract& contract_;
  Inferred inferred_;
  Taken taken_;
  const std::map<std::string, std::string> template_values_;
};

}  // namespace

std::string defined_sentence(const CudaSource& source) {
  return fmt::format("Read with {} defined, without which the kernel or its launch is not there.",
                     fmt::join(source.defined, " and "));
}

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

Inferred infer_candidate(const CudaSource& source, const KernelSource& kernel, const BindingCandidate& candidate,
                         InferredLaunch launch, const Contract& contract, const Choices& choices) {
  Inference inference(source, contract, candidate);
  inference.adapter().name = kernel.name;
  for (const Choices& all : {candidate.choices, choices})
    for (const Choice& choice : all) inference.choose(choice.attr, choice.value);
  if (const std::string alias = alias_of(contract, candidate.matches); !alias.empty())
    inference.choose(kAliasAttr, alias);
  inference.add(kernel, candidate.matches, std::move(launch));
  return std::move(inference).conclude();
}

Inferred infer_candidate(const CudaSource& source, const FunctionSource& launcher, const BindingCandidate& candidate,
                         const Contract& contract, const Choices& choices) {
  Inference inference(source, contract, candidate);
  inference.adapter().name = launcher.name;
  for (const Choices& all : {candidate.choices, choices})
    for (const Choice& choice : all) inference.choose(choice.attr, choice.value);
  if (const std::string alias = alias_of(contract, candidate.matches); !alias.empty())
    inference.choose(kAliasAttr, alias);
  inference.add_launcher(launcher, candidate.matches);
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
