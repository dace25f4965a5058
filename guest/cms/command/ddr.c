/* DDR: DDR MODULE, which has all of it (ddr/ddr.h). */
#include "command.h"

int ddr_command(const struct call *call) { return run_named_module(call, "DDR", "DDR     "); }
