// SAYS: arguments 3 and 4 are exchanged: 'cols' is passed for the parameter 'rows' and 'rows' for 'cols'
// EXIT: 2
// Its adapter passes the dims the other way round.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) { y[0] = x[0] + rows + cols; }
