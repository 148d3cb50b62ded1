// Findings in the place of runs, for tests of which candidate is taken.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/adapter/try/trying.h"

namespace assay {

class Tries : public testing::Test {
 protected:
  // A candidate that calls a kernel with `argument`.
  static Inferred candidate(const std::string& argument) {
    Inferred one;
    one.adapter.op = "embedding_backward";
    one.adapter.name = "k";
    one.adapter.dtypes = {DType::f32, DType::bf16};
    one.adapter.launches = {{.entry = "k", .args = {argument, "ids", "g"}}};
    return one;
  }

  // The result of running a candidate, by its argument: "" is right.
  std::map<std::string, std::string> finding_, finding_of_values_, finding_of_plain_, finding_of_out_of_range_,
      finding_of_large_;
  std::map<std::string, double> share_;  // of elements that are right
  std::map<TrySizes, std::map<std::string, double>> distance_ = {{TrySizes::small, {}}, {TrySizes::large, {}}};
  std::map<std::string, size_t> passed_, cases_;  // five cases where they are not named
  bool compiles_ = true;
  size_t loads_ = 0;
  std::vector<std::vector<std::string>> grids_;  // loaded, in order
  std::vector<size_t> held_;                     // sizes of these
  std::string asked_of_;                         // an attribute
  std::vector<std::string> asked_;               // its choices that were tried

  Adapter common_ = candidate("").adapter;
  TryAdapters try_ = [this](const std::vector<std::string>& ids, const AttrChoices& with, TrySizes sizes) {
    std::vector<TriedCandidate> results;
    for (const auto& [attr, choice] : with)
      if (attr == asked_of_) asked_.push_back(choice);
    for (const std::string& id : ids) {
      const std::string& argument = argument_of_.at(id);
      const auto& plain = with.empty() ? finding_ : finding_of_plain_;
      const bool out_of_range = !with.empty() && std::any_of(with.begin(), with.end(), [](const auto& each) {
        return each.second == "out_of_range";
      });
      const auto& findings = sees_ == Sees::values ? finding_of_values_
                             : out_of_range        ? finding_of_out_of_range_
                                                   : plain;
      const auto large = sizes == TrySizes::large ? finding_of_large_.find(argument) : finding_of_large_.end();
      const auto found = large == finding_of_large_.end() ? findings.find(argument) : large;
      const std::string why = found == findings.end() ? "MISMATCH: y: 7 of 7 elements are wrong" : found->second;
      const auto cases = cases_.find(argument);
      results.push_back({why.empty(), cases == cases_.end() ? 5 : cases->second, passed_[argument], why,
                         share_[argument],
                         distance_.at(sizes).contains(argument) ? distance_.at(sizes).at(argument) : 10});
    }
    return results;
  };
  LoadAdapters load_ = [this](const std::vector<Adapter>& adapters, Sees sees) -> Result<void> {
    if (!compiles_) return fail("error: what is that?");
    ++loads_;
    sees_ = sees;
    for (const Adapter& each : adapters) {
      const std::string& argument =
          each.launches[0].args[0];  // and, where a finding has it, its block or what is fixed
      const std::string form = each.blocks == std::vector<int>{32} ? argument + " in one warp"
                               : each.fixed.empty()                ? ""
                                                                   : argument + " " + each.fixed[0].value;
      argument_of_[each.op + "/" + each.name] = finding_.contains(form) ? form : argument;
    }
    for (const Adapter& each : adapters) grids_.push_back(each.launches[0].grid), held_.push_back(each.fixed.size());
    return {};
  };
  Trying trying_{common_, try_, load_};

 private:
  std::map<std::string, std::string> argument_of_;
  Sees sees_ = Sees::most;
};

}  // namespace assay
