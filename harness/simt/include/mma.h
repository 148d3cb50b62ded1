// CUDA header name: nvcuda::wmma.
#pragma once
#include "harness/simt/include/simt/wmma.h"
