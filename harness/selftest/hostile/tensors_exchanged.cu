// SAYS: arguments 1 and 2 are exchanged: 'y' is passed for the parameter 'x' and 'x' for 'y'
// EXIT: 2
// Its adapter passes the tensors the other way round.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) { y[0] = x[0] + rows + cols; }
