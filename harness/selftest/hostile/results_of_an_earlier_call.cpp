// SAYS: PROPERTY | MISMATCH
// OPTIONS: --cases 60
// Remembers its last result, and hands it out again for an input of the same size.
#include <cmath>
#include <cstddef>
#include <vector>

void softmax_forward(const float* x, float* y, size_t rows, size_t cols) {
  static std::vector<float> kept;
  static size_t kept_rows = 0;
  if (kept_rows == rows && kept.size() == rows * cols) {
    for (size_t i = 0; i < kept.size(); ++i) y[i] = kept[i];
    return;
  }
  for (size_t r = 0; r < rows; ++r) {
    const float* a = x + r * cols;
    float largest = -INFINITY, sum = 0;
    for (size_t c = 0; c < cols; ++c) largest = a[c] > largest || a[c] != a[c] ? a[c] : largest;
    for (size_t c = 0; c < cols; ++c) sum += y[r * cols + c] = std::exp(a[c] - largest);
    for (size_t c = 0; c < cols; ++c) y[r * cols + c] /= sum;
  }
  kept.assign(y, y + rows * cols);
  kept_rows = rows;
}
