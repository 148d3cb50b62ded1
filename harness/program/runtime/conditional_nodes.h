// Conditional nodes of graphs: bodies that run if, while, or according to which value a condition has that kernels set.
#pragma once

#include "harness/program/runtime/graph_work.h"

namespace assay::program {

// The work of a conditional node, with bodies that are empty. `params->phGraph_out` becomes the array of them, which
// lives as long as the node. Errors: another number of bodies than the type has, or a handle that no graph has made.
MadeWork conditional_work(cudaConditionalNodeParams* params);
// The conditions of a graph whose launch begins get the values that they begin with.
void begin_conditions(CUgraph_st& graph);
// Errors: of the first node of a body that fails.
cudaError_t run_bodies(const ConditionalWork& work);

}  // namespace assay::program
