// The tables of our headers.
#define TABLE our_table
#include "harness/device/cpu/tests/small_float_table.inc"
