/* step_panes.h: the panes of a frame on the whole screen: what step_screen.c shows, and the keys change. */
#ifndef STEP_PANES_H
#define STEP_PANES_H

#include "frame.h"
#include "shell/screen.h"

enum pane { PANE_AUTO, PANE_VALUES, PANE_MEMORY, PANE_SHARED, PANE_LANES, PANES };
enum { WATCHES = 4, PAGE = 100 };

typedef struct step_view {
    frames *f;
    screen *s;
    frame r;
    uint32_t at;
    int lane;
    bool all_warps; /* keys go on in any warp */
    bool still;     /* a picture: it does not say how far the run has come */
    enum pane pane;
    char said[160], search[64];
    char watch[WATCHES][NAME_MOST];
    int watches, warps_row, lanes_row, lanes_column;
    uint32_t first_warp; /* shown in the first row of the warps */
    step_visit *visit;
    uint32_t later, earlier; /* the sides of the race that was last looked at; UINT32_MAX: of none */
} step_view;

/* The whole screen, or a picture of it. */
void step_draw(step_view *v);
/* What a watched name holds in this warp: the last value written under it. False: none yet. */
bool step_watched(step_view *v, const char *name, frame_value *out);

#endif
