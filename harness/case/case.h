// A case: one point of the space that is searched, as one readable line.
//
//   softmax_backward/warp_per_row bf16 rows=3 cols=65 fill=normal seed=7 block=128 schedule=12
//
// The same text is input, report column, reproduction and saved file: print(parse(s)) == s for every line that print
// writes. This folder knows the grammar only; harness/op checks a case against its op's contract.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/tensor/dtype.h"

namespace assay {

// A dim or attribute of the op: "cols=65", "eps=1e-5", "pad=some". Its text is what lines have. The number that it
// reads as is found once, when the text is set: all that runs and judges a case asks for it.
class Param {
 public:
  Param() = default;
  Param(std::string name, std::string text) : name_(std::move(name)) { set(std::move(text)); }
  void set(std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  std::optional<int64_t> integer() const { return integer_; }
  std::optional<double> real() const { return real_; }

  bool operator==(const Param& other) const { return name_ == other.name_ && text_ == other.text_; }

 private:
  std::string name_, text_;
  std::optional<int64_t> integer_;
  std::optional<double> real_;
};

// The variant that a step of a composite runs.
struct StepChoice {
  std::string step;
  std::string variant;
  bool operator==(const StepChoice&) const = default;
};

// Where buffers begin: `elements` after an address that is aligned as an allocation is. Views of larger tensors do so.
struct Offset {
  int64_t elements = 0;
  std::string tensor = {};  // of this tensor alone; empty: of all
  bool operator==(const Offset&) const = default;
};

inline constexpr int64_t kOffsetMax = 255;  // further ones repeat the alignment of these

struct Case {
  std::string op;
  std::string variant;
  DType dtype = DType::f32;
  std::vector<Param> params;  // dims, then attributes, in the contract's order
  std::string fill = "normal";
  uint64_t seed = 0;               // of the data
  std::optional<int64_t> nonzero;  // keep only so many elements of each filled tensor, zero the rest (by shrinking)
  std::optional<int> block;        // threads per block, where the variant leaves them open
  std::optional<int> grid;         // blocks, where the variant's kernels stride over a grid of any size; else its own
  std::optional<Offset> offset;    // of the op's tensors; nothing: they are aligned
  std::vector<StepChoice> steps;   // of a composite, where not as its variant has it
  uint64_t schedule = 0;           // of the executor; 0 is ascending order

  const std::string* find(std::string_view name) const;  // null when there is no such dim or attribute
  const Param& param(std::string_view name) const;       // aborts when there is none: the contract was not applied
  const std::string& text(std::string_view name) const { return param(name).text(); }
  int64_t dim(std::string_view name) const;  // aborts when it is no integer, too
  double real(std::string_view name) const;
  void set(std::string_view name, std::string value);  // adds it at the end when there is none
  std::string id() const { return op + "/" + variant; }

  bool operator==(const Case&) const = default;
};

std::string print(const Case& c);

// Parses one line. Errors name the column (from 1) and mark the word: "column 12: … >>rows=x<<".
Result<Case> parse_case(std::string_view line);

// An error about the word `word` of `line`, with its column, in the form that parse_case uses. `word` must be a part of
// `line` (by address).
Error error_at(std::string_view line, std::string_view word, std::string what, std::string hint);

// The word of `line` that begins with "key=", for errors found later; the whole line when there is none.
std::string_view word_of(std::string_view line, std::string_view key);

}  // namespace assay
