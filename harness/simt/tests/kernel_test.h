// How a kernel file of the executor's tests is reached: one function that launches, checks, and says what is wrong.
//
// The name is the file's; the build makes the list of all of them, so a new test is one new file.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "harness/simt/include/simt/launch.h"

// Defines the test; its body returns "" or what is wrong with the result.
#define ASSAY_KERNEL_TEST(name) static const char* assay_kernel_test_##name()
