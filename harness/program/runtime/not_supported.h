// The calls of the CUDA runtime and of the driver that are not implemented. Each fails with the error "not supported",
// which has one number in both, and is named when the program ends, with how often it was called.
//
// The build makes a weak definition of every name in calls.txt here and in ../driver, those that are implemented too: a
// definition in another file wins over the weak one.
#pragma once

namespace assay::program {

int not_supported(const char* name);

}  // namespace assay::program

#define ASSAY_NOT_SUPPORTED(name) \
  extern "C" __attribute__((visibility("default"), weak)) int name() { return assay::program::not_supported(#name); }
