// SAYS: PROPERTY | MISMATCH | NONFINITE
// OPTIONS: --cases 200
// Takes the same address for the same input. Which case then gets the result of which other one hangs on the addresses
// that malloc gives: in 200 cases 12 to 17 are found, in 60 it was down to 4.
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

void softmax_forward(const float* x, float* y, size_t rows, size_t cols) {
  static std::map<const float*, std::vector<float>> kept;
  std::vector<float>& of_x = kept[x];
  if (of_x.size() == rows * cols) {
    for (size_t i = 0; i < of_x.size(); ++i) y[i] = of_x[i];
    return;
  }
  for (size_t r = 0; r < rows; ++r) {
    const float* a = x + r * cols;
    float largest = -INFINITY, sum = 0;
    for (size_t c = 0; c < cols; ++c) largest = a[c] > largest || a[c] != a[c] ? a[c] : largest;
    for (size_t c = 0; c < cols; ++c) sum += y[r * cols + c] = std::exp(a[c] - largest);
    for (size_t c = 0; c < cols; ++c) y[r * cols + c] /= sum;
  }
  of_x.assign(y, y + rows * cols);
}
