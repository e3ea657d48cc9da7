/* cublas.h: cuBLAS's first interface, as far as ours has it, for programs that clang builds. */
#ifndef CUBLAS_H_
#define CUBLAS_H_

typedef int cublasStatus;
enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14
};

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus cublasInit(void);
cublasStatus cublasShutdown(void);
cublasStatus cublasGetError(void);
cublasStatus cublasAlloc(int n, int size, void **at);
cublasStatus cublasFree(void *at);
cublasStatus cublasSetKernelStream(cudaStream_t stream);
cublasStatus cublasSetVector(int n, int size, const void *from, int incx, void *to, int incy);
cublasStatus cublasSetMatrix(int rows, int columns, int size, const void *from, int lda, void *to, int ldb);
cublasStatus cublasGetVector(int n, int size, const void *from, int incx, void *to, int incy);
cublasStatus cublasGetMatrix(int rows, int columns, int size, const void *from, int lda, void *to, int ldb);
void cublasSgemm(char ta, char tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb,
                 float beta, float *c, int ldc);
void cublasSgemv(char trans, int m, int n, float alpha, const float *a, int lda, const float *x, int incx, float beta,
                 float *y, int incy);
void cublasSger(int m, int n, float alpha, const float *x, int incx, const float *y, int incy, float *a, int lda);
void cublasSaxpy(int n, float alpha, const float *x, int incx, float *y, int incy);
void cublasSscal(int n, float alpha, float *x, int incx);
void cublasScopy(int n, const float *x, int incx, float *y, int incy);
void cublasSswap(int n, float *x, int incx, float *y, int incy);
float cublasSdot(int n, const float *x, int incx, const float *y, int incy);
float cublasSasum(int n, const float *x, int incx);
float cublasSnrm2(int n, const float *x, int incx);
int cublasIsamax(int n, const float *x, int incx);
int cublasIsamin(int n, const float *x, int incx);
void cublasDgemm(char ta, char tb, int m, int n, int k, double alpha, const double *a, int lda, const double *b,
                 int ldb, double beta, double *c, int ldc);
void cublasDgemv(char trans, int m, int n, double alpha, const double *a, int lda, const double *x, int incx,
                 double beta, double *y, int incy);
void cublasDger(int m, int n, double alpha, const double *x, int incx, const double *y, int incy, double *a, int lda);
void cublasDaxpy(int n, double alpha, const double *x, int incx, double *y, int incy);
void cublasDscal(int n, double alpha, double *x, int incx);
void cublasDcopy(int n, const double *x, int incx, double *y, int incy);
void cublasDswap(int n, double *x, int incx, double *y, int incy);
double cublasDdot(int n, const double *x, int incx, const double *y, int incy);
double cublasDasum(int n, const double *x, int incx);
double cublasDnrm2(int n, const double *x, int incx);
int cublasIdamax(int n, const double *x, int incx);
int cublasIdamin(int n, const double *x, int incx);
#ifdef __cplusplus
}
#endif

#endif
