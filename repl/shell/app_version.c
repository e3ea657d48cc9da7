/* app_version.c: which build this is: "0.2.0", or "0.2.0+COMMIT" between releases, and "+changes" with what was not
 * committed. make knows (scripts/version); this file alone is compiled again when that changes. */
#include "app.h"

#ifndef APP_COMMIT
#define APP_COMMIT ""
#endif

const char app_version[] = APP_RELEASE APP_COMMIT;
