// SAYS: does_not_compile.cu:5:
// SAYS: was not declared
// EXIT: 2
// Calls what is nowhere.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) { y[0] = undeclared(x[0], rows, cols); }
