// Functions of a file that launch its kernels and can be called as they are: their grids, shared sizes and runtime
// calls are the author's own, so an adapter that calls one assumes less than one that launches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adapter/bind/infer.h"
#include "harness/adapter/bind/match.h"

namespace assay {

// The functions whose bodies launch the kernel of that name; "": all that launch. No members, and not main.
std::vector<const FunctionSource*> launchers_of(const CudaSource& source, std::string_view kernel);

// The function of that name that launches something; nullptr when there is none.
const FunctionSource* find_launcher(const CudaSource& source, std::string_view name);

// Whether a parameter chooses the threads of a block: block_size, blockSize, threads, num_threads.
bool is_block_size(const Parameter& parameter);

// The launcher with the numbers that it is given where it launches this kernel: 6 for `which` of `which == 6`.
FunctionSource given_choice(const CudaSource& source, FunctionSource launcher, const KernelSource& kernel);

// The conditions under which a launcher that has several kernels launches this one, which cases must meet: the others
// would be judged in its place. Nothing where they are not understood, and an error where one launch may be of others.
Result<std::vector<std::string>> choice_of(const CudaSource& source, const FunctionSource& launcher,
                                           const KernelSource& kernel, const std::vector<Match>& matches);

// Adds conditions to those that an adapter requires and the file states.
void add_stated(Inferred& inferred, const std::vector<std::string>& conditions);

// The candidates for the one launcher that is named as the op and whose parameters leave nothing unknown, whatever it
// launches: more than one where no parameter takes an attribute of the op. The result is empty where there are none or
// several.
std::vector<Inferred> candidates_for_launcher_of_op(const CudaSource& source, const Contract& contract,
                                                    const std::string& path);

// The adapter that calls the one launcher of `kernel` whose parameters leave nothing unknown; where there are none or
// several, the one that launches the kernel itself.
Inferred infer_entry(const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                     const std::string& path);

// The candidate for a kernel that leaves no doubt, else all that can be tried, best first.
std::vector<Inferred> candidates_for_kernel(const CudaSource& source, const KernelSource& kernel,
                                            const Contract& contract, const std::string& path);

// Whether cases must decide: there are several candidates, or guesses in the only one. Names that several things
// usually have leave a doubt, too, where something else is open.
bool is_to_be_tried(const std::vector<Inferred>& candidates);

}  // namespace assay
