// CUDA header name; everything is in the prelude.
#pragma once
#include "harness/device/cpu/include/prelude.h"
