// The part of CUB that kernels use inside: reductions and scans of a warp and of a block, their
// operators, and a block's loads and stores.
//
// CUB's own headers are for nvcc alone. Results combine in another order than CUB's, which promises none for floats.
// Device-wide algorithms launch kernels, and are not here.
#pragma once

#include "harness/simt/include/cub/block/block_load.cuh"
#include "harness/simt/include/cub/block/block_reduce.cuh"
#include "harness/simt/include/cub/block/block_scan.cuh"
#include "harness/simt/include/cub/block/block_store.cuh"
#include "harness/simt/include/cub/warp/warp_reduce.cuh"
#include "harness/simt/include/cub/warp/warp_scan.cuh"
