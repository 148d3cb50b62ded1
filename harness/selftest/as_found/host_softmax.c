// EXPECT: NONFINITE MISMATCH. The largest element is not subtracted: large numbers overflow.
// SMALLEST: rows=1
/* Softmax of each row on the host, as a C program has it. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static float largest_of(const float *restrict row, size_t count) {
    float largest = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (row[i] > largest) largest = row[i];
    return largest;
}

void softmax(const float *restrict x, float *restrict y, size_t rows, size_t cols) {
    float *row = malloc(cols * sizeof *row);
    for (size_t r = 0; r < rows; r++) {
        const float largest = 0.0f;
        float sum = 0.0f;
        for (size_t c = 0; c < cols; c++) {
            row[c] = expf(x[r * cols + c] - largest);
            sum += row[c];
        }
        for (size_t c = 0; c < cols; c++) y[r * cols + c] = row[c] / sum;
    }
    free(row);
}
