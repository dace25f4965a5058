/*
 * OS simulation: what programs written for OS ask of it, by its supervisor calls and by the branches of its access
 * methods ("Data Management Macro Instructions", "Supervisor Services and Macro Instructions" of MVS). A data set is
 * what FILEDEF says of its DDNAME. Tasks are one: ATTACH is a call, and WAIT waits for nothing but an ECB that has been
 * posted.
 */
#ifndef OS_H
#define OS_H

#include "../command/dataset.h"
#include "../nucleus/cms.h"

/* The data control block (DCBD). DDNAME stays where it is. */
enum { DCB_DSORG = 26, DCB_EODAD = 32, DCB_RECFM = 36, DCB_EXLST = 36, DCB_DDNAME = 40, DCB_OFLGS = 48, DCB_MACR = 50,
       DCB_CHECK = 52, DCB_SYNAD = 56, DCB_BLKSIZE = 62, DCB_LRECL = 82, DCB_EROPT = 84, DCB_CNTRL = 84,
       DCB_LENGTH = 88, IS_OPEN = 0x10, DSORG_PS = 0x40, DSORG_PO = 0x02 };
enum { RECFM_F = 0x80, RECFM_V = 0x40, RECFM_U = 0xc0, RECFM_B = 0x10 };
/* Lists of data control blocks: a bit of the last entry. Their lists of exits: what an entry is for. */
enum { LIST_LAST = 0x80, EXIT_DCB = 0x05, EXIT_JFCB = 0x07 };

/* service.c: a supervisor call; false: it is none of OS's. */
bool os_service(u32 number, struct frame *frame);
void os_abend(u32 code) __attribute__((noreturn));
u32 os_call(const struct frame *of, u32 entry, u32 r0, u32 r1);    /* a routine of the program; its register 15 */
bool os_may_store(u32 at, u32 length);
bool os_may_fetch(u32 at, u32 length);

/*
 * The branches of the access methods are in low storage: SVC 203 with one of these functions, and the way back. That of
 * POINT is four bytes after that of NOTE. After them is where SPIE's exits return to, then PUTX.
 */
enum os_access { OS_GET = 8, OS_PUT, OS_READ, OS_WRITE, OS_CHECK, OS_NOTE, OS_POINT, OS_RESUME, OS_PUTX };
enum { OS_BRANCHES = 0x268, OS_BRANCH = 6, OS_RESUMES = OS_BRANCHES + 7 * OS_BRANCH + 4,
       OS_PUTX_BRANCH = OS_RESUMES + 4 };
static inline u32 os_branch(enum os_access what) { return OS_BRANCHES + (what - OS_GET) * OS_BRANCH; }

/* service.c: one of these; an exit of the program may recover it from an abend. */
void os_branched(struct frame *frame, enum os_access what);

/* access.c */
void os_access(struct frame *frame, enum os_access what);
void os_open(struct frame *frame, u32 list, bool job);   /* `job`: TYPE=J, what the program's JFCBs say holds */
void os_backspace(struct frame *frame);
void os_end_volume(struct frame *frame);
u32 os_exit_of(u32 dcb, u8 code);                        /* of the list of exits: the address; 0: there is none */
void os_close(struct frame *frame, u32 list);
void os_close_all(void);
void os_lose_all(void);

/* member.c: FIND, BLDL and STOW. */
void os_find(struct frame *frame);
void os_build_list(struct frame *frame);
void os_stow(struct frame *frame);

/* describe.c: DEVTYPE and RDJFCB, and what a JFCB that the program has changed says. */
void os_device_type(struct frame *frame);
void os_read_job(struct frame *frame);
bool os_job_says(u32 dcb, struct filedef *what);         /* false: the list of exits has none, or it names no file */

/* recover.c: SPIE, ESPIE and ESTAE. */
void os_spie(struct frame *frame);
void os_espie(struct frame *frame);
void os_resume(struct frame *frame);
void os_estae(struct frame *frame);
bool os_recovers(struct frame *frame, u32 completion);
void os_recovery_forget(void);

/* resource.c: ENQ (`asks`) and DEQ. */
void os_resources(struct frame *frame, bool asks);
void os_resources_forget(void);

/* snap.c: ABEND's DUMP. */
void os_dump(const struct frame *frame, u32 completion);

/* timer.c: STIMER and TTIMER. */
void os_stimer(struct frame *frame);
void os_ttimer(struct frame *frame);
bool os_timer_wait(struct frame *frame);                 /* until the interval is over; false: there is none */
void os_timer_forget(void);

/* area.c: GETMAIN and FREEMAIN. */
u32 os_obtain(u32 length, bool anywhere, u8 subpool);    /* 0: there is no room */
bool os_release(u32 at, u32 length, u8 subpool);
bool os_release_subpool(u8 subpool);
void os_areas_forget(void);

/* contents.c: programs by name. */
bool os_load(const name wanted, u32 *entry, u32 *length);
bool os_delete(const name wanted);
void os_programs_forget(void);

static inline u32 three(u32 at) { return edf_word((const u8 *)at) & 0xffffff; }

#endif
