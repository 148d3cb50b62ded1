// Tells from a candidate's finding what is wrong with its launch or its cases alone, and which other one is right then.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/bind/infer.h"

namespace assay {

// The findings of a block in its own memory, which neither the grid nor the sizes of tensors change.
bool is_within_a_block(const std::string& finding);

// Whether nothing but the file says how a kernel is launched: by its own line, or by a function that is called.
bool is_own_launch(const Inferred& candidate);

// The findings of a launch that the file itself makes, with a grid that is nobody's guess.
bool is_of_its_own_launch(const Inferred& candidate, const std::string& finding);

// Whether a grid that is the file's own has too few blocks, or some too many.
bool is_of_its_grid(const Inferred& candidate, const std::string& finding);

// Whether two candidates are the same kernel with the same arguments.
bool is_same_call(const Adapter& one, const Adapter& other);

// Whether they are so for the same cases.
bool differ_in_launch_only(const Adapter& one, const Adapter& other);

// Whether `other` is the same launch for other choices of what both fix, as causal = 1 for causal = 0.
bool is_another_form(const Adapter& one, const Adapter& other);

// Whether `other` is the same launch for fewer cases.
bool asks_for_more(const Adapter& one, const Adapter& other);

// Whether a candidate is given every input that the op always has. Else right elements may be no more than zeros.
bool takes_all_inputs(const Inferred& candidate);

// Whether a number that the op computes with, as a scale or an eps, is guessed: near values may come of another one.
bool guesses_a_number(const Inferred& candidate);

// Whether nothing is guessed that a finding may hang on: only choices of the op's attributes that the kernel is not
// given, as tanh or erf, and, unless the finding is about memory outside of a block, which tensors its pointers are,
// none of which but the op's result is nullptr in another of `all`.
bool leaves_only_forms(const Inferred& candidate, const std::string& finding, const std::vector<Inferred>& all);

// Whether a launch that is guessed, and need not have a thread for each element, may be all that is wrong.
bool may_be_of_guessed_launch(const Inferred& candidate, const std::string& finding);

// Whether `other` is the file's own launch in cases with less for its grid to share out: one row where the grid has a
// block for each, squares, or whole blocks where it is rounded up. What is wrong in the others is the kernel's, unless
// the grid is guessed.
bool is_retreat(const Inferred& own, const Adapter& other);

// Whether both are the file's own launches of one template with the same arguments, in other instances, or calls of two
// kernels of one name, of which the first is launched by the file.
bool is_another_instance(const Inferred& one, const Inferred& other);

// Whether `other` is one block of the file's own launch, which has several by a number, for cases that one suffices
// for.
bool is_one_block_of(const Inferred& own, const Adapter& other);

// Whether `other` gives whole blocks to a kernel that compares its index with a size: with parts of them, beside the
// same arguments, it went past that size.
bool hides_the_end(const Inferred& tried, const std::string& finding, const Adapter& other);

// Whether an argument counts by a number that no size of the cases is held to: T * 2048 where rows have any length.
bool has_number_for_size(const Adapter& adapter);

// Whether a grid counts one of the op's sizes that the other call knows nothing of, nor any argument: rows, of a file
// whose matrices are all as high as they are wide.
bool has_size_of_its_own(const Adapter& one, const Adapter& other);

// Whether threads of the file's own launch wait for others that do not come.
bool waits_in_vain(const Inferred& candidate, const std::string& finding);

// Whether `other` differs in what a finding may come from: the grid, parts of blocks, rows behind the first, dims that
// the kernel does not know, or the only output that is wrong.
bool may_explain(const Inferred& other, const Inferred& tried, const std::string& finding);

// Whether a launch has a thread for each element: ceil_div(cols, 32) by ceil_div(rows, 8) blocks of 32 by 8. Where
// values are right with it, it is the one that the kernel is written for.
bool has_thread_for_each(const AdapterLaunch& launch);

// The findings that a kernel's text earns whatever it is given: a lane that is left out of its own mask.
// And more shared memory than a kernel may declare, or more threads than a block has, of the file's own launch.
bool is_whatever_is_given(const Inferred& candidate, const std::string& finding);

// Whether a candidate is for a part of the cases that its kernel may be for: narrowed_to() says so, or it holds a size
// to 1 in a launch that is not the file's own.
bool is_for_part(const Inferred& candidate);

// The cases to which a candidate keeps that nothing in the file shows, of sizes that its grid shares out or in a launch
// that nothing shows either; "" for none. They may leave out what is wrong: other rows, or the end of one.
std::string narrowed_to(const Inferred& taken);

}  // namespace assay
