// Put behind prelude.h where clang compiles kernels to be split: the pass finds them, and what they say of their
// blocks, by annotations.
#pragma once

#undef __global__
#define __global__ __attribute__((flatten, annotate("assay_kernel")))
#undef __launch_bounds__
#define __launch_bounds__(...) __attribute__((annotate("assay_launch_bounds", __VA_ARGS__)))
