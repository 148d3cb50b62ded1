// The tables of NVIDIA's headers.
#define TABLE nvidia_table
#include "harness/simt/tests/small_float_table.inc"
