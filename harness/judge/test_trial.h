// A trial of a small made-up op, with a fake device that runs whatever the test gives it, for the tests of this folder.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "harness/judge/judge.h"

namespace assay {

// y = 3·x for each element; total += the sum of each row of x.
template <class S>
void triple_and_total(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), cols = io.dim("cols");
  const auto& x = io.in("x");     // (rows, cols)
  auto& y = io.out("y");          // (rows, cols)
  auto& total = io.out("total");  // (rows)
  for (int64_t r = 0; r < rows; ++r) {
    Sum<S> sum;
    for (int64_t c = 0; c < cols; ++c) {
      y(r, c) = S(3) * x(r, c);
      sum.add(x(r, c));
    }
    total[r] = total[r] + sum.value();
  }
}

inline Contract judged_contract() {
  return {
      .name = "triple_and_total",
      .summary = "for tests",
      .dims = {{.name = "rows", .meaning = "rows"}, {.name = "cols", .meaning = "columns"}},
      .attrs = {{.name = "init", .meaning = "what total starts from", .choices = {"zero", "random"}}},
      .tensors = {{.name = "x", .role = Role::input, .shape = {"rows", "cols"}, .magnitude = 100},
                  {.name = "y", .role = Role::output, .shape = {"rows", "cols"}},
                  {.name = "total", .role = Role::accumulate, .shape = {"rows"}, .dtype = DType::f32}},
      .reference = reference_from([](auto& io) { triple_and_total(io); }),
  };
}

// The device's effect on the tensors of one run, under a schedule.
using FakeKernel = std::function<void(Tensors& tensors, uint64_t schedule)>;

class FakeDevice : public Device {
 public:
  explicit FakeDevice(FakeKernel kernel) : kernel_(std::move(kernel)) {}
  std::string name() const override { return "cpu"; }
  Findings run(const Variant&, const Case&, Tensors& tensors, uint64_t schedule) override {
    ++runs;
    kernel_(tensors, schedule);
    return std::exchange(findings, {});
  }
  std::string first_nonfinite(const Variant&, const Case&, Tensors&, uint64_t) override {
    return first_nonfinite_report;
  }

  int runs = 0;
  Findings findings = {};  // of the next run
  std::string first_nonfinite_report = "";

 private:
  FakeKernel kernel_;
};

// A trial that owns what it judges.
struct Judged {
  explicit Judged(const std::string& params = "f32 rows=4 cols=40 init=random", Contract made = judged_contract(),
                  Variant declared = {})
      : contract(std::move(made)),
        variant(std::move(declared)),
        c(*parse_case(contract.name + "/made_up " + params + " fill=normal seed=7 schedule=0")),
        trial(contract, variant, c) {}

  // A right kernel: it writes the reference's values, rounded.
  FakeKernel right_kernel() {
    return [this](Tensors& tensors, uint64_t) {
      for (const auto& result : contract.reference.value(c, tensors))
        for (int64_t i = 0; i < std::ssize(result.values); ++i) tensors.get(result.name).set(i, result[i]);
    };
  }
  // The trial's own run, by this kernel.
  void run(const FakeKernel& kernel) { kernel(trial.got, c.schedule); }

  Contract contract;
  Variant variant;
  Case c;
  Trial trial;
};

}  // namespace assay
