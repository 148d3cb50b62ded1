// NVTX by its name of old.
#pragma once
#include "harness/cxx/include/nvtx3/nvToolsExt.h"
