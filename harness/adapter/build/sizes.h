// The sizes that a user's launcher is given, for the generated file around it.
//
// A number in braces must not lose bits: the compiler refuses such a call where a parameter is too short for it, and is
// asked whether it does.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/op/contract.h"

namespace assay {

// A C++ expression: whether `entry`, called as the launch has it, takes 64 bits of each dim that is an argument alone.
inline std::string takes_64_bits(const std::string& entry, const AdapterLaunch& launch, const Contract& contract) {
  std::string text = "true";
  for (size_t i = 0; i < launch.args.size(); ++i) {
    if (std::ranges::find(contract.dims, launch.args[i], &DimSpec::name) == contract.dims.end()) continue;
    std::vector<std::string> args = launch.args;
    args[i] = "{assay_size}";
    text += fmt::format(" && [&](auto assay_size) {{ return requires {{ {}({}); }}; }}({})", entry,
                        fmt::join(args, ", "), launch.args[i]);
  }
  return text;
}

}  // namespace assay
