// The program: everything is in the library, so that tests and the self-test program share it.
#include "harness/cli/cli.h"

int main(int argc, char** argv) { return assay::cli_main(argc, argv); }
