// A candidate that is right, for more cases than it was tried with: each function's are tried in order, and the first
// that is right, too, takes its place.
#pragma once

#include <vector>

#include "harness/adapter/bind/infer.h"

namespace assay {

// Without the requirements that are only guessed: without all of them, and without each. Limits stay: the few small
// cases that are tried do not come near them.
std::vector<Inferred> with_fewer_requirements(const Inferred& taken);

// With rows of any length, where one length was guessed, not by the user's `given`, and the kernel is given the length.
std::vector<Inferred> with_open_dims(Inferred taken, const Adapter& given);

// With outputs as they are: one that is written before it is read need not be cleared.
std::vector<Inferred> without_zeros(Inferred taken);

// Those of `candidates` that are the same call with one of the op's sizes in the place of a number of rows that was
// guessed to be 1: of two that are right the one that leaves a size open shows more.
std::vector<Inferred> with_swept_ones(const Inferred& taken, const std::vector<Inferred>& candidates);

// With two numbers for the op's rows where these are even, as their last requirement says (for others it is the same
// call), as a batch and its tokens for all tokens,
// where one of them was guessed to be 1: a kernel that divides by the wrong one would be right.
std::vector<Inferred> with_two_factors(const Inferred& taken);

// With two blocks along the grid's last axis, and rows twice as many, where the file's launch counts batches there that
// the kernel is not given and one was guessed.
std::vector<Inferred> with_two_batches(const Inferred& taken);

}  // namespace assay
