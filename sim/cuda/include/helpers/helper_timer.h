/* helper_timer.h: what the header of this name that comes with NVIDIA's samples offers, in our own
 * words: a stop watch, in milliseconds. */
#ifndef WARPSTEP_HELPER_TIMER_H
#define WARPSTEP_HELPER_TIMER_H
#include <chrono>

class StopWatchInterface {
    std::chrono::steady_clock::time_point from;
    float last = 0, all = 0;
    bool runs = false;
    int sessions = 0;
    float since() const
    {
        return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - from).count();
    }

public:
    void start() { from = std::chrono::steady_clock::now(), runs = true; }
    void stop() { last = since(), all += last, sessions++, runs = false; }
    void reset()
    {
        last = all = 0, sessions = 0;
        if (runs) start();
    }
    float getTime() const { return runs ? since() : all; }
    float getAverageTime() const { return sessions ? all / (float)sessions : 0; }
};
typedef StopWatchInterface StopWatchLinux;

static inline bool sdkCreateTimer(StopWatchInterface **t) { return (*t = new StopWatchInterface) != NULL; }
static inline bool sdkDeleteTimer(StopWatchInterface **t)
{
    delete *t;
    *t = NULL;
    return true;
}
static inline bool sdkStartTimer(StopWatchInterface **t) { return *t ? ((*t)->start(), true) : false; }
static inline bool sdkStopTimer(StopWatchInterface **t) { return *t ? ((*t)->stop(), true) : false; }
static inline bool sdkResetTimer(StopWatchInterface **t) { return *t ? ((*t)->reset(), true) : false; }
static inline float sdkGetTimerValue(StopWatchInterface **t) { return *t ? (*t)->getTime() : 0; }
static inline float sdkGetAverageTimerValue(StopWatchInterface **t) { return *t ? (*t)->getAverageTime() : 0; }
#endif
