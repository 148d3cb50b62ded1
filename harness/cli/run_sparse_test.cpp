// `assay run` on programs that call cuSPARSE: results against plain loops in the program itself, and what is found.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::HasSubstr;

constexpr const char* kSparseProgram = R"(
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <algorithm>
#include <vector>
extern "C" {
int cudaMalloc(void**, size_t);
int cudaFree(void*);
int cudaMemcpy(void*, const void*, size_t, int);
int cusparseCreate(void**);
int cusparseDestroy(void*);
int cusparseCreateMatDescr(void**);
int cusparseDestroyMatDescr(void*);
int cusparseSetMatIndexBase(void*, int);
int cusparseCreateCsr(void**, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int, int);
int cusparseCreateCoo(void**, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int);
int cusparseCreateDnVec(void**, int64_t, void*, int);
int cusparseCreateSpVec(void**, int64_t, int64_t, void*, void*, int, int, int);
int cusparseCreateDnMat(void**, int64_t, int64_t, int64_t, void*, int, int);
int cusparseDestroySpMat(void*);
int cusparseDestroyDnVec(void*);
int cusparseDestroySpVec(void*);
int cusparseDestroyDnMat(void*);
int cusparseSpMV(void*, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseSpMM(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseAxpby(void*, const void*, void*, const void*, void*);
int cusparseGather(void*, void*, void*);
int cusparseSparseToDense(void*, void*, void*, int, void*);
int cusparseCsr2cscEx2(void*, int, int, int, const void*, const int*, const int*, void*, int*, int*, int, int, int, int, void*);
int cusparseCreateIdentityPermutation(void*, int, int*);
int cusparseXcsrsort(void*, int, int, int, void*, const int*, int*, int*, void*);
int cusparseSpGEMM_createDescr(void**);
}
static unsigned state = 1;
static int draw(int below) { return (state = state * 1664525 + 1013904223) / 65536 % below; }
template <class T>
static T* device(const std::vector<T>& values) {
  T* memory;
  cudaMalloc((void**)&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), 1);
  return memory;
}
template <class T>
static std::vector<T> taken(T* memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), 2);
  cudaFree(memory);
  return values;
}
using Floats = std::vector<float>;
static Floats numbers(int count) {
  Floats all(count);
  for (float& each : all) each = (draw(65) - 32) / 16.0f;
  return all;
}
static double worst;
static void expect(double found, double right) { worst = fabs(found - right) <= worst ? worst : fabs(found - right); }
static void show(const char* name) {
  printf("%s: %s\n", name, worst <= 1e-4 ? "right" : "wrong"), worst = 0;
}

// A third of m x n elements, as CSR and COO whose indices count from `base`.
template <class Index>
struct Sparse {
  int m, n;
  Floats dense, values;
  std::vector<Index> offsets, rows, columns;
  Sparse(int m, int n, int base) : m(m), n(n), dense(m * n), offsets{Index(base)} {
    for (int i = 0; i < m; ++i, offsets.push_back(values.size() + base))
      for (int j = 0; j < n; ++j)
        if (draw(3) == 0) {
          dense[i * n + j] = (draw(65) - 32) / 16.0f;
          values.push_back(dense[i * n + j]), rows.push_back(i + base), columns.push_back(j + base);
        }
  }
};

template <class Index>
static void vectors(void* handle, int base, bool turns) {
  const Sparse<Index> a(13, 9, base);
  const int from = turns ? 13 : 9, to = turns ? 9 : 13, type = sizeof(Index) == 8 ? 3 : 2;
  const float alpha = 1.5f, beta = -0.5f;
  const Floats x = numbers(from), y = numbers(to);
  auto *offsets = device(a.offsets), *columns = device(a.columns);
  float *values = device(a.values), *dx = device(x), *dy = device(y);
  void *matrix, *of_x, *of_y;
  cusparseCreateCsr(&matrix, 13, 9, a.values.size(), offsets, columns, values, type, type, base, 0);
  cusparseCreateDnVec(&of_x, from, dx, 0), cusparseCreateDnVec(&of_y, to, dy, 0);
  if (cusparseSpMV(handle, turns, &alpha, matrix, of_x, &beta, of_y, 0, 0, nullptr) != 0) worst = NAN;
  const Floats found = taken(dy, to);
  for (int i = 0; i < to; ++i) {
    double sum = 0;
    for (int j = 0; j < from; ++j) sum += (turns ? a.dense[j * 9 + i] : a.dense[i * 9 + j]) * x[j];
    expect(found[i], alpha * sum + beta * y[i]);
  }
  cudaFree(offsets), cudaFree(columns), cudaFree(values), cudaFree(dx);
  cusparseDestroySpMat(matrix), cusparseDestroyDnVec(of_x), cusparseDestroyDnVec(of_y);
}

// C = A B with B and C by rows or by columns; C's memory has no values before.
static void matrices(void* handle, bool by_rows) {
  const Sparse<int> a(7, 11, 0);
  const Floats b = numbers(11 * 6);
  const float one = 1, none = 0;
  int *rows = device(a.rows), *columns = device(a.columns);
  float *values = device(a.values), *db = device(b), *dc, *dd;
  cudaMalloc((void**)&dc, 7 * 5 * 4), cudaMalloc((void**)&dd, 7 * 11 * 4);
  void *matrix, *of_b, *of_c, *of_d;
  const int order = by_rows ? 2 : 1;
  cusparseCreateCoo(&matrix, 7, 11, a.values.size(), rows, columns, values, 2, 0, 0);
  cusparseCreateDnMat(&of_b, 11, 5, by_rows ? 6 : 11, db, 0, order);
  cusparseCreateDnMat(&of_c, 7, 5, by_rows ? 5 : 7, dc, 0, order);
  cusparseCreateDnMat(&of_d, 7, 11, by_rows ? 11 : 7, dd, 0, order);
  if (cusparseSpMM(handle, 0, 0, &one, matrix, of_b, &none, of_c, 0, 0, nullptr) != 0) worst = NAN;
  if (cusparseSparseToDense(handle, matrix, of_d, 0, nullptr) != 0) worst = NAN;
  const Floats c = taken(dc, 35), d = taken(dd, 77);
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 5; ++j) {
      double sum = 0;
      for (int k = 0; k < 11; ++k) sum += a.dense[i * 11 + k] * (by_rows ? b[k * 6 + j] : b[k + j * 11]);
      expect(by_rows ? c[i * 5 + j] : c[i + j * 7], sum);
    }
    for (int k = 0; k < 11; ++k) expect(by_rows ? d[i * 11 + k] : d[i + k * 7], a.dense[i * 11 + k]);
  }
  cudaFree(rows), cudaFree(columns), cudaFree(values), cudaFree(db);
  cusparseDestroySpMat(matrix), cusparseDestroyDnMat(of_b), cusparseDestroyDnMat(of_c), cusparseDestroyDnMat(of_d);
}

static void sparse_vectors(void* handle) {
  const std::vector<int> places = {8, 0, 3};
  const Floats x = {1, 2, 3}, y = numbers(9);
  const float alpha = 2, beta = 0.5f;
  int* indices = device(places);
  float *dx = device(x), *dy = device(y);
  void *of_x, *of_y;
  cusparseCreateSpVec(&of_x, 9, 3, indices, dx, 2, 0, 0), cusparseCreateDnVec(&of_y, 9, dy, 0);
  cusparseAxpby(handle, &alpha, of_x, &beta, of_y), cusparseGather(handle, of_y, of_x);
  const Floats gathered = taken(dx, 3), all = taken(dy, 9);
  for (int i = 0; i < 9; ++i) {
    const auto at = std::find(places.begin(), places.end(), i);
    expect(all[i], y[i] / 2 + (at == places.end() ? 0 : 2 * x[at - places.begin()]));
  }
  for (int i = 0; i < 3; ++i) expect(gathered[i], all[places[i]]);
  cudaFree(indices), cusparseDestroySpVec(of_x), cusparseDestroyDnVec(of_y);
}

// The columns of each row are reversed, sorted, and the matrix is turned twice.
static void orders(void* handle, int base) {
  const Sparse<int> a(10, 12, base);
  const int nnz = a.values.size();
  std::vector<int> reversed = a.columns;
  for (int i = 0; i < 10; ++i)
    std::reverse(reversed.begin() + a.offsets[i] - base, reversed.begin() + a.offsets[i + 1] - base);
  int *offsets = device(a.offsets), *columns = device(reversed), *permutation, *starts, *rows, *back;
  float *values = device(a.values), *turned;
  cudaMalloc((void**)&permutation, nnz * 4), cudaMalloc((void**)&starts, 13 * 4), cudaMalloc((void**)&rows, nnz * 4);
  cudaMalloc((void**)&turned, nnz * 4), cudaMalloc((void**)&back, 11 * 4);
  void* description;
  cusparseCreateMatDescr(&description), cusparseSetMatIndexBase(description, base);
  cusparseCreateIdentityPermutation(handle, nnz, permutation);
  cusparseXcsrsort(handle, 10, 12, nnz, description, offsets, columns, permutation, nullptr);
  cusparseCsr2cscEx2(handle, 10, 12, nnz, values, offsets, columns, turned, starts, rows, 0, 1, base, 1, nullptr);
  cusparseCsr2cscEx2(handle, 12, 10, nnz, turned, starts, rows, values, back, columns, 0, 1, base, 1, nullptr);
  const std::vector<int> moved = taken(permutation, nnz), sorted = taken(columns, nnz), ends = taken(back, 11);
  const Floats same = taken(values, nnz);
  for (int i = 0; i < nnz; ++i) {
    expect(reversed[moved[i]], a.columns[i]), expect(sorted[i], a.columns[i]), expect(same[i], a.values[i]);
  }
  for (int i = 0; i <= 10; ++i) expect(ends[i], a.offsets[i]);
  cudaFree(offsets), cudaFree(starts), cudaFree(rows), cudaFree(turned), cusparseDestroyMatDescr(description);
}

static void mistakes(void* handle) {
  const float one = 1, none = 0;
  int *offsets = device<int>({0, 1, 2}), *columns = device<int>({0, 2});
  float *values = device<float>({1, 1}), *x = device<float>({1, 1}), *y;
  cudaMalloc((void**)&y, 8);
  void *matrix, *of_x, *of_y, *descr;
  cusparseCreateCsr(&matrix, 2, 2, 2, offsets, columns, values, 2, 2, 0, 0);
  cusparseCreateDnVec(&of_x, 2, x, 0), cusparseCreateDnVec(&of_y, 2, y, 0);
  printf("a column too far: %d\n", cusparseSpMV(handle, 0, &one, matrix, of_x, &none, of_y, 0, 0, nullptr));
  printf("beta y: %d\n", cusparseSpMV(handle, 0, &none, matrix, of_x, &one, of_y, 0, 0, nullptr));
  printf("not there: %d\n", cusparseSpGEMM_createDescr(&descr));
  cudaFree(offsets), cudaFree(columns), cudaFree(values), cudaFree(x), cudaFree(y);
}

int main(int count, char**) {
  void* handle;
  cusparseCreate(&handle);
  if (count > 1) return mistakes(handle), 0;
  for (int base : {0, 1})
    for (bool turns : {false, true}) vectors<int>(handle, base, turns), vectors<int64_t>(handle, base, turns);
  show("vectors");
  matrices(handle, true), matrices(handle, false), show("matrices");
  sparse_vectors(handle), show("sparse vectors");
  orders(handle, 0), orders(handle, 1), show("orders");
  cusparseDestroy(handle);
}
)";

TEST(RunSparse, ComputesWhatPlainLoopsDoAndFindsMistakes) {
  const selftest::Scratch scratch;
  const std::string program = scratch.path + "/program";
  std::ofstream(program + ".cpp") << kSparseProgram;
  const Ran built = selftest::run_command("c++ -std=c++17 -o " + program + " " + program +
                                          ".cpp " ASSAY_BUILD_DIR "/libassay_cuda.so");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const Ran right = run("assay", "run " + program);
  EXPECT_EQ(right.exit_code, 0) << right.err;
  EXPECT_EQ(right.out, "vectors: right\nmatrices: right\nsparse vectors: right\norders: right\n");
  EXPECT_THAT(right.err, HasSubstr("assay run: no findings"));
  const Ran wrong = run("assay", "run " + program + " mistakes");
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
  EXPECT_EQ(wrong.out, "a column too far: 6\nbeta y: 6\nnot there: 10\n");
  for (const char* each : {"OUT_OF_BOUNDS: cusparseSpMV is given a column 2 where there are 2",
                           "UNINITIALISED: cusparseSpMV reads y of 2 x 1 elements, whose element 0 in memory was never",
                           "not supported: cusparseSpGEMM_createDescr, called 1 times"})
    EXPECT_THAT(wrong.err, HasSubstr(each));
}

}  // namespace
}  // namespace assay
