// Every composite that the project has, such as a transformer layer: its choices pass on both devices of the executor,
// and for each of its steps a wrong result of that step is named as the step's.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/judge/judge.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using testing::StartsWith;

constexpr const char* kWidths = "H=4 HK=2 ad=6 padD=2 aE=9 padE=2 aI=5 padI=1 rope=1 pairs=half biases=1 eps=1e-5";

std::vector<std::string> lines_of(const std::string& op) {
  if (op == "layer_forward") return {fmt::format("T=3 max_seq=4 {} probs=none", kWidths)};
  if (op == "layer_backward")
    return {fmt::format("T=3 max_seq=4 {} dw=overwrite", kWidths),
            fmt::format("T=1 max_seq=1 {} dw=accumulate", kWidths)};
  if (op == "layer_decode")
    return {fmt::format("capacity=4 idx=3 max_seq=5 position=3 {} form=token", kWidths),
            fmt::format("capacity=1 idx=0 max_seq=9 position=7 {} form=fused", kWidths)};
  return {};
}

// Adds 1 to the first element that a variant writes, of those that it has, after it has run.
void spoil(const Contract& op, Call& call) {
  for (const Call::Buffer& buffer : call.buffers())
    for (const TensorSpec& spec : op.tensors)
      if (spec.name == buffer.name && is_written(role_of(spec, call.c())) && buffer.data && buffer.bytes > 0)
        return void(++*static_cast<float*>(buffer.data));
}

// The name of a variant that does as `right`, and `then` besides.
std::string changed(const Variant& right, const std::string& ending, std::function<void(Call&)> then) {
  const std::string name = right.name + ending;
  if (find_variant(right.op, name, right.device)) return name;
  Variant variant = right;
  variant.name = name;
  variant.run = [run = right.run, then = std::move(then)](Call& call) {
    run(call);
    then(call);
  };
  register_variant(variant);
  return name;
}

std::string spoilt(const Variant& right) {
  return changed(right, "_spoilt", [op = find_op(right.op)](Call& call) { spoil(*op, call); });
}

ResultRow row_of(Case c, const Variant& variant, Device& device) {
  c.variant = variant.name;
  return run_case(c, variant, device);
}

class Layers : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Judge, Layers, testing::Values("cpu", kCheckedDevice),
                         [](const auto& device) { return std::string(device.param) == "cpu" ? "fast" : "checked"; });

TEST_P(Layers, ChoicesPassAndASpoiltStepIsNamed) {
  const auto device = make_device(GetParam());
  int steps = 0;
  for (const Contract& contract : all_ops()) {
    for (const std::string& words : lines_of(contract.name)) {
      const std::string line = contract.name + "/any f32 " + words + " fill=normal seed=2 schedule=3";
      const Result<Case> c = read_case(line);
      ASSERT_TRUE(c) << c.error().line();
      int passed = 0;
      for (const Variant* variant : variants()) {
        if (variant->op != contract.name || variant->device != GetParam()) continue;
        const ResultRow right = row_of(*c, *variant, **device);
        EXPECT_TRUE(right.verdict == Kind::pass || right.verdict == Kind::unsupported)
            << right.line() << ": " << right.detail;
        if (right.verdict != Kind::pass) continue;
        ++passed;
        if (passed > 1) continue;  // one of them will do for the steps
        for (const Step* step : steps_of(contract.steps, *c)) {
          Case wrong = *c;
          wrong.steps = {{step->name, spoilt(*variant_of_step(*variant, *step, *c))}};
          const ResultRow row = row_of(wrong, *variant, **device);
          EXPECT_TRUE(is_failure(row.verdict)) << row.line();
          EXPECT_THAT(row.detail, StartsWith(fmt::format("step {} ({}/", step->name, step->op))) << row.line();
          ++steps;
        }
      }
      EXPECT_GE(passed, 2) << line;
    }
  }
  EXPECT_EQ(steps, 9 + 2 * 10 + 2 * 13);
}

// As benchmarks run them: with the usual block sizes, and in the workspace what only steps know. Not in the checked
// build, which would take padding that is dead to the whole for dead to each step.
TEST(LayersAtOnce, WriteWhatIsRight) {
  const auto device = make_device("cpu");
  int runs = 0;
  for (const Contract& contract : all_ops())
    for (const std::string& words : lines_of(contract.name))
      for (const Variant* variant : variants()) {
        if (variant->op != contract.name || variant->device != "cpu") continue;
        const Case c = *read_case(contract.name + "/" + variant->name + " f32 " + words + " fill=normal seed=2");
        if (variant->unsupported(c)) continue;
        const Tensors given = make_tensors(contract, c);
        Tensors got = given;
        for (const Finding& finding : (*device)->run(*variant, c, got, /*schedule=*/3))
          ADD_FAILURE() << finding.detail << " in " << print(c);
        for (const ExpectedTensor& want : Oracle{contract, *variant, c, given}.expect())
          EXPECT_TRUE(want.fits(got.get(want.name))) << want.name << " of " << print(c);
        ++runs;
      }
  EXPECT_GE(runs, 12);
}

// A step that works in place is given one memory for what it reads and writes: with two, a kernel that leaves out what
// it need not change would leave poison.
TEST(LayersAtOnce, ShareTheMemoryOfStepsInPlace) {
  static int shared, apart;
  shared = apart = 0;
  const auto device = make_device("cpu");
  for (const Contract& contract : all_ops())
    for (const std::string& words : lines_of(contract.name)) {
      Case c = *read_case(contract.name + "/any f32 " + words + " fill=normal seed=2");
      const auto all = variants();
      const Variant& whole = **std::ranges::find_if(all, [&](const Variant* each) {
        return each->op == contract.name && each->device == "cpu" && !each->unsupported(c);
      });
      for (const Step* step : steps_of(contract.steps, c)) {
        if (aliases_of(case_of_step(*step, c)).empty()) continue;
        c.steps.push_back({step->name, changed(*variant_of_step(whole, *step, c), "_watched", [](Call& call) {
                             for (const Alias& alias : aliases_of(call.c()))
                               call.in<void>(alias.input) == call.out<void>(alias.written) ? ++shared : ++apart;
                           })});
      }
      c.variant = whole.name;
      Tensors tensors = make_tensors(contract, c);
      EXPECT_TRUE((*device)->run(whole, c, tensors, /*schedule=*/3).empty()) << print(c);
    }
  EXPECT_GE(shared, 14);
  EXPECT_EQ(apart, 0);
}

}  // namespace
}  // namespace assay
