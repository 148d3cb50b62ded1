// The parts of a contract that no parameter takes, and what an adapter says of them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/adapter/bind/infer.h"

namespace assay {

// The known facts of the kernels of an adapter, or of its launcher.
struct Taken {
  std::set<std::string> names;                // tensors, dims or attributes that some parameter takes
  bool writes_scratch = false;                // a pointer that is given scratch memory
  bool writes_result = false;                 // such a pointer that it never reads
  std::map<std::string, bool> only_written;   // by the tensors that kernels take: never read or added to
  std::set<std::string> read_untested;        // tensors whose pointers kernels follow without a look at them
  std::map<std::string, DType> elements;      // by those tensors whose element type a parameter spells out
  std::map<std::string, std::string> chosen;  // of attributes that the text leaves open: what a guess makes them
  std::vector<WrittenNumber> written;         // by all of them
};

// Completes the adapter for everything that `taken` lacks: leaves it out, fixes it, or asks.
void infer_missing(const Contract& contract, const Taken& taken, Inferred& inferred);

// "1e-5", "0.5f"; nothing for what is more than a number.
std::optional<double> number_of(std::string_view text);

}  // namespace assay
