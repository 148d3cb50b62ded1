// Packages are found by the beginnings of headers' names: those that published kernels include.
#include "harness/adapter/read/header_packages.h"

#include <array>
#include <string_view>

namespace assay {
namespace {

struct Package {
  std::string_view begins;  // of a header's path
  std::string_view brought_by;
};

constexpr std::string_view kTorch = "PyTorch: pip install torch, then -I …/torch/include";
constexpr std::string_view kCutlass = "CUTLASS: pip install nvidia-cutlass, or -I of its include folder";
constexpr std::string_view kToolkit = "the CUDA toolkit; `scripts/setup --cuda` fetches a part of it";

constexpr std::array kPackages = {
    Package{"torch/", kTorch},
    Package{"ATen/", kTorch},
    Package{"c10/", kTorch},
    Package{"Python.h", "Python's headers: apt install python3-dev, then -I as `python3-config --includes` says"},
    Package{"pybind11/", "pybind11: pip install pybind11"},
    Package{"nccl.h", "NCCL: pip install nvidia-nccl-cu13, or apt install libnccl-dev"},
    Package{"mpi.h", "MPI: apt install libopenmpi-dev, then -I as `mpicxx --showme:incdirs` says"},
    Package{"nvshmem", "NVSHMEM: pip install nvidia-nvshmem-cu13"},
    Package{"cudnn_frontend", "cudnn-frontend: pip install nvidia-cudnn-frontend"},
    Package{"cudnn", "cuDNN: pip install nvidia-cudnn-cu13"},
    Package{"cublas", kToolkit},
    Package{"curand", kToolkit},
    Package{"cufft", kToolkit},
    Package{"cusparse", kToolkit},
    Package{"cusolver", kToolkit},
    Package{"thrust/", kToolkit},
    Package{"cub/", kToolkit},
    Package{"cuda/", kToolkit},
    Package{"nvToolsExt", kToolkit},
    Package{"nvtx3/", kToolkit},
    Package{"cutlass/", kCutlass},
    Package{"cute/", kCutlass},
    Package{"helper_", "the folder Common of NVIDIA's cuda-samples"},
    Package{"ggml", "ggml: its folders include and src"},
    Package{"flashinfer/", "FlashInfer: its folder include"},
    Package{"GL/", "OpenGL: apt install libgl-dev libglew-dev freeglut3-dev"},
    Package{"opencv2/", "OpenCV: apt install libopencv-dev"},
    Package{"Eigen/", "Eigen: apt install libeigen3-dev"},
    Package{"gtest/", "GoogleTest: apt install libgtest-dev"},
};

}  // namespace

std::vector<std::string> with_packages(const std::vector<std::string>& headers) {
  std::vector<std::string> all;
  for (const std::string& header : headers) {
    all.push_back(header);
    for (const Package& package : kPackages) {
      if (!header.starts_with(package.begins)) continue;
      all.back() += " (" + std::string(package.brought_by) + ")";
      break;
    }
  }
  return all;
}

}  // namespace assay
