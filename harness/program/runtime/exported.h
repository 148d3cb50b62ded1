// How the functions of the CUDA runtime are defined, so that programs find them.
#pragma once

// A function with a plain name, visible outside of the library.
#define ASSAY_EXPORTED extern "C" __attribute__((visibility("default")))

// NAME_ptsz and NAME_ptds: the function as programs call it that have a default stream for each thread. Calls are done
// when they return, so it is the same.
#define ASSAY_PER_THREAD(name, suffix) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) name##suffix
