// CUDA header name; everything is in the prelude.
#pragma once
#include "harness/cxx/include/program_prelude.h"
