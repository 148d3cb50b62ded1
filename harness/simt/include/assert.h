// assert() of kernels: a failure is a finding with block and thread, not the end of the process.
#include "harness/simt/include/simt/sync.h"

#undef assert
#ifdef ASSAY_READ_ASSERT  // of harness/reader/shim.h: what is only read collects the conditions
#define assert ASSAY_READ_ASSERT
#else
#define assert(condition) \
  ((condition) ? static_cast<void>(0) : ::assay::simt::assertion_failed(#condition, __FILE__, __LINE__))
#endif
#ifndef static_assert
#define static_assert static_assert
#endif
