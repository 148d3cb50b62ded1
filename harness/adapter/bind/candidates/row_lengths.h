// Lengths of rows that a body shows: n of a[row * n + k] is how far apart the rows of `a` are, whatever it is called.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/adapter/bind/candidates/candidate.h"

namespace assay {

// The parameter that the indices of each of the kernel's pointers multiply by: the n of [row * n + k], of [i] where i
// is that, and of `a + row * n`. Pointers with several such numbers are left out.
std::map<std::string, std::string> row_lengths(const KernelSource& kernel);

// The same where that is a number: 4096 of [row * 4096 + k] and of `x + row * Config::WIDTH`.
std::map<std::string, int64_t> built_in_row_lengths(const CudaSource& source, const KernelSource& kernel);

// Whether what pointers and numbers are bound to agrees with such lengths: the length of a tensor's rows is the product
// of its last extents, in some choice of the attributes that its shape depends on.
class RowLengths {
 public:
  RowLengths(const KernelSource& kernel, const Contract& contract);

  bool empty() const { return lengths_.empty(); }

  // Choices of attributes that all agreeing shapes have; nothing where none agrees. `bindings` by parameters' names.
  // A kernel with one size for everything agrees with every shape. A dim that nothing takes is as large as one that
  // counts alike: key heads are query heads.
  std::optional<Choices> agreeing(const std::map<std::string, const Binding*>& bindings) const;

 private:
  struct Layout {
    Choices choices;
    std::map<std::string, std::set<std::multiset<std::string>>> lengths;  // of a tensor's rows: factors of products
    std::map<std::string, std::multiset<std::string>>
        wholes;  // of tensors that have one row, which no index steps over
  };

  bool agrees(const Layout& layout, const std::map<std::string, const Binding*>& bindings) const;
  bool has(const std::set<std::multiset<std::string>>& rows, const std::multiset<std::string>& length,
           const std::map<std::string, const Binding*>& bindings) const;

  std::map<std::string, std::string> lengths_;
  std::vector<Layout> layouts_;
  std::map<std::string, std::string> alike_;  // dims, and an earlier one that counts alike
};

}  // namespace assay
