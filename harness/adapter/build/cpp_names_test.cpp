// Contracts whose names C++ does not admit: what generated code calls them, and that people see their own names.
#include "harness/adapter/build/cpp_names.h"

#include <gmock/gmock.h>

#include "harness/adapter/build/generate.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CppNames, KeywordsAreRenamedWhereTheContractMeansThem) {
  Contract contract;
  contract.name = "odd";
  contract.dtypes = {DType::f32};
  contract.dims.push_back({.name = "default", .meaning = ""});
  contract.attrs.push_back({.name = "signed", .meaning = "", .choices = {"0", "1"}});
  TensorSpec gradient;
  gradient.name = "do";
  contract.tensors.push_back(gradient);
  Adapter adapter{.op = "odd", .name = "k", .dtypes = {DType::f32}, .requirements = {"default % 4 == 0 && signed"}};
  adapter.launches.push_back(
      {.entry = "k<T>", .args = {"do", "int(default)", "signed"}, .grid = {"default"}, .shared = "default * 4"});

  const std::string code = wrapper_of(adapter, contract, "");
  EXPECT_THAT(code, HasSubstr("int64_t assay_name_default = assay_call.c().dim(\"default\")"));
  EXPECT_THAT(code, HasSubstr("assay::adapter::extents(assay_name_default)"));
  EXPECT_THAT(code, HasSubstr("assay_name_default * 4, assay_name_do, int(assay_name_default), assay_name_signed)"));
  EXPECT_THAT(code, HasSubstr("if (!(assay_name_default % 4 == 0 && assay_name_signed))"));
  EXPECT_THAT(code, HasSubstr("\"requires default % 4 == 0 && signed\""));
  EXPECT_THAT(code, HasSubstr("    default:\n"));
  EXPECT_THAT(code, Not(HasSubstr("\"assay_name_")));
}

}  // namespace
}  // namespace assay
