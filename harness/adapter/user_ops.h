// Ops of the user's own: headers outside the project, each with a contract and its reference, compiled and loaded when
// a command starts.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

// Registers an op for every *.h of `folders`, named as its file: `assay::Contract contract()` in namespace
// assay::ops::<name>. A module that was compiled before is taken from the user's cache folder while the header, what it
// includes, the compiler and this program are the same (module_cache.h); a cache that cannot be written is no error.
//
// Errors: a folder that is none or has no header, a file name that is no identifier, an op that is there already, the
// compiler's words, and what contract_mistakes() or a crash on the smallest cases shows of the contract.
Result<void> load_user_ops(const std::vector<std::string>& folders);

// The folder that an op came from, absolute; "" for a built-in one.
std::string folder_of_op(const std::string& op);

}  // namespace assay
