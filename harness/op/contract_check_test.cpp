// Every mistake that an author may make is named, and no built-in op has one.
#include "harness/op/contract_check.h"

#include <gmock/gmock.h>

#include <functional>
#include <stdexcept>

#include "harness/base/check.h"
#include "harness/op/registry.h"
#include "kernels/properties/rows.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// y = 2 x, for matrices.
Contract doubling() {
  const auto reference = [](auto& io) {
    for (int64_t i = 0; i < io.dim("rows") * io.dim("cols"); ++i) io.out("y")[i] = io.in("x")[i] + io.in("x")[i];
  };
  return {
      .name = "doubling",
      .summary = "y = 2 x",
      .dims = {{.name = "rows", .meaning = "rows", .min = 0}, {.name = "cols", .meaning = "columns"}},
      .attrs = {{.name = "heads", .meaning = "names a dim", .choices = {"rows", "1"}}},
      .tensors = {{.name = "x", .role = Role::input, .shape = {"rows", "cols"}},
                  {.name = "y", .role = Role::output, .shape = {"rows*cols"}},
                  {.name = "z", .role = Role::output, .shape = {"heads", "2"}}},
      .reference = reference_from(reference),
  };
}

std::vector<std::string> mistakes_after(const std::function<void(Contract&)>& change) {
  Contract contract = doubling();
  change(contract);
  return contract_mistakes(contract);
}

TEST(ContractMistakes, NoBuiltInOpHasOne) {
  ASSERT_FALSE(all_ops().empty());
  for (const Contract& contract : all_ops()) EXPECT_THAT(contract_mistakes(contract), IsEmpty()) << contract.name;
}

TEST(ContractMistakes, ASoundContractHasNone) { EXPECT_THAT(contract_mistakes(doubling()), IsEmpty()); }

TEST(ContractMistakes, NamesShapesOfUnknownDims) {
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.tensors[1].shape = {"rows", "2*columns"};
              }),
              ElementsAre("the shape of 'y' names 'columns', which is no dim or attribute"));
  EXPECT_THAT(mistakes_after([](Contract& c) { c.attrs[0].choices.push_back("groups"); }),
              ElementsAre(HasSubstr("the shape of 'z' names 'groups'")));
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.tensors[0].shape = {"rows", "-1"};
              }),
              ElementsAre(HasSubstr("names '-1'")));
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.tensors[0].shape_by = [](const Case&) { return ShapeText{"rows", "width"}; };
              }),
              ElementsAre(HasSubstr("names 'width'")));
}

TEST(ContractMistakes, NamesMissingTensors) {
  EXPECT_THAT(mistakes_after([](Contract& c) { c.tensors.clear(); }), Contains("it has no tensors"));
  EXPECT_THAT(mistakes_after([](Contract& c) {
                for (TensorSpec& tensor : c.tensors) tensor.role = Role::input;
              }),
              ElementsAre(HasSubstr("no written tensor")));
}

TEST(ContractMistakes, NamesNamesThatAreTakenOrNone) {
  EXPECT_THAT(mistakes_after([](Contract& c) { c.tensors[2].name = "y"; }),
              ElementsAre("tensor 'y' has a name that is there twice"));
  EXPECT_THAT(mistakes_after([](Contract& c) { c.attrs[0].name = "rows"; }), Contains(HasSubstr("there twice")));
  EXPECT_THAT(mistakes_after([](Contract& c) { c.tensors[0].name = "cols"; }), Contains(HasSubstr("there twice")));
  EXPECT_THAT(mistakes_after([](Contract& c) { c.attrs[0].name = "y"; }), Contains(HasSubstr("names 'heads'")))
      << "as the tensor that it describes, an attribute may be named";
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.attrs.push_back({"seed", "", {"1"}});
              }),
              ElementsAre(HasSubstr("'seed' has a name that is taken")));
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.attrs.push_back({"a b", "", {"1"}});
              }),
              ElementsAre(HasSubstr("'a b' is not named by an identifier")));
  EXPECT_THAT(mistakes_after([](Contract& c) { c.name = "2x"; }), ElementsAre(HasSubstr("'2x' is no identifier")));
}

TEST(ContractMistakes, NamesDimsThatRepeatAndAreNotThere) {
  EXPECT_THAT(mistakes_after([](Contract& c) { c.repeats_along = {"rows"}; }), IsEmpty());
  EXPECT_THAT(mistakes_after([](Contract& c) { c.repeats_along = {"row"}; }),
              ElementsAre("repeats_along names 'row', which is no dim"));
}

TEST(ContractMistakes, NamesEmptyDomains) {
  EXPECT_THAT(mistakes_after([](Contract& c) { c.dims[1].max = 0; }), ElementsAre("dim 'cols' goes from 1 to 0"));
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.attrs.push_back({"eps", "", {}});
              }),
              ElementsAre("attribute 'eps' has no choices"));
  EXPECT_THAT(mistakes_after([](Contract& c) { c.dtypes.clear(); }), ElementsAre("it has no dtypes"));
}

TEST(ContractMistakes, RunsTheReference) {
  EXPECT_THAT(mistakes_after([](Contract& c) { c.reference = {}; }), ElementsAre(HasSubstr("no reference")));
  const auto throws = [](auto& io) {
    if (io.text("heads") == "1" && io.dim("rows") == 3) throw std::runtime_error("no such head");
  };
  EXPECT_THAT(
      mistakes_after([&](Contract& c) { c.reference = reference_from(throws); }),
      ElementsAre("an exception in 'doubling/reference f32 rows=3 cols=3 heads=1 fill=normal seed=1 schedule=0': "
                  "no such head"));
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.reference.wide = [](const Case&, const Tensors&) { return std::vector<RefTensor<long double>>{}; };
              }),
              Contains(HasSubstr("does not give all of 'y'")));
  EXPECT_DEATH(mistakes_after([](Contract& c) { c.reference = reference_from([](auto& io) { io.out("w")[0] = 1; }); }),
               "asks for a tensor 'w'");
}

// A right kernel's results are the reference's: what does not hold for them holds for nothing.
TEST(ContractMistakes, RunsThePropertiesAndMutants) {
  const auto with = [](std::function<std::optional<std::string>(const PropertyRun&)> broken) {
    return mistakes_after(
        [&](Contract& c) { c.properties = {{.name = "p", .states = "it holds", .broken = std::move(broken)}}; });
  };
  EXPECT_THAT(with([](const PropertyRun& run) -> std::optional<std::string> {
                const auto again = run.run(run.c, run.given);
                if (!again || run.budget("y").size() != static_cast<size_t>(run.got.get("y").count())) return "not run";
                return again->get("y").count() > 0 && again->get("y").at(0) != 2 * run.given.get("x").at(0)
                           ? std::optional("no double")
                           : std::nullopt;
              }),
              IsEmpty());
  EXPECT_THAT(
      with([](const PropertyRun& run) {
        return run.c.dim("rows") == 3 ? std::optional<std::string>("3 rows") : std::nullopt;
      }),
      ElementsAre(AllOf(HasSubstr("property 'p' does not hold for its reference in 'doubling/reference f32 rows=3"),
                        HasSubstr(": 3 rows"))));
  EXPECT_DEATH(with([](const PropertyRun& run) { return std::optional(std::string(run.got.get("w").name())); }), "'w'");
  EXPECT_DEATH(mistakes_after([](Contract& c) {
                 c.mutants = {{"m", [](const Case&, const Tensors&, auto&) { ASSAY_CHECK(false, "mutated"); }}};
               }),
               "mutated");
}

TEST(ContractMistakes, RowsOfVectorsAreTheirElements) {
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.properties = {properties::rows_are_independent({"x"}, {"y", "z"})};
              }),
              IsEmpty());
  EXPECT_DEATH(mistakes_after([](Contract& c) {
                 c.tensors[1].shape = {};
                 c.reference = reference_from([](auto& io) { io.out("y")[0] = 1; });
                 c.properties = {properties::rows_are_independent({"x"}, {"y"})};
               }),
               "'y' is a single number and has no rows");
}

TEST(ContractMistakes, NamesAConstraintThatRefusesWhatItAdjusted) {
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.constraint = [](const Case&) { return std::optional(Error{"never right", "give up"}); };
                c.adjust = [](Case&) {};
              }),
              ElementsAre("its constraint refuses what its adjust has made: never right; give up"));
}

MarkRegions marked(int64_t begin, int64_t end, Region region) {
  return [=](const Case&) {
    Regions regions;
    regions.mark(begin, end, region);
    return regions;
  };
}

TEST(ContractMistakes, NamesRegionsThatCannotBe) {
  const auto with = [](size_t tensor, MarkRegions regions) {
    return mistakes_after([&](Contract& c) { c.tensors[tensor].regions = regions; });
  };
  EXPECT_THAT(with(1, marked(0, 0, Region::kept)), IsEmpty());
  EXPECT_THAT(with(1, marked(0, 99, Region::kept)),
              ElementsAre(HasSubstr("region 0…99 of 'y' is outside its 0 elements in 'doubling/")));
  EXPECT_THAT(with(2, marked(0, 1, Region::dead)), Contains("'z' is output and has elements that are dead"));
  EXPECT_THAT(mistakes_after([](Contract& c) {
                c.dims[0].min = 1;
                c.tensors[0].regions = marked(0, 1, Region::kept);
              }),
              ElementsAre("'x' is input and has elements that are kept"));
}

TEST(ContractMistakes, NamesBuffersThatCannotBeShared) {
  const auto with = [](const std::string& choice) {
    return mistakes_after([&](Contract& c) {
      c.tensors[1].shape = {"rows", "cols"};
      c.attrs.push_back({"alias", "one buffer", {"none", choice}});
    });
  };
  EXPECT_THAT(with("y:x"), IsEmpty());
  EXPECT_THAT(with("x:y"), ElementsAre("alias 'x:y' is neither 'none' nor OUTPUT:INPUT"));
  EXPECT_THAT(with("y:x,x:x"), ElementsAre("alias 'y:x,x:x' is neither 'none' nor OUTPUT:INPUT"));
  EXPECT_THAT(with("y"), ElementsAre(HasSubstr("alias 'y' is neither")));
  EXPECT_THAT(with("z:x"), ElementsAre(HasSubstr("'z' and 'x' share a buffer and differ in shape or dtype in ")));
}

}  // namespace
}  // namespace assay
