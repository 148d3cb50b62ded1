// Which choices of an attribute are another computation.
#include "harness/op/changed_values.h"

#include <gtest/gtest.h>

#include "harness/tensor/fill.h"

namespace assay {
namespace {

// y = x or -x, of x as wide as one attribute says and filled as another does, which the reference does not look at.
Contract of_choices() {
  return {.name = "of_choices",
          .summary = "for tests",
          .dims = {{.name = "n", .meaning = "elements"}},
          .attrs = {{.name = "sign", .meaning = "of y", .choices = {"plus", "minus"}},
                    {.name = "data", .meaning = "what x holds", .choices = {"fill", "ones"}},
                    {.name = "width", .meaning = "of x", .choices = {"one", "two"}},
                    {.name = "refused", .meaning = "by the constraint", .choices = {"no", "yes"}}},
          .tensors = {{.name = "x",
                       .role = Role::input,
                       .make =
                           [](const Case& c, Rng& rng, Tensor& x) {
                             apply_fill(c, rng, 1, x);
                             if (c.text("data") == "ones")
                               for (int64_t i = 0; i < x.count(); ++i) x.set(i, 1);
                           },
                       .shape_by = [](const Case& c) { return ShapeText{c.text("width") == "one" ? "n" : "2*n"}; }},
                      {.name = "y", .role = Role::output, .shape = {"n"}}},
          .dtypes = {DType::f32},
          .constraint = [](const Case& c) -> std::optional<Error> {
            if (c.text("refused") == "no") return std::nullopt;
            return Error{"refused", ""};
          },
          .reference = reference_from([](auto& io) {
            const bool minus = io.c().text("sign") == "minus", twice = io.c().text("refused") == "yes";
            for (int64_t i = 0; i < io.dim("n"); ++i) {
              const auto x = io.in("x")[i];
              io.out("y")[i] = minus ? -x : twice ? x + x : x;
            }
          })};
}

TEST(ChangesValues, OfAnotherComputationAndNotOfOtherDataOrTensors) {
  const Contract contract = of_choices();
  EXPECT_TRUE(changes_values(contract, contract.attrs[0])) << "sign";
  EXPECT_FALSE(changes_values(contract, contract.attrs[1])) << "data";
  EXPECT_FALSE(changes_values(contract, contract.attrs[2])) << "width";
  EXPECT_FALSE(changes_values(contract, contract.attrs[3])) << "refused";
}

TEST(NeutralValue, IsOneOfAFactorAndZeroOfATerm) {
  const Contract contract = {.name = "scaled_and_moved",
                             .summary = "for tests",
                             .dims = {{.name = "n", .meaning = "elements"}},
                             .tensors = {{.name = "x", .role = Role::input, .shape = {"n"}},
                                         {.name = "scale", .role = Role::input, .shape = {"1"}},
                                         {.name = "shift", .role = Role::input, .shape = {"1"}},
                                         {.name = "y", .role = Role::output, .shape = {"n"}}},
                             .dtypes = {DType::f32},
                             .reference = reference_from([](auto& io) {
                               for (int64_t i = 0; i < io.dim("n"); ++i)
                                 io.out("y")[i] = io.in("scale")[0] * -io.in("x")[i] + io.in("shift")[0];
                             })};
  EXPECT_EQ(neutral_value(contract, "scale"), 1);
  EXPECT_EQ(neutral_value(contract, "shift"), 0);
}

}  // namespace
}  // namespace assay
