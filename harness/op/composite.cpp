// The parts of a contract that follow from a composite's steps.
#include "harness/op/composite.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "harness/base/check.h"
#include "harness/op/carried.h"
#include "harness/op/last_outputs.h"
#include "harness/op/registry.h"
#include "harness/op/step_tensors.h"

namespace assay {
namespace {

const Contract& op_of(const Step& step) {
  const Contract* const op = find_op(step.op);
  ASSAY_CHECK(op, "step '" + step.name + "' is of the op '" + step.op + "', which is not there");
  return *op;
}

// The value of a dim or attribute of a step, where its composite says one.
std::optional<std::string> value_of(const Step& step, const std::string& name, const Case& c) {
  const auto bound =
      std::ranges::find_if(step.params, [&](const Step::Binding& binding) { return binding.of_step == name; });
  const std::string& text = bound == step.params.end() ? name : bound->of_whole;
  if (const std::string* value = c.find(text)) return *value;
  if (bound == step.params.end()) return std::nullopt;
  if (text.find('*') == std::string::npos) return text;
  return std::to_string(shape_of({.name = name, .shape = {text}}, c)[0]);
}

// Why a step's op has no such case.
std::optional<Error> refused(const Contract& op, const Case& inner) {
  for (const DimSpec& dim : op.dims)
    if (!admits(dim, inner.dim(dim.name)))
      return Error{fmt::format("{}={} is outside the domain of '{}'", dim.name, inner.dim(dim.name), dim.name),
                   fmt::format("{} is {}, from {} to {}", dim.name, dim.meaning, dim.min, dim.max)};
  return op.constraint ? op.constraint(inner) : std::nullopt;
}

std::optional<Error> refused_by_steps(const std::vector<Step>& steps, const Case& c) {
  for (const Step* step : steps_of(steps, c))
    if (const auto error = refused(op_of(*step), case_of_step(*step, c)))
      return Error{fmt::format("its step {} ({}) refuses it: {}", step->name, step->op, error->what), error->hint};
  return std::nullopt;
}

template <class S>
const ReferenceRun<S>& run_of(const Reference& reference) {
  if constexpr (std::is_same_v<S, double>) return reference.value;
  if constexpr (std::is_same_v<S, Tracked>) return reference.tracked;
  if constexpr (std::is_same_v<S, long double>) return reference.wide;
  if constexpr (std::is_same_v<S, float>) return reference.narrow;
}

constexpr double kInStep = 2;  // what errors that elements share count, since they average out less: see composite.h

// An element as the next step reads it: stored in its dtype, and with errors of its own.
template <class S>
S handed_on(S element, [[maybe_unused]] DType dtype) {
  if constexpr (std::is_same_v<S, Tracked>) {
    const double spread = std::sqrt(element.e) + kInStep * element.c;
    const Tracked alone(element.v, spread * spread, 0);
    if (size_of(dtype) > 2) return alone;  // its last rounding is f32's
    return with_rounding(alone, std::ldexp(1.0, -significand_bits(dtype)), ulp(dtype, 0) / 2);
  }
  if constexpr (std::is_same_v<S, float>)
    return static_cast<float>(to_double(dtype, from_double(dtype, static_cast<double>(element))));
  return element;
}

// Those of a step's tensors that steps before it have made.
template <class S>
typename Carried<S>::Values carried_to(const Step& step, const Tensors& tensors,
                                       const std::map<std::string, RefTensor<S>>& made) {
  typename Carried<S>::Values carried;
  for (const Tensor& tensor : tensors) {
    const auto found = made.find(name_in_whole(step, tensor.name()));
    if (found == made.end() || tensor.absent() || tensor.role() == Role::output) continue;
    std::vector<S>& values = carried[tensor.name()];
    values.reserve(found->second.values.size());
    for (const S& element : found->second.values) values.push_back(handed_on(element, tensor.dtype()));
  }
  return carried;
}

// The written tensors of a composite, of which steps have made these.
template <class S>
std::vector<RefTensor<S>> results_of(const Case& c, const Tensors& given, std::map<std::string, RefTensor<S>>& made) {
  Tensors written;
  for (const Tensor& tensor : given)
    if (is_written(tensor.role())) written.push_back(tensor);
  ReferenceIo<S> io(c, written);
  for (const Tensor& tensor : written)
    if (const auto found = made.find(tensor.name()); found != made.end())
      io.out(tensor.name()).values = std::move(found->second.values);
  return std::move(io).results();
}

// The written tensors of a step, by its own names, that none of the steps from `later` on reads.
std::set<std::string, std::less<>> last_outputs(const Step& step, const Tensors& tensors,
                                                std::span<const Step* const> later, const Case& c) {
  std::set<std::string, std::less<>> last;
  for (const Tensor& tensor : tensors) {
    const std::string& name = name_in_whole(step, tensor.name());
    const bool is_read = std::ranges::any_of(later, [&](const Step* other) {
      const Case inner = case_of_step(*other, c);
      const std::vector<TensorSpec>& specs = op_of(*other).tensors;
      return std::ranges::any_of(specs, [&](const TensorSpec& spec) {
        return role_of(spec, inner) != Role::output && name_in_whole(*other, spec.name) == name;
      });
    });
    if (is_written(tensor.role()) && !is_read) last.insert(tensor.name());
  }
  return last;
}

}  // namespace

std::vector<const Step*> steps_of(const std::vector<Step>& steps, const Case& c) {
  std::vector<const Step*> applying;
  for (const Step& step : steps)
    if (!step.applies || step.applies(c)) applying.push_back(&step);
  return applying;
}

const std::string& name_in_whole(const Step& step, const std::string& tensor) {
  for (const Step::Binding& binding : step.tensors)
    if (binding.of_step == tensor) return binding.of_whole;
  return tensor;
}

Case case_of_step(const Step& step, const Case& c) {
  const Contract& op = op_of(step);
  Case inner;
  inner.op = step.op;
  inner.variant = "reference";
  inner.dtype = c.dtype;
  inner.seed = c.seed;
  inner.schedule = c.schedule;
  for (const DimSpec& dim : op.dims)
    if (const auto value = value_of(step, dim.name, c)) inner.set(dim.name, *value);
  for (const AttrSpec& attr : op.attrs) inner.set(attr.name, value_of(step, attr.name, c).value_or(attr.choices[0]));
  if (step.complete) step.complete(c, inner);
  if (!c.offset) return inner;
  if (c.offset->tensor.empty()) inner.offset = c.offset;
  for (const TensorSpec& spec : op.tensors)
    if (name_in_whole(step, spec.name) == c.offset->tensor) inner.offset = Offset{c.offset->elements, spec.name};
  return inner;
}

template <class S>
std::vector<RefTensor<S>> run_references(const std::vector<Step>& steps, const Case& c, const Tensors& given,
                                         const AroundStep& around) {
  const double flops_max = reference_flops_max;
  const ReferenceInFull in_full;  // what one leaves out, the next cannot compute with
  StepTensors tensors(given);
  std::map<std::string, RefTensor<S>> made;
  const std::vector<const Step*> applying = steps_of(steps, c);
  for (size_t n = 0; n < applying.size(); ++n) {
    const Step* const step = applying[n];
    const Case inner = case_of_step(*step, c);
    Tensors now = tensors.given_to(*step, inner);
    const LastOutputs last(last_outputs(*step, now, std::span(applying).subspan(n + 1), c), flops_max);
    std::vector<RefTensor<S>> results;
    const auto run = [&] {
      const auto values = carried_to(*step, now, made);
      const Carried<S> carried(values);
      results = run_of<S>(op_of(*step).reference)(inner, now);
    };
    around ? around(*step, inner, run) : run();
    for (RefTensor<S>& result : results) {
      Tensor& stored = now.get(result.name);  // for what a later step keeps of it
      for (int64_t i = 0; i < stored.count(); ++i) stored.set(i, plain(result[i]));
      const std::string name = name_in_whole(*step, result.name);
      made.insert_or_assign(name, std::move(result));
    }
    tensors.made_by(*step, std::move(now));
  }
  return results_of(c, given, made);
}

template std::vector<RefTensor<double>> run_references(const std::vector<Step>&, const Case&, const Tensors&,
                                                       const AroundStep&);
template std::vector<RefTensor<Tracked>> run_references(const std::vector<Step>&, const Case&, const Tensors&,
                                                        const AroundStep&);
template std::vector<RefTensor<long double>> run_references(const std::vector<Step>&, const Case&, const Tensors&,
                                                            const AroundStep&);
template std::vector<RefTensor<float>> run_references(const std::vector<Step>&, const Case&, const Tensors&,
                                                      const AroundStep&);

Contract composite(Contract contract) {
  const std::vector<Step>& steps = contract.steps;
  const auto reference = [&]<class S>() -> ReferenceRun<S> {
    return [steps](const Case& c, const Tensors& given) { return run_references<S>(steps, c, given); };
  };
  contract.reference = {reference.template operator()<double>(), reference.template operator()<Tracked>(),
                        reference.template operator()<long double>(), reference.template operator()<float>(), nullptr};
  contract.constraint = [steps, own = contract.constraint](const Case& c) {
    auto error = own ? own(c) : std::nullopt;
    return error ? error : refused_by_steps(steps, c);
  };
  contract.flops = [steps](const Case& c) {
    double flops = 0;
    for (const Step* step : steps_of(steps, c))
      if (const Contract& op = op_of(*step); op.flops) flops += op.flops(case_of_step(*step, c));
    return flops;
  };
  return contract;
}

}  // namespace assay
