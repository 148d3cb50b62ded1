// Arguments that the file's own launch computes from others: the N / 4 and N % 4 of k<<<…>>>(x, y, N / 4, N % 4).
//
// Such parameters have nothing of the op to be matched with; what they are computed from has. `asked()` is the kernel
// as if it took that instead, for whatever binds parameters, and `answered()` computes the arguments from those
// bindings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/kernel_source.h"

namespace assay {

class HostArguments {
 public:
  // Whole numbers only, and of those that the contract's names do not settle, or that are a number's part of another:
  // what a host calls N / 4 is no N.
  HostArguments(const CudaSource& source, const KernelSource& kernel, const Contract& contract);

  const KernelSource& asked() const { return asked_; }

  // One for each parameter of the kernel, from one for each of asked().
  std::vector<Match> answered(const std::vector<Match>& of_asked) const;

 private:
  struct Source {                         // of one parameter of the kernel
    size_t place = 0;                     // among asked()'s, where it is one of them
    std::string computed;                 // else the host's expression
    std::vector<std::string> names = {};  // that it is computed from
    std::vector<size_t> places = {};      // of them among asked()'s
  };

  Match computed(const Source& source, const std::vector<Match>& of_asked) const;

  KernelSource asked_;
  std::vector<Source> sources_;
};

// The parameters of a kernel as match_parameters() matches them, and those that its file's launch computes from these.
std::vector<Match> match_arguments(const CudaSource& source, const KernelSource& kernel, const Contract& contract);

}  // namespace assay
