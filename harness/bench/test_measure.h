// A made-up op and a simulated GPU for the tests of measuring: fake kernels compute on the host's memory and say how
// long they take.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "harness/bench/measure.h"
#include "harness/bench/test_fake_gpu.h"
#include "harness/device/cuda/stream.h"
#include "harness/op/registry.h"

namespace assay {

// y = 2x, and z += x in place.
inline Contract made_up() {
  return {.name = "made_up",
          .summary = "for tests",
          .dims = {{.name = "rows", .meaning = "rows"}, {.name = "cols", .meaning = "columns"}},
          .tensors = {{.name = "x", .role = Role::input, .shape = {"rows", "cols"}},
                      {.name = "y", .role = Role::output, .shape = {"rows", "cols"}},
                      {.name = "z", .role = Role::inout, .shape = {"rows", "cols"}}},
          .reference = reference_from([](auto& io) {
            const auto& x = io.in("x");
            auto& y = io.out("y");
            auto& z = io.out("z");
            for (int64_t i = 0; i < io.dim("rows") * io.dim("cols"); ++i) {
              y[i] = x[i] + x[i];
              z[i] = z[i] + x[i];
            }
          }),
          .flops = [](const Case& c) { return 2.0 * static_cast<double>(c.dim("rows") * c.dim("cols")); }};
}

inline const RegisterOp kMadeUp(made_up());

inline void compute(Call& call) {
  const auto* x = call.in<float>("x");
  auto* y = call.out<float>("y");
  auto* z = call.out<float>("z");
  for (int64_t i = 0; i < call.dim("rows") * call.dim("cols"); ++i) {
    y[i] = x[i] + x[i];
    z[i] += x[i];
  }
}

class MeasureTest : public testing::Test {
 protected:
  // A variant whose kernels do `work`, in `us` each.
  Variant variant(const std::string& name, double us, std::function<void(Call&)> work = compute) {
    return {.op = "made_up",
            .name = name,
            .summary = "",
            .run =
                [this, us, work](Call& call) {
                  EXPECT_EQ(current_stream(), runtime.stream());
                  work(call);
                  gpu.spend(us);
                },
            .device = "gpu"};
  }
  static Variant of_vendor(Variant variant) {
    variant.vendor = "cuFake";
    return variant;
  }
  std::vector<MeasuredRow> measure_all(const std::vector<Variant>& variants, MeasureOptions options) {
    std::vector<const Variant*> candidates;
    for (const Variant& each : variants) candidates.push_back(&each);
    options.warm_up_s = 0;  // thousands of fake kernels
    return measure_case(c, candidates, runtime, timer, roofs, options,
                        {.begins = [this](const Variant& next) { running += " " + next.name; },
                         .prepares = [this](const Variant& next) { planning += " " + next.name; },
                         .prepared = [this](const Variant&) { planning += "."; }});
  }
  std::vector<ResultRow> measure(const std::vector<Variant>& variants, const MeasureOptions& options = {}) {
    std::vector<ResultRow> rows;
    for (MeasuredRow& measured : measure_all(variants, options)) rows.push_back(std::move(measured.row));
    return rows;
  }
  void TearDown() override { EXPECT_EQ(runtime.held_bytes(), 0U) << "memory of the GPU is left"; }

  FakeGpu gpu;
  FakeRuntime runtime{gpu};
  FakeTimer timer{gpu, runtime};
  // 256 KiB in each of the tensors: 1 MiB to move, which takes 1.31 us at 0.8 TB/s.
  Case c = *read_case("made_up/any f32 rows=128 cols=512 fill=normal seed=7");
  std::string running;   // " ours theirs ours": who was said to run
  std::string planning;  // " ours. theirs.": whose first run began and ended
  Roofs roofs = {{.name = "copy", .unit = "TB/s", .measured = 0.8, .physical = 1}};
};

}  // namespace assay
