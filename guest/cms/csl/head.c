/* What the nucleus calls of this part (command/routine.c), at its beginning. */
#include "csl.h"

const struct csl_part head __attribute__((section(".head"), used)) = {
    csl_perform, csl_of_exec, csl_after_abend, csl_library,
    { [CSL_RTNLOAD] = rtnload_there, [CSL_RTNDROP] = rtndrop_there, [CSL_RTNMAP] = rtnmap_there,
      [CSL_RTNSTATE] = rtnstate_there, [CSL_CSLLIST] = csllist_there, [CSL_CSLMAP] = cslmap_there },
};
