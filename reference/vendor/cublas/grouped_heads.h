// Products of attention over heads that lie one after the other: (heads, queries, lanes) beside (groups, slots, lanes).
//
// The query heads of a group are one matrix of all their rows, so that each group is one product whatever its number of
// heads, and sums over them are sums of the product. Padding at the end of rows is left out.
#pragma once

#include <cmath>

#include "harness/case/case.h"
#include "reference/vendor/cublas/products.h"

namespace assay::vendor {

struct GroupedHeads {
  int64_t groups, rows;  // rows: queries of all heads of a group
  int64_t keys, slots;   // slots: rows from one group's keys to the next one's
  int64_t dim, lanes;    // lanes: elements from row to row, of which the first dim count
  DType dtype;

  GroupedHeads(const Case& c, int64_t queries, int64_t key_rows, int64_t key_slots)
      : groups(c.dim("HK")),
        rows(c.dim("H") / groups * queries),
        keys(key_rows),
        slots(key_slots),
        dim(c.dim("ad") - c.dim("pad")),
        lanes(c.dim("ad")),
        dtype(c.dtype) {}

  float scale() const { return static_cast<float>(1 / std::sqrt(static_cast<double>(dim))); }
  int64_t all_rows() const { return groups * rows; }
  int64_t pairs() const { return all_rows() * keys; }

  Operands by_query(const void* x) const { return {x, lanes, rows * lanes, dtype}; }
  Operands by_key(const void* x) const { return {x, lanes, slots * lanes, dtype}; }
  Operands by_pair(const void* x) const { return {x, keys, rows * keys, dtype}; }

  // pairs (rows, keys) of f32 = alpha x yᵀ, of rows x by query and y by key.
  void multiply_rows(float alpha, const void* x, const void* y, float* to) const {
    multiply({.count = groups,
              .rows = rows,
              .cols = keys,
              .inner = dim,
              .alpha = alpha,
              .a = by_query(x),
              .b = transposed(by_key(y)),
              .c = {to, keys, rows * keys}});
  }
  // to (rows, dim) = alpha p y, of y by key.
  void sum_keys(float alpha, const void* p, const void* y, void* to) const {
    multiply({.count = groups,
              .rows = rows,
              .cols = dim,
              .inner = keys,
              .alpha = alpha,
              .a = by_pair(p),
              .b = by_key(y),
              .c = {to, lanes, rows * lanes, dtype}});
  }
  // to (keys, dim) = alpha pᵀ x, of x by query.
  void sum_queries(float alpha, const void* p, const void* x, void* to) const {
    multiply({.count = groups,
              .rows = keys,
              .cols = dim,
              .inner = rows,
              .alpha = alpha,
              .a = transposed(by_pair(p)),
              .b = by_query(x),
              .c = {to, lanes, slots * lanes, dtype}});
  }
};

}  // namespace assay::vendor
