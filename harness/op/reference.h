// The view of a reference on a case: its dims and tensors, with elements of its scalar.
//
// A reference is one function template, `template <class S> void softmax_forward(ReferenceIo<S>& io)`, in plain loops.
// reference_from() instantiates it with double (the value), Tracked (the error budget) and long double (to test the
// reference itself); moves_from() with Bits, for ops that only move elements and must keep every bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/case/case.h"
#include "harness/op/on_all_cores.h"
#include "harness/op/rounding.h"
#include "harness/op/sum.h"
#include "harness/tensor/tensor.h"

namespace assay {

// An element as raw bits: it can be copied and nothing else, so a reference that compiles with it does not compute.
struct Bits {
  uint64_t bits = 0;
};

// A row-major array of scalars; one index per dimension, as in (i, j) for matrices, or one for the flat array.
template <class S>
struct RefTensor {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<S> values;
  std::map<int64_t, S> alternatives = {};  // second values that are right too, by element

  // Element i may be `value` as well: what it is hangs on a decision that rounding errors may turn (Sum::undecided).
  void either(int64_t i, S value) { alternatives.insert_or_assign(i, value); }

  S& operator[](int64_t i) { return values[static_cast<size_t>(i)]; }
  const S& operator[](int64_t i) const { return values[static_cast<size_t>(i)]; }
  template <class... Index>
  S& operator()(Index... index) {
    return (*this)[flat({index...})];
  }
  template <class... Index>
  const S& operator()(Index... index) const {
    return (*this)[flat({index...})];
  }

 private:
  int64_t flat(std::initializer_list<int64_t> index) const {
    int64_t flat = 0;
    const int64_t* extent = shape.data();
    for (const int64_t i : index) flat = flat * *extent++ + i;
    return flat;
  }
};

// How much work a reference does in full, in arithmetic operations; beyond that it computes a sample of its rows.
inline thread_local double reference_flops_max = 1e8;

// Every row, however long it takes, for as long as the object lives.
class ReferenceInFull {
 public:
  ReferenceInFull() : saved_(std::exchange(reference_flops_max, std::numeric_limits<double>::infinity())) {}
  ~ReferenceInFull() { reference_flops_max = saved_; }
  ReferenceInFull(const ReferenceInFull&) = delete;
  ReferenceInFull& operator=(const ReferenceInFull&) = delete;

 private:
  double saved_;
};

// The names that references use, for as long as the object lives: a contract must list them.
class NamesUsed {
 public:
  NamesUsed() : outer_(std::exchange(current_, this)) {}
  ~NamesUsed() { current_ = outer_; }
  NamesUsed(const NamesUsed&) = delete;
  NamesUsed& operator=(const NamesUsed&) = delete;

  static void add_rounding(std::string_view name) {
    if (current_) current_->roundings.emplace(name);
  }
  static void add_formula(std::string_view name) {
    if (current_) current_->formulas.emplace(name);
  }

  std::set<std::string> roundings, formulas;

 private:
  inline static thread_local NamesUsed* current_ = nullptr;
  NamesUsed* outer_;
};

// References compute by the formula of this name, for as long as the object lives. Empty: by the canonical one.
class ByFormula {
 public:
  explicit ByFormula(std::string_view formula) : outer_(std::exchange(current_, formula)) {}
  ~ByFormula() { current_ = outer_; }
  ByFormula(const ByFormula&) = delete;
  ByFormula& operator=(const ByFormula&) = delete;

  static std::string_view current() { return current_; }

 private:
  inline static thread_local std::string_view current_ = {};
  std::string_view outer_;
};

// Whether so much is known of a number that e to its power keeps two digits: what a formula may count on where it takes
// the difference of two large numbers. Where it may not, only the canonical formula is right.
inline bool is_well_known(const Tracked& exponent) { return kBudgetFactor * exponent.spread() <= 0x1p-7; }
inline bool is_well_known(double) { return true; }
inline bool is_well_known(long double) { return true; }
inline bool is_well_known(float) { return true; }

// Its larger functions are compiled once, for the five scalars of Reference (reference.cpp).
template <class S>
class ReferenceIo {
 public:
  ReferenceIo(const Case& c, const Tensors& given);

  const Case& c() const { return case_; }
  int64_t dim(std::string_view name) const { return case_.dim(name); }
  double real(std::string_view name) const { return case_.real(name); }
  const std::string& text(std::string_view name) const { return case_.text(name); }

  // Elements of an input, exact. Indices (u32) come as S too: read them through index().
  const RefTensor<S>& in(std::string_view name) const { return const_cast<ReferenceIo*>(this)->find(name); }

  // Whether the case has the tensor at all: see TensorSpec::absent.
  bool has(std::string_view name) const { return !given_.get(name).absent(); }

  // Elements to write: zero at first for an output, the initial contents for an accumulated or in-place tensor.
  RefTensor<S>& out(std::string_view name) { return find(name); }

  // The rows 0 … count-1 to compute of the written tensors, ascending: all of them while the whole reference takes at
  // most reference_flops_max operations, else the first, the last, and others by the case's seed: 20, or as many as
  // stay below that together, but four at least. The elements of the others stay unknown, and nobody judges them.
  // Ask before writing anything.
  std::vector<int64_t> rows(int64_t count, double flops);

  // Calls body(row) for each of rows(count, flops), on all cores where that takes long (on_all_cores.h).
  template <class Body>
  void each_row(int64_t count, double flops, const Body& body) {
    const std::vector<int64_t> chosen = rows(count, flops);
    on_all_cores<S>(std::ssize(chosen), flops, [&](int64_t i) { body(chosen[static_cast<size_t>(i)]); });
  }

  // The rounding of an intermediate result, by the contract's name for it (Contract::roundings). Ask once, before
  // loops.
  Rounding<S> rounding(std::string_view name) const {
    NamesUsed::add_rounding(name);
    const auto* declared = Tracked::rounds;
    return Rounding<S>(declared && std::find(declared->begin(), declared->end(), name) != declared->end());
  }

  // Whether to compute by this formula, one of Contract::formulas, instead of the canonical one.
  bool by_formula(std::string_view name) const {
    NamesUsed::add_formula(name);
    return ByFormula::current() == name;
  }

  // Element i of a u32 tensor.
  int64_t index(std::string_view name, int64_t i) const requires(!std::is_same_v<S, Bits>) {
    return static_cast<int64_t>(plain(in(name)[i]));
  }

  // The written tensors, in the contract's order. Whatever was written there, kept elements have the values that they
  // were given with, and unspecified ones are unknown.
  std::vector<RefTensor<S>> results() &&;

 private:
  RefTensor<S>& find(std::string_view name);

  const Case& case_;
  const Tensors& given_;
  std::vector<RefTensor<S>> tensors_;
  std::vector<bool> written_;
};

template <class S>
using ReferenceRun = std::function<std::vector<RefTensor<S>>(const Case&, const Tensors& given)>;

struct Reference {
  ReferenceRun<double> value;
  ReferenceRun<Tracked> tracked;
  ReferenceRun<long double> wide;
  ReferenceRun<float> narrow;  // an honest f32 computation: its error is what the sensitivity audit takes for noise
  ReferenceRun<Bits> bits;     // set for ops that only move elements; then nothing else is compared
};

template <class S, class F>
ReferenceRun<S> reference_run(F f) {
  return [f](const Case& c, const Tensors& given) {
    ReferenceIo<S> io(c, given);
    f(io);
    return std::move(io).results();
  };
}

// `f` is a generic lambda: [](auto& io) { reference::softmax_forward(io); }
template <class F>
Reference reference_from(F f) {
  return {reference_run<double>(f), reference_run<Tracked>(f), reference_run<long double>(f), reference_run<float>(f),
          nullptr};
}

template <class F>
Reference moves_from(F f) {
  Reference reference = reference_from(f);
  reference.bits = reference_run<Bits>(f);
  return reference;
}

}  // namespace assay
