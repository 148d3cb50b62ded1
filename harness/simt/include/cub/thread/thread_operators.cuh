// CUB's operators: function objects over two values.
#pragma once

#include "harness/simt/include/prelude.h"

namespace cub {

#define ASSAY_CUB_OPERATOR(name, expression)                                         \
  struct name {                                                                      \
    template <class T>                                                               \
    __host__ __device__ __forceinline__ T operator()(const T& a, const T& b) const { \
      return expression;                                                             \
    }                                                                                \
  };
ASSAY_CUB_OPERATOR(Sum, a + b)
ASSAY_CUB_OPERATOR(Difference, a - b)
ASSAY_CUB_OPERATOR(Max, a < b ? b : a)
ASSAY_CUB_OPERATOR(Min, b < a ? b : a)
#undef ASSAY_CUB_OPERATOR

template <class Key, class Value>
struct KeyValuePair {
  Key key;
  Value value;
};

// The pair whose value is greatest or least; among equals, the one whose key is least.
struct ArgMax {
  template <class P>
  __host__ __device__ __forceinline__ P operator()(const P& a, const P& b) const {
    return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class P>
  __host__ __device__ __forceinline__ P operator()(const P& a, const P& b) const {
    return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};

struct NullType {};

}  // namespace cub
