// Variants of composites: which variants their steps have, and the two means to run them: step by step, with the caller
// between, or all at once.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/rng.h"
#include "harness/op/composite.h"
#include "harness/op/launch_choice.h"
#include "harness/op/registry.h"
#include "harness/op/step_tensors.h"

namespace assay {
namespace {

const std::string* choice_of(const std::vector<StepChoice>& choices, const std::string& step) {
  const auto found = std::ranges::find(choices, step, &StepChoice::step);
  return found == choices.end() ? nullptr : &found->variant;
}

const std::string* chosen(const Variant& whole, const Step& step, const Case& c) {
  const std::string* const by_case = choice_of(c.steps, step.name);
  return by_case ? by_case : choice_of(whole.steps, step.name);
}

// Its block size is the first of these with which the variant runs it.
Case case_of_variant(const Step& step, const Variant& variant, const Case& c, const std::vector<int>& blocks) {
  Case inner = case_of_step(step, c);
  inner.variant = variant.name;
  for (const int block : blocks) {
    inner.block = block;
    if (!variant.unsupported || !variant.unsupported(inner)) break;
  }
  return inner;
}

// The block sizes of a step's variant, from one that the case's seed draws.
std::vector<int> drawn_blocks(const Step& step, const Variant& variant, const Case& c) {
  std::vector<int> blocks = variant.blocks;
  if (blocks.empty()) return blocks;
  Rng rng = Rng::stream(c.seed, "block of step " + step.name);
  std::ranges::rotate(blocks, blocks.begin() + static_cast<ptrdiff_t>(rng.below(blocks.size())));
  return blocks;
}

std::optional<std::string> unsupported_step(const Variant& whole, const Step& step, const Case& c) {
  const Variant* const variant = variant_of_step(whole, step, c);
  if (!variant) {
    const std::string* const name = chosen(whole, step, c);
    if (!name) return "names no variant for it";
    std::vector<std::string> known;
    for (const Variant* other : variants())
      if (other->op == step.op && other->device == whole.device) known.push_back(other->name);
    return fmt::format("{} has no variant '{}' for {}; {}", step.op, *name, whole.device, suggestion(*name, known));
  }
  const Case inner = case_of_variant(step, *variant, c, drawn_blocks(step, *variant, c));
  if (std::ranges::find(variant->dtypes, c.dtype) == variant->dtypes.end())
    return fmt::format("{} has no kernel for {}", variant->name, name(c.dtype));
  if (auto why = refused_choice(*find_op(step.op), *variant, inner)) return why;
  return variant->unsupported ? variant->unsupported(inner) : std::nullopt;
}

// A step of the whole in one run, with the block sizes that are usual.
struct PlannedStep {
  const Step& step;
  const Contract& op;
  const Variant& variant;
  Case c;
};

// The workspace of the whole in one run: a place for each tensor that only steps know, by the composite's names, and
// behind them one for what the steps' variants need, one after the other.
struct Workspace {
  struct Place {
    int64_t begin, bytes;
  };
  std::map<std::string, Place> tensors = {};
  int64_t begin_of_steps = 0, bytes = 0;
};

constexpr int64_t kAlignment = 256;  // of a place, as of all memory of a GPU

int64_t aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

int64_t bytes_of(const TensorSpec& spec, const Case& c) {
  auto bytes = static_cast<int64_t>(size_of(dtype_of(spec, c)));
  for (const int64_t extent : shape_of(spec, c)) bytes *= extent;
  return bytes;
}

bool is_absent(const TensorSpec& spec, const Case& c) { return spec.absent && spec.absent(c); }

std::vector<PlannedStep> planned(const Variant& whole, const Case& c) {
  std::vector<PlannedStep> steps;
  for (const Step* step : steps_of(find_op(whole.op)->steps, c)) {
    const Variant* const variant = variant_of_step(whole, *step, c);
    ASSAY_CHECK(variant, whole.op + "/" + whole.name + " has no variant for its step '" + step->name + "'");
    steps.push_back({*step, *find_op(step->op), *variant, case_of_variant(*step, *variant, c, usual_blocks(*variant))});
  }
  return steps;
}

// Finds places for what the step writes. A tensor that it makes in an input's memory takes over that of the input,
// which must be in the workspace: the caller's inputs stay what they are.
void place(const PlannedStep& planned, const Contract& whole, const Case& c, Workspace& workspace) {
  const auto& [step, op, variant, inner] = planned;
  for (const Alias& alias : aliases_of(inner)) {
    const std::string &input = name_in_whole(step, alias.input), &written = name_in_whole(step, alias.written);
    if (input == written) continue;
    const auto there = workspace.tensors.find(input);
    ASSAY_CHECK(there != workspace.tensors.end(), "step '" + step.name + "' writes over '" + input + "' of its caller");
    workspace.tensors.insert_or_assign(written, Workspace::Place(there->second));
  }
  for (const TensorSpec& spec : op.tensors) {
    if (!is_written(role_of(spec, inner)) || is_absent(spec, inner)) continue;
    const std::string& name = name_in_whole(step, spec.name);
    const auto of_caller = std::ranges::find(whole.tensors, name, &TensorSpec::name);
    if (of_caller != whole.tensors.end()) {
      ASSAY_CHECK(is_written(role_of(*of_caller, c)), "step '" + step.name + "' writes over '" + name + "', an input");
      continue;
    }
    const int64_t begin = workspace.begin_of_steps + static_cast<int64_t>(offset_bytes(spec, inner));
    const auto [at, is_new] = workspace.tensors.try_emplace(name, Workspace::Place{begin, bytes_of(spec, inner)});
    ASSAY_CHECK(at->second.bytes >= bytes_of(spec, inner), "steps make '" + name + "' in two sizes");
    if (is_new) workspace.begin_of_steps = aligned(begin + at->second.bytes);
  }
}

Workspace workspace_of(const Variant& whole, const Case& c, const std::vector<PlannedStep>& steps) {
  Workspace workspace;
  for (const PlannedStep& each : steps) place(each, *find_op(whole.op), c, workspace);
  int64_t of_steps = 0;
  for (const PlannedStep& each : steps)
    if (each.variant.workspace_bytes) of_steps = std::max(of_steps, each.variant.workspace_bytes(each.c));
  workspace.bytes = workspace.begin_of_steps + of_steps;
  return workspace;
}

// Queues the steps' kernels one after the other, on the memory of `call`.
void run_at_once(const Variant& whole, Call& call) {
  const std::vector<PlannedStep> steps = planned(whole, call.c());
  const Workspace workspace = workspace_of(whole, call.c(), steps);
  auto* const memory = call.workspace<std::byte>();
  for (const auto& [step, op, variant, inner] : steps) {
    std::vector<Call::Buffer> buffers;
    for (const TensorSpec& spec : op.tensors) {
      const std::string& name = name_in_whole(step, spec.name);
      const auto at = workspace.tensors.find(name);
      void* data = nullptr;
      if (!is_absent(spec, inner) && bytes_of(spec, inner) > 0)
        data = at == workspace.tensors.end() ? call.out<void>(name) : memory + at->second.begin;
      buffers.push_back({spec.name, data, bytes_of(spec, inner), shape_of(spec, inner)});
    }
    Call own(inner, std::move(buffers), memory + workspace.begin_of_steps);
    variant.run(own);
  }
}

}  // namespace

const Variant* variant_of_step(const Variant& whole, const Step& step, const Case& c) {
  const std::string* const name = chosen(whole, step, c);
  return name ? find_variant(step.op, *name, whole.device) : nullptr;
}

std::vector<const Variant*> parts_of(const Variant& variant, const Case& c) {
  if (variant.steps.empty()) return {&variant};
  std::vector<const Variant*> parts;
  for (const Step* step : steps_of(find_op(variant.op)->steps, c))
    if (const Variant* const part = variant_of_step(variant, *step, c)) parts.push_back(part);
  return parts;
}

bool is_deterministic(const Variant& variant, const Case& c) {
  return std::ranges::all_of(parts_of(variant, c), &Variant::deterministic);
}

Variant composite_variant(Variant variant) {
  const Variant whole = variant;
  variant.run = [whole](Call& call) { run_at_once(whole, call); };
  variant.unsupported = [whole](const Case& c) -> std::optional<std::string> {
    if (whole.unsupported)
      if (auto why = whole.unsupported(c)) return why;
    for (const Step* step : steps_of(find_op(whole.op)->steps, c))
      if (const auto why = unsupported_step(whole, *step, c))
        return fmt::format("its step {} ({}): {}", step->name, step->op, *why);
    return std::nullopt;
  };
  variant.workspace_bytes = [whole, refuses = variant.unsupported](const Case& c) {
    return refuses(c) ? 0 : workspace_of(whole, c, planned(whole, c)).bytes;
  };
  return variant;
}

Findings run_steps(const Variant& whole, const Case& c, Tensors& tensors, const RunStep& run) {
  StepTensors now(tensors);
  Findings findings;
  for (const Step* step : steps_of(find_op(whole.op)->steps, c)) {
    const Variant* const variant = variant_of_step(whole, *step, c);
    ASSAY_CHECK(variant, whole.op + "/" + whole.name + " has no variant for its step '" + step->name + "'");
    const Case inner = case_of_variant(*step, *variant, c, drawn_blocks(*step, *variant, c));
    Tensors of_step = now.given_to(*step, inner);
    findings = run({*step, *find_op(step->op), *variant, inner}, of_step);
    if (!findings.empty()) break;
    now.made_by(*step, std::move(of_step));
  }
  for (Tensor& tensor : tensors) {
    const Tensor* const made = now.find(tensor.name());
    if (made != &tensor && is_written(tensor.role()) && made->bytes() == tensor.bytes())
      std::memcpy(tensor.data(), made->data(), tensor.bytes());
  }
  return findings;
}

}  // namespace assay
