/* record_words.h: beginnings of notes that the libraries write and the program knows again. */
#ifndef CUDA_RECORD_WORDS_H
#define CUDA_RECORD_WORDS_H

#define RECORD_KERNEL_LAUNCH "a kernel's launch of "

#endif
