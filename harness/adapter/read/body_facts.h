// A kernel's body by what it computes with, as Clang has it: indices of its pointers, comparisons, shared arrays, the
// names that it mentions. Index expressions are trees, in which local variables of one value stand for that.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/reader/terms.h"

namespace assay {

// The one factor that a sum is, as n; "" for others.
std::string only_factor(const Terms& sum);

// Whether a product has a factor, as it is.
bool has(const Term& term, std::string_view factor);

// Whether a sum has a factor, in brackets and quotients too.
bool mentions(const Terms& sum, std::string_view factor);

// A sum without its numbers: i of i + 3.
Terms without_numbers(Terms sum);

// A local whole number that is computed from blocks and threads, or that varies.
struct BodyVariable {
  std::string name;
  Terms begin;               // its first value
  bool varies = false;       // it is a factor by itself, as the variable of a loop
  std::vector<Terms> steps;  // what is added to it again and again; not ++
};

// left < right, where a thread's own index is on the left.
struct BodyComparison {
  std::string name;  // of a variable on the left; else what is there
  Terms left;
  std::string sign;
  Terms right;
  std::string bound;  // the text of the right side, over the kernel's parameters
  bool heads_loop = false;
};

struct BodyAccess {
  std::string pointer;
  Terms index;
  bool moved = false;  // pointer + index, not pointer[index]
};

// n / 4 that is not multiplied by 4 again, and n >> 2.
struct BodyDivision {
  std::string of;
  Terms by;
  bool shifts = false;
  bool by_constant = false;  // of a template, perhaps one that nobody knows
};

struct SharedArray {
  std::vector<std::string> extents;                   // empty for a dynamic one
  bool by_thread = false, written_by_thread = false;  // s[threadIdx.x], s[threadIdx.x] = …
};

// A number in the text of a kernel or of a function that it reaches: "1e-5f".
struct WrittenNumber {
  std::string text;
  bool is_added = false;  // to something, itself or as the value of a variable
};

struct BodyFacts {
  bool is_empty = false;
  std::vector<BodyVariable> variables;
  std::vector<BodyAccess> accesses;
  std::vector<BodyComparison> comparisons;
  std::vector<BodyDivision> divisions;
  std::vector<SharedArray> shared;
  std::vector<Terms> others;                     // arithmetic and CUDA's variables elsewhere
  std::set<std::string> builtins, calls, types;  // "threadIdx.x" and "warpSize"; names; of variables, casts and calls
  std::set<int64_t> numbers;
  std::set<std::string> made_whole;  // pointers to floats of whose elements it makes whole numbers

  std::vector<WrittenNumber> written;
  // The declaration of dynamic shared memory that it, or a function that it reaches, uses: "extern __shared__ float
  // s[]".
  std::string dynamic_shared;

  bool uses(std::string_view builtin, std::string_view axes = "xyz") const;  // "threadIdx", "yz"

  // With the first values of variables in the places of those that vary.
  Terms begun(const Terms& sum) const;
  bool varies(const std::string& name) const;
};

}  // namespace assay
