#define __WS_TODO
