// A program that calls the CUDA runtime of whoever runs it, and frees what it allocates where it is asked to.
#include <dlfcn.h>

#include <cstddef>
#include <cstring>

int main(int, char** argv) {
  const auto allocate = reinterpret_cast<int (*)(void**, size_t)>(dlsym(RTLD_DEFAULT, "cudaMalloc"));
  const auto release = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_DEFAULT, "cudaFree"));
  if (allocate == nullptr || release == nullptr) return 2;
  void* memory = nullptr;
  if (allocate(&memory, 64) != 0) return 3;
  return std::strcmp(argv[1], "freed") == 0 ? release(memory) : 0;
}
