// The tables of our headers.
#define TABLE our_table
#include "harness/simt/tests/small_float_table.inc"
