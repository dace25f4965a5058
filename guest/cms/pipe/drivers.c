/* The table of the stages that work with CMS: files, commands, variables, devices. As table.c. */
#include "drive.h"

const struct stage_kind drivers[] = {
    { "<", 1, file_read_stage, ANYWHERE, "< fn ft [fm]",
      "Writes the records of a file; not first in a pipeline, its input before them.", 0 },
    { ">", 1, file_write_stage, NOT_FIRST, "> fn ft [fm] [Variable | Fixed [n]] [COERCE]",
      "Makes a file of its input, in the place of one that may be there, and passes the input on. FIXED: all records "
      "are n long, or as long as the first; shorter ones are padded, and with COERCE longer ones cut. Without records "
      "there is no file.", 0 },
    { ">>", 2, file_append_stage, NOT_FIRST, ">> fn ft [fm] [Variable | Fixed [n]] [COERCE]",
      "Adds its input to a file, and passes it on.", 0 }, { "CMS", 3, cms_stage, ANYWHERE, "CMS [command]",
      "Performs CMS commands, its argument and then each record, as if they were typed. What they type becomes "
      "records. With a secondary output their return codes go there; else the stage ends with the worst, and at once "
      "if it is negative.", 0 },
    { "COMMAND", 7, command_stage, ANYWHERE, "COMMAND [command]",
      "As CMS, for commands and modules by their full names; EXEC and CP go in front of others.", 0 },
    { "CP", 2, cp_stage, ANYWHERE, "CP [n] [command]",
      "Performs CP commands, its argument and then each record. What CP answers becomes records; n is how many bytes "
      "that can be, 8192 if nothing is said. A return code ends the stage, or goes to the secondary output.", 0 },
    { "DELAY", 5, delay_stage, NOT_FIRST, "DELAY",
      "Passes each record when the time in its first word has come: +seconds, +hh:mm:ss from now, or hh:mm of the day.",
      0 }, { "DISK", 4, file_fast_stage, ANYWHERE, NULL, NULL, 0 },
    { "DISKBACK", 8, file_back_stage, ONLY_FIRST, NULL, NULL, 0 },
    { "DISKFAST", 8, file_fast_stage, ANYWHERE, NULL, NULL, 0 },
    { "DISKRANDOM", 8, file_random_stage, ANYWHERE, NULL, NULL, 0 },
    { "DISKSLOW", 8, file_slow_stage, ANYWHERE, NULL, NULL, 0 },
    { "DISKUPDATE", 7, file_update_stage, NOT_FIRST, NULL, NULL, 0 },
    { "EMSG", 4, emsg_stage, ANYWHERE, "EMSG [string]",
      "Types its argument, and then its input, as error messages: what of them is typed says SET EMSG. Passes its "
      "input on.", 0 },
    { "FILEBACK", 8, file_back_stage, ONLY_FIRST, "FILEBACK fn ft [fm]",
      "Writes the records of a file from the last to the first.", 0 },
    { "FILEFAST", 8, file_fast_stage, ANYWHERE, "FILEFAST fn ft [fm] [Variable | Fixed [n]] [COERCE]",
      "As < if it is first in a pipeline, else as >>.", 0 },
    { "FILERANDOM", 8, file_random_stage, ANYWHERE, "FILERANDom fn ft [fm] [NUMber] [n[-m]...]",
      "Writes the records of a file whose numbers are its arguments, then those whose numbers come in. NUMBER: with "
      "the number in the first ten columns.", 0 },
    { "FILESLOW", 8, file_slow_stage, ANYWHERE, "FILESLOW fn ft [fm] [FROM n] [Variable | Fixed [n]] [COERCE]",
      "First in a pipeline: the records of a file from the n-th on. Elsewhere its input takes the place of them; of a "
      "new file the operands say the format.", 0 },
    { "FILEUPDATE", 7, file_update_stage, NOT_FIRST, "FILEUPDate fn ft [fm]",
      "Puts what is after column 10 of each record into the file, as the record whose number is in front.", 0 },
    { "GETFILES", 3, getfiles_stage, ANYWHERE, "GETfiles",
      "Writes the records of the files that its input names: fn ft [fm].", 0 },
    { "HELP", 4, help_stage, ONLY_FIRST, "HELP [stage]", "Writes what a stage is for, or which there are.", 0 },
    { "HOSTBYNAME", 10, hostbyname_stage, NOT_FIRST, "HOSTBYNAME",
      "Writes the address a.b.c.d of each host that its input names.", 0 },
    { "HOSTID", 6, hostid_stage, ONLY_FIRST, "HOSTID", "Writes the address of the host.", 0 },
    { "HOSTNAME", 8, hostname_stage, ONLY_FIRST, "HOSTNAME", "Writes the name of the host.", 0 },
    { "IMMCMD", 6, immcmd_stage, ONLY_FIRST, "IMMCMD word",
      "Makes a word an immediate command, and writes what is typed after it. HI ends the pipeline.", 0 },
    { "IP2SOCKA", 8, ip2socka_stage, NOT_FIRST, "IP2SOCKA",
      "Makes the 16 bytes of a sockaddr_in of each record AF_INET port address, as UDP wants it.", 0 },
    { "LISTPDS", 7, listpds_stage, ONLY_FIRST, "LISTPDS fn ft [fm]",
      "Writes the members of a library: name, first record, how many.", 0 },
    { "LUA", 3, lua_stage, ANYWHERE, "LUA fn [string]",
      "Performs a program in Lua, fn LUA, whose arguments are the words of the string. What it reads and writes are "
      "the records.", LARGE_STACK },
    { "MEMBERS", 6, members_stage, ANYWHERE, "MEMBERs fn ft [fm] [member...]",
      "Writes the records of members of a library: those that are named, then those whose names come in.", 0 },
    { "PDSDIRECT", 9, listpds_stage, ONLY_FIRST, NULL, NULL, 0 },
    { "PIPCMD", 6, pipcmd_stage, ANYWHERE, "PIPCMD [command]",
      "Performs commands to the pipeline, its argument and then each record: CALLPIPE, ADDPIPE, MESSAGE and others "
      "that filters in REXX have. Return codes go to the secondary output; else the stage ends with the worst, and at "
      "once if it is negative.", 0 },
    { "PRINTMC", 7, printmc_stage, NOT_FIRST, "PRINTMC",
      "Prints its input, whose first characters are machine control characters, and passes it on.", 0 },
    { "PUNCH", 5, punch_stage, NOT_FIRST, "PUNCH",
      "Punches its input, up to 80 characters a card, and passes it on. CP CLOSE PUNCH ends the file.", 0 },
    { "QUERY", 5, query_stage, ONLY_FIRST, "QUERY [VERsion | LEVel | MSGLEVel]", "Writes a line about pipelines.", 0 },
    { "READER", 6, reader_stage, ONLY_FIRST, "READER [FILE n] [NOHOLD | PURGE | KEEP | HOLD]",
      "Writes a file of the reader: a record of X'03' and the tag, then the cards with X'42' in front. The file is "
      "gone when it has been read through, unless KEEP or HOLD say that it stays.", 0 },
    { "REXX", 4, rexx_stage, ANYWHERE, "REXX fn | (fn [ft]) [string]",
      "Performs a filter written in REXX, whose argument is the string: fn REXX, or the file that is named.",
      LARGE_STACK },
    { "REXXVARS", 8, rexxvars_stage, ONLY_FIRST, "REXXVARS",
      "Writes what PARSE SOURCE says (s), and the name (n) and value (v) of each variable.", 0 },
    { "RUNPIPE", 7, runpipe_stage, ANYWHERE, "RUNPIPE",
      "Performs each record as a pipeline of its own, and writes the messages that it gives. The return code is the "
      "worst.", 0 },
    { "SOCKA2IP", 8, socka2ip_stage, NOT_FIRST, "SOCKA2IP",
      "Makes AF_INET port address of the sockaddr_in that each record begins with.", 0 },
    { "STACK", 5, stack_stage, ANYWHERE, "STACK [FIFO | LIFO]",
      "First in a pipeline: takes the lines of the program stack. Elsewhere: stacks its input and passes it on.", 0 },
    { "STARMSG", 7, starmsg_stage, ONLY_FIRST, "STARMSG [*MSG|*MSGALL]",
      "Writes what others and CP say, as long as SET MSG, SET WNG and SET SMSG say IUCV, or (*MSGALL) whatever they "
      "say: columns 1 to 8 are the kind (1 a message, 2 a warning, 4 special), 9 to 16 the user. HI ends the pipeline.",
      0 },
    { "STATE", 5, state_stage, ANYWHERE, "STATE [fn ft [fm]]",
      "Looks for the file that its argument names, then those of its input: writes name, format, records, blocks and "
      "date of each. Those that are not there go to the secondary output.", 0 },
    { "STATEW", 6, statew_stage, ANYWHERE, "STATEW [fn ft [fm]]", "As STATE, for files that can be written to.", 0 },
    { "STEM", 4, stem_stage, ANYWHERE, "STEM stem. [SYMBOLIC] [FROM n | APPEND]",
      "First in a pipeline: writes the variables stem.1 and so on, as many as stem.0 says. Elsewhere: sets them, and "
      "passes its input on. SYMBOLIC is how names are taken anyhow. The variables are those of the exec that has said "
      "PIPE.", 0 },
    { "STORAGE", 7, storage_stage, ANYWHERE, "STORAGE address n",
      "First in a pipeline: writes n bytes of storage from the hexadecimal address on. Elsewhere: the first record "
      "goes there, if that is in the user area.", 0 },
    { "SUBCOM", 6, subcom_stage, ANYWHERE, "SUBCOM environment [command]",
      "As CMS, for a subcommand environment, which a program has made.", 0 },
    { "TAPE", 4, tape_stage, ANYWHERE, "TAPE [TAPn] [WTM n]",
      "First in a pipeline: writes the blocks of a tape up to a tape mark. Elsewhere: makes blocks of its input, then "
      "n tape marks; one if nothing is said.", 0 },
    { "URO", 3, uro_stage, NOT_FIRST, "URO [vdev]",
      "Gives each record to a unit record device, 00E if none is said; its first character is the channel command.",
      0 },
    { "TCPCLIENT", 9, tcpclient_stage, ANYWHERE,
      "TCPCLIENT address port [GROUP string] [LINGER n] [TIMEOUT n] [LOCALport n] [ONERESPonse] [GREETING] "
      "[KEEPALIVe] [NODELAY]",
      "Makes a connection to a port of a host, a.b.c.d or a name. Sends its input, and writes what comes. Ends when "
      "the other end does, or n seconds (LINGER, 0) after its input. GROUP: what comes is collected until it ends with "
      "a string. ONERESPONSE: an answer comes before the next record goes; GREETING: one before the first. TIMEOUT: "
      "nothing for n seconds is an error.", 0 },
    { "TCPDATA", 7, tcpdata_stage, NOT_FIRST,
      "TCPDATA [GROUP string] [LINGER n] [TIMEOUT n] [ONERESPonse] [KEEPALIVe] [NODELAY]",
      "As TCPCLIENT with a connection of TCPLISTEN's, which the first record names.", 0 },
    { "TCPECHO", 7, tcpecho_stage, ONLY_FIRST, "TCPECHO address [bytes [milliseconds]]",
      "Endicott's own: asks a host for an echo, and writes its address and the microseconds that it took.", 0 },
    { "TCPLISTEN", 9, tcplisten_stage, ONLY_FIRST, "TCPLISTEN port [BACKLOG n] [REUSEADDR]",
      "Waits for connections at a port, and writes a record for each, for TCPDATA: TCPSOCK, a blank, the socket in "
      "four bytes, the caller's sockaddr_in. HI ends the pipeline.", 0 },
    { "TCPSTATE", 8, tcpstate_stage, ONLY_FIRST, "TCPSTATE",
      "Endicott's own: writes which sockets there are, as NETSTAT shows them.", 0 },
    { "UDP", 3, udp_stage, ANYWHERE, "UDP port [ASYNChronously]",
      "Sends each record, which begins with a sockaddr_in, and writes the answer after its sender's. ASYNCHRONOUSLY, "
      "or first in a pipeline: writes whatever comes. Port 0 is any, for answers alone.", 0 },
    { "VAR", 3, var_stage, ANYWHERE, "VAR variable [SYMBOLIC]",
      "First in a pipeline: writes the value of a variable. Elsewhere: the first record becomes the value; without any "
      "the variable is dropped. SYMBOLIC is how its name is taken anyhow.", 0 },
    { "VARDROP", 7, vardrop_stage, NOT_FIRST, "VARDROP", "Drops the variables that its input names, and passes it on.",
      0 },
    { "VARFETCH", 8, varfetch_stage, NOT_FIRST, "VARFETCH [TOLOAD]",
      "Writes the values of the variables that its input names; with TOLOAD as VARLOAD wants them. Names without a "
      "value go to output 1, if there is one.", 0 },
    { "VARLOAD", 7, varload_stage, NOT_FIRST, "VARLOAD",
      "Sets variables: of records /name/value. A blank or an asterisk in front is a comment.", 0 },
    { "VMC", 3, vmc_stage, ANYWHERE, "VMC userid [string]",
      "Sends its argument and then each record to a service machine by VMCF, and writes what that replies, a record "
      "each.", 0 },
    { "VMCDATA", 7, vmcdata_stage, ANYWHERE, "VMCDATA",
      "Works with headers from VMCLISTEN. One of SEND or SEND/RECV by itself: writes it and the data of the message. "
      "With more after it: that is the reply. If the third and fourth byte are X'000B', the message is refused. "
      "Anything else is passed on.", 0 },
    { "VMCLISTEN", 9, vmclisten_stage, ONLY_FIRST, "VMCLISTEN",
      "Writes the header (VMCMHDR, 40 bytes) of each message that comes by VMCF, and after it what SENDX, and SMSG "
      "where SET SMSG is ON, have said. HI ends the pipeline.", 0 },
    { "XEDIT", 5, xedit_stage, ANYWHERE, "XEDIT [fn [ft [fm]]]",
      "First in a pipeline: writes the lines of a file in the editor's ring that are after its current line, which "
      "becomes the current one. Elsewhere: adds its input after the current line, and passes it on. Without operands "
      "it is the current file.", 0 },
};
const u32 driver_count = COUNT_OF(drivers);
