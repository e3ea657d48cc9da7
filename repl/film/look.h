/* look.h: a moment of a film that a lesson means. */
#ifndef LOOK_H
#define LOOK_H

#include "frames.h"

/* The source, taken, and the PTX, for quoting and for names. */
void frames_texts(frames *f, const char *ptx, size_t ptx_bytes, char *source, const char *name);
int frames_card(frames *f, const char *text, const struct device *d); /* what pictures need to know of it */
/* A film of a lesson's step; as frames_open. */
struct step_chosen;
int frames_of_step(struct app *app, const lesson_step *s, const struct device *d, const step_chosen *chosen,
                   const film_request *what, unsigned checks, frames **out);
#define LOOK_FILM ((uint64_t)256 << 20)     /* bytes of a film to look for it in: two million instructions */
unsigned look_checks(const lesson_look *k); /* SIM_CHECK_...: those that show it */
/* What a film for the moment must be of. */
void look_film(const lesson_look *k, film_request *what);
/* The frame that a lesson means, which may still have to come. UINT32_MAX: the film has none. */
uint32_t look_find(frames *f, const lesson_look *k);
/* The numbers of a frame. */
void look_facts(frames *f, uint32_t i, double fact[FRAME_FACTS]);
/* Those of the frame that a question is about. 0, or a status after a message. */
int look_question(const view_context *c, const lesson_predict *p, double fact[FRAME_FACTS]);
const char *look_place(const lesson_look *k, char *out, size_t size); /* "barrier 2 warp 3" */
char *look_says(const lesson_look *k);                                /* on one line; to be freed. NULL: no memory */

#endif
