// Checks an adapter's arguments against the kernel's signature, before anything is compiled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "harness/adapter/bind/infer.h"
#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/read/records.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

std::string text_of(const Parameter& p) {
  return fmt::format("{}{}{} {}", p.is_const ? "const " : "", p.type, p.is_pointer ? "*" : "", p.name);
}

const Binding* find(const std::vector<Binding>& bindings, const std::string& expression) {
  for (const Binding& binding : bindings)
    if (binding.kind == Binding::tensor && binding.name == expression) return &binding;
  for (const Binding& binding : bindings)
    if (binding.name == expression || binding.expression == expression) return &binding;
  return nullptr;
}

bool is_number(const std::string& text) {
  return !text.empty() && text != "0" && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
}

// The arguments of one launch against the parameters of its kernel. `written` are the outputs that launches before it
// have written, which it may read.
class Launch {
 public:
  Launch(const KernelSource& kernel, const AdapterLaunch& launch, const Adapter& adapter, const Contract& contract,
         const std::set<std::string>& written, std::string where)
      : kernel_(kernel),
        launch_(launch),
        adapter_(adapter),
        may_be_either_(turns_over(contract)),
        all_(with_parts(bindings_of(contract))),
        written_(written),
        where_(std::move(where)) {
    for (const std::string& arg : launch.args) bindings_.push_back(find(all_, arg));
  }

  Texts wrong() && {
    const size_t count = launch_.args.size(), wanted = kernel_.parameters.size();
    if (count != wanted) {
      complain(fmt::format("{} takes {} arguments, the adapter passes {}", signature(), wanted, count));
      return std::move(wrong_);
    }
    const size_t before = wrong_.size();
    for (size_t i = 0; i < count; ++i)
      for (size_t j = i + 1; j < count; ++j) exchanged(i, j);
    if (wrong_.size() > before) return std::move(wrong_);  // what else is wrong with them follows from that
    for (size_t i = 0; i < count; ++i) argument(i);
    return std::move(wrong_);
  }

 private:
  std::string signature() const {
    Texts parameters;
    for (const Parameter& p : kernel_.parameters) parameters.push_back(text_of(p));
    return fmt::format("{}({}) in line {}", kernel_.name, fmt::join(parameters, ", "), kernel_.line);
  }
  void complain(const std::string& sentence) { wrong_.push_back(fmt::format("{}: {}", where_, sentence)); }

  // Complains when the name of each one's parameter fits the other argument better. Letters are weak names of sizes.
  void exchanged(size_t i, size_t j) {
    if (!bindings_[i] || !bindings_[j]) return;
    const std::string &a = kernel_.parameters[i].name, &b = kernel_.parameters[j].name;
    const bool are_letters = a.size() == 1 && b.size() == 1;
    if ((are_letters || may_be_either_ || (means_either(a) && means_either(b))) && bindings_[i]->kind == Binding::dim)
      return;
    if (likeness(a, *bindings_[j]) > likeness(a, *bindings_[i]) &&
        likeness(b, *bindings_[i]) > likeness(b, *bindings_[j]))
      complain(fmt::format("arguments {} and {} are exchanged: '{}' is passed for the parameter '{}' and '{}' for '{}'",
                           i + 1, j + 1, launch_.args[i], a, launch_.args[j], b));
  }

  void argument(size_t i) {
    const Parameter& p = kernel_.parameters[i];
    const std::string place =
        fmt::format("argument {}, '{}', for '{}' in line {}", i + 1, launch_.args[i], text_of(p), kernel_.line);
    const Binding* binding = bindings_[i];
    if (p.is_pointer && (is_number(launch_.args[i]) || (binding && binding->kind != Binding::tensor)))
      return complain(place + ": a number for a pointer");
    const bool is_open = is_template_parameter(kernel_, p.type);
    if (!p.is_pointer && !is_open && binding && binding->kind == Binding::tensor &&
        element_of_pointer(kernel_, p).kind != ElementKind::other)
      return complain(place + ": a tensor for a number");
    if (!p.is_pointer || !binding || binding->kind != Binding::tensor) return;
    if (p.is_const && binding->spec->role == Role::output && !written_.contains(binding->name))
      complain(place + ": an output for a pointer through which the kernel cannot write");
    element(p, *binding, place);
  }

  void element(const Parameter& p, const Binding& binding, const std::string& place) {
    const ElementType type = element_of_pointer(kernel_, p);
    const std::optional<DType> fixed = binding.spec->dtype;
    if (binding.spec->dtype_by || (type.kind != ElementKind::dtype && type.kind != ElementKind::whole)) return;
    if (p.type == "char") return;  // bytes of whatever it is, that strides count
    if (is_one_of(p.type, {"float2", "float4"}) && !kernel_.template_parameters.empty()) return;  // of halves, perhaps
    if (fixed == DType::u64 && type.kind == ElementKind::whole) return;
    if (fixed && fixed != type.dtype)
      return complain(fmt::format("{}: the elements of {} are {}", place, binding.name, name(*fixed)));
    for (const DType dtype : adapter_.dtypes)
      if (!fixed && dtype != type.dtype) {
        const std::string hint =
            type.dtype ? fmt::format("; dtypes = [\"{}\"] leaves those that fit", name(*type.dtype)) : "";
        return complain(
            fmt::format("{}: in {} the elements of {} are others{}", place, name(dtype), binding.name, hint));
      }
  }

  const KernelSource& kernel_;
  const AdapterLaunch& launch_;
  const Adapter& adapter_;
  const bool may_be_either_;  // sizes, by their names
  const std::vector<Binding> all_;
  const std::set<std::string>& written_;
  std::vector<const Binding*> bindings_;  // of each argument; null where it is an expression of several things
  std::string where_;
  Texts wrong_;
};

// The arguments that a kernel is given by pointers through which it can write.
void add_written(const KernelSource& kernel, const AdapterLaunch& launch, std::set<std::string>& written) {
  for (size_t i = 0; i < std::min(launch.args.size(), kernel.parameters.size()); ++i)
    if (kernel.parameters[i].is_pointer && !kernel.parameters[i].is_const) written.insert(launch.args[i]);
}

// The kernel or function of that name, of several the one with so many parameters.
template <class Function>
const KernelSource* find_entry(const std::vector<Function>& functions, const AdapterLaunch& launch) {
  const KernelSource* found = nullptr;
  for (const Function& kernel : functions)
    if (kernel.name == kernel_of(launch.entry) &&
        (!found || without_records(launch.args, kernel.parameters).size() == kernel.parameters.size()))
      found = &kernel;
  return found;
}

}  // namespace

std::vector<std::string> wrong_arguments(const CudaSource& source, const Adapter& adapter, const Contract& contract) {
  // A compiler reports those of what is not read here.
  if (adapter.language == KernelLanguage::host || !source.is_read) return {};
  Texts wrong;
  std::set<std::string> written;
  for (size_t i = 0; i < adapter.launches.size(); ++i) {
    AdapterLaunch launch = adapter.launches[i];
    const auto line = adapter.lines.find(launch.entry);
    const std::string place = line == adapter.lines.end() ? "" : fmt::format("line {}, ", line->second);
    const std::string where =
        place + (adapter.launches.size() == 1 ? launch.entry : fmt::format("launch {}, {}", i + 1, launch.entry));
    const KernelSource* kernel =
        launch.is_launcher ? find_entry(source.functions, launch) : find_entry(source.kernels, launch);
    if (!kernel && launch.is_launcher) {
      wrong.push_back(fmt::format("{}: the file has no such function", where));
      continue;
    }
    if (!kernel) {
      Texts names;
      for (const KernelSource& each : source.kernels) names.push_back(each.name);
      wrong.push_back(fmt::format("{}: the file has no such kernel, but {}", where,
                                  names.empty() ? "none at all" : fmt::format("{}", fmt::join(names, ", "))));
      continue;
    }
    launch.args = without_records(launch.args, kernel->parameters);
    for (std::string& sentence : Launch(*kernel, launch, adapter, contract, written, where).wrong())
      wrong.push_back(std::move(sentence));
    add_written(*kernel, launch, written);
  }
  return wrong;
}

std::vector<DType> fitting_dtypes(const CudaSource& source, const Adapter& adapter, const Contract& contract) {
  std::vector<DType> fitting;
  for (const DType dtype : adapter.dtypes) {
    Adapter alone = adapter;
    alone.dtypes = {dtype};
    if (wrong_arguments(source, alone, contract).empty()) fitting.push_back(dtype);
  }
  return fitting.empty() ? adapter.dtypes : fitting;
}

}  // namespace assay
