/* math_constants.h: numbers by their CUDA names, for clang. */
#ifndef WARPSTEP_MATH_CONSTANTS_H
#define WARPSTEP_MATH_CONSTANTS_H
#define CUDART_INF_F   __builtin_inff()
#define CUDART_NAN_F   __builtin_nanf("")
#define CUDART_INF     __builtin_inf()
#define CUDART_NAN     __builtin_nan("")
#define CUDART_PI_F    3.141592654f
#define CUDART_PIO2_F  1.570796327f
#define CUDART_2PI_F   6.283185307f
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_PI      3.1415926535897931e+0
#define CUDART_MAX_NORMAL_F 3.402823466e38f
#define CUDART_MIN_DENORM_F 1.401298464e-45f
#endif
