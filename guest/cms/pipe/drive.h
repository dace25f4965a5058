/* The stages that work with CMS, by file, and what they share. */
#ifndef PIPE_DRIVE_H
#define PIPE_DRIVE_H

#include "../command/command.h"
#include "internal.h"

stage_function file_read_stage, file_back_stage, file_write_stage, file_append_stage, file_fast_stage, file_slow_stage,
    file_random_stage, file_update_stage;                                            /* drive_file.c */
stage_function members_stage, listpds_stage, state_stage, statew_stage;              /* drive_library.c */
stage_function cp_stage, cms_stage, command_stage, subcom_stage;                     /* drive_command.c */
stage_function var_stage, stem_stage, rexxvars_stage, varload_stage, vardrop_stage,
    varfetch_stage;                                                                  /* drive_variable.c */
stage_function stack_stage, reader_stage, punch_stage, printmc_stage, uro_stage, tape_stage;   /* drive_unit.c */
stage_function immcmd_stage, delay_stage, query_stage;                               /* drive_time.c */
stage_function emsg_stage, getfiles_stage, runpipe_stage, starmsg_stage, storage_stage;   /* drive_system.c */
stage_function xedit_stage;                                                          /* drive_editor.c */
stage_function help_stage;                                                           /* help.c */
stage_function rexx_stage, pipcmd_stage;                                             /* filter.c */
stage_function vmc_stage, vmclisten_stage, vmcdata_stage;                            /* drive_vmcf.c */

stage_function tcpclient_stage, tcpdata_stage, tcplisten_stage;                      /* net/tcp.c */
stage_function udp_stage, hostbyname_stage, hostid_stage, hostname_stage, ip2socka_stage, socka2ip_stage,
    tcpecho_stage, tcpstate_stage;                                                   /* net/datagram.c */
stage_function lua_stage;                                                            /* lua.c */

/* help.c: what a stage is for; false: there is none of that name. `*`: all. */
bool pipe_help(const char *verb, u32 length);

/* filter.c: a command to the pipeline. */
int pipe_order(struct stage *s, struct text text);

/* drive_file.c */
bool mode_word(struct text word);
void name_from(struct text word, name to);
int next_fileid(struct stage *s, struct text *rest, struct fileid *id);
int file_error(struct stage *s, int error, const struct fileid *id, bool writing);

/* system.c: messages of pipelines go there, not to the terminal, until messages_end(). */
void messages_begin(struct capture *capture);
void messages_end(struct capture *outer);

#endif
