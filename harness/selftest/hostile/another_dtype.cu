// SAYS: in bf16 the elements of x are others; dtypes = ["f32"] leaves those that fit
// EXIT: 2
// Its adapter claims an element type that its pointers are not of.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) { y[0] = x[0] + rows + cols; }
