// CUDA header name; everything is in the prelude.
#pragma once
#include "harness/simt/include/prelude.h"
