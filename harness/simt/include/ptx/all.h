// The headers that a translated kernel includes.
#pragma once

#include "harness/simt/include/ptx/barriers.h"
#include "harness/simt/include/ptx/child_launches.h"
#include "harness/simt/include/ptx/convert.h"
#include "harness/simt/include/ptx/graph_conditions.h"
#include "harness/simt/include/ptx/matrix.h"
#include "harness/simt/include/ptx/passes.h"
#include "harness/simt/include/ptx/quad_products.h"
#include "harness/simt/include/ptx/system.h"
#include "harness/simt/include/ptx/textures.h"
#include "harness/simt/include/ptx/video.h"
#include "harness/simt/include/ptx/warp.h"
