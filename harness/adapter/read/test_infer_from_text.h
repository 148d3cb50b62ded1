// For tests of inference: infers the adapter of a kernel that is given as text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/adapter/bind/infer.h"
#include "harness/adapter/read/read_by_clang.h"
#include "harness/op/registry.h"

namespace assay {

using Texts = std::vector<std::string>;

inline Result<CudaSource> read_text(const std::string& text) { return read_by_clang({text, 1}, "/k.cu", {}, ""); }

inline CudaSource read(const std::string& text) {
  const auto source = read_text(text);
  EXPECT_TRUE(source.has_value()) << source.error().line();
  return source.value_or(CudaSource{});
}

inline Inferred infer(const std::string& op, const std::string& text) {
  const CudaSource source = read(text);
  EXPECT_FALSE(source.kernels.empty());
  return infer_adapter(source, source.kernels.at(0), *find_op(op), "a/k.cu");
}

inline Texts args(const std::string& op, const std::string& parameters, const std::string& head = "") {
  return infer(op, head + "__global__ void k(" + parameters + ") {}").adapter.launches.at(0).args;
}

inline Texts grid(const std::string& op, const std::string& text) {
  return infer(op, text).adapter.launches.at(0).grid;
}

// "eps = 1e-5"
inline Texts fixes(const Inferred& inferred) {
  Texts texts;
  for (const Fixed& fixed : inferred.adapter.fixed) texts.push_back(fixed.name + " = " + fixed.value);
  return texts;
}

inline std::vector<Inferred> candidates(const std::string& op, const std::string& text) {
  const CudaSource source = read(text);
  return candidate_adapters(source, source.kernels.at(0), *find_op(op), "k.cu");
}

inline const AdapterLaunch& launch(const Inferred& inferred) { return inferred.adapter.launches.at(0); }

// The first candidate for which `fits` holds; its adapter is empty where there is none.
template <class Fits>
Inferred first(const std::vector<Inferred>& all, const Fits& fits) {
  for (const Inferred& each : all)
    if (fits(each)) return each;
  return {};
}

}  // namespace assay
