/* The table of the stages that work with CMS: files, commands, variables, devices. As table.c. */
#include "internal.h"

const struct stage_kind drivers[] = {
    { "", 0, NULL, ANYWHERE, NULL, NULL, 0 },
};
const u32 driver_count = 0;
