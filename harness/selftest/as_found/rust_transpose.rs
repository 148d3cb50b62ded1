// EXPECT: OUT_OF_BOUNDS GUARD_BROKEN UNWRITTEN CRASH MISMATCH NONFINITE RACE PROPERTY. The output is indexed with the width of the input: right for squares only.
// SMALLEST: rows=1 cols=2
//! Matrix transpose through a tile in shared memory.
use std::sync::Arc;

const TILE: u32 = 32;
const SOURCE: &str = r#"
extern "C" __global__ void transpose_tiled(const float *a, float *b, const int height, const int width) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y)
        if (x < height && y + j < width) b[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
"#;

pub fn transpose(dev: &Arc<Device>, a: &Slice<f32>, height: u32, width: u32) -> Result<Slice<f32>, Error> {
    let mut out = dev.alloc_zeros::<f32>((height * width) as usize)?;
    let config = LaunchConfig {
        grid_dim: (width.div_ceil(TILE), height.div_ceil(TILE), 1),
        block_dim: (TILE, 8, 1),
        shared_mem_bytes: 0,
    };
    let kernel = dev.compile(SOURCE, "transpose_tiled")?;
    unsafe { kernel.launch(config, (a, &mut out, height as i32, width as i32)) }?;
    Ok(out)
}
