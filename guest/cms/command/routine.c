/*
 * RTNLOAD, RTNDROP, RTNMAP, RTNSTATE, CSLLIST, CSLMAP, and calls of routines: callable services are a part of the
 * nucleus that is loaded when it is wanted (nucleus/part.c, csl/csl.h).
 */
#include "command.h"
#include "../csl/csl.h"

const struct csl_part *callable_services(void) { return part_load(PART_SERVICES); }

static int perform_in_part(const struct call *call, enum csl_command which)
{
    const struct csl_part *services = callable_services();

    return services == NULL ? RC_MISSING : services->command[which](call);
}

int rtnload_command(const struct call *call) { return perform_in_part(call, CSL_RTNLOAD); }
int rtndrop_command(const struct call *call) { return perform_in_part(call, CSL_RTNDROP); }
int rtnmap_command(const struct call *call) { return perform_in_part(call, CSL_RTNMAP); }
int rtnstate_command(const struct call *call) { return perform_in_part(call, CSL_RTNSTATE); }
int csllist_command(const struct call *call) { return perform_in_part(call, CSL_CSLLIST); }
int cslmap_command(const struct call *call) { return perform_in_part(call, CSL_CSLMAP); }

int service_of_program(u32 list, u32 reach)
{
    const struct csl_part *services = callable_services();

    return services == NULL ? CSL_NONE : services->perform(list, reach);
}

int service_of_exec(struct rexx *rexx, const char *text, u32 length)
{
    const struct csl_part *services = callable_services();

    return services == NULL ? CSL_NONE : services->of_exec(rexx, text, length);
}

void services_after_abend(void)
{
    if (part_is_loaded(PART_SERVICES))
        callable_services()->after_abend();
}
