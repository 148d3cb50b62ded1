// Which monitor the functions that modules call (hook_state.h, checked_calls.h) speak to.
#pragma once

namespace assay::simt::checked {

class Monitor;
void watch(Monitor* monitor);  // nullptr: no checked launch runs

}  // namespace assay::simt::checked
