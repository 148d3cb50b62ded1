// SAYS: in line 4 takes 4 arguments, the adapter passes 3
// EXIT: 2
// Its adapter forgets the last argument.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) { y[0] = x[0] + rows + cols; }
