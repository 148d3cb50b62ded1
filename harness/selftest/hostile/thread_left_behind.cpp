// SAYS: UNWRITTEN | CRASH | MISMATCH | NONDETERMINISTIC
// OPTIONS: --cases 6
// Returns before its work is done.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <thread>

void softmax_forward(const float* x, float* y, size_t rows, size_t cols) {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (size_t r = 0; r < rows; ++r) {
      const float* a = x + r * cols;
      float largest = -INFINITY, sum = 0;
      for (size_t c = 0; c < cols; ++c) largest = a[c] > largest || a[c] != a[c] ? a[c] : largest;
      for (size_t c = 0; c < cols; ++c) sum += y[r * cols + c] = std::exp(a[c] - largest);
      for (size_t c = 0; c < cols; ++c) y[r * cols + c] /= sum;
    }
  }).detach();
}
