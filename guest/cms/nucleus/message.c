/*
 * The message repository: the text of every message by its number.
 *
 * A message is DMS, three letters for who says it, the number, and a letter for how bad it is: I information, W warning, E error,
 * S severe, T terminating, R a reply is wanted. Execs look at return codes rather than texts; the numbers are CMS's.
 */
#include "cms.h"

static const struct { u32 number; const char *text; } repository[] = {
    { 1, "No filename specified" },
    { 2, "File %s not found" },
    { 3, "Invalid option: %t" },
    { 4, "No files found" },
    { 5, "No value specified after option %t" },
    { 7, "File %s is not fixed, 80-character records" },
    { 10, "Premature EOF on file %s" },
    { 10, "Premature EOF on file %s; sequence number %s not found" },
    { 13, "Member %t not found in library" },
    { 14, "Invalid keyword %t" },
    { 17, "Invalid device address %t" },
    { 18, "No load map available for %s" },
    { 19, "Identical fileids" },
    { 21, "Entry point %t not found" },
    { 23, "No filetype specified" },
    { 24, "File %s already exists%s" },
    { 26, "Invalid parameter %t for %t function" },
    { 27, "Invalid device %t" },
    { 29, "Invalid parameter %t in the option %t field" },
    { 30, "File %s is already active" },
    { 32, "Invalid record format for file %s" },
    { 33, "File %s is not a library" },
    { 34, "File %s is not fixed length" },
    { 37, "Filemode %c(%03x) is accessed as read/only" },
    { 41, "Input and output files are the same" },
    { 42, "No fileid specified" },
    { 43, "TAP%x(%03x) is file protected" },
    { 44, "Record exceeds allowable maximum" },
    { 46, "No library name specified" },
    { 47, "No function specified" },
    { 48, "Invalid filemode %t" },
    { 50, "Parameter missing after %t" },
    { 53, "Invalid sort field pair defined" },
    { 54, "Incomplete fileid specified" },
    { 55, "No entry point defined" },
    { 56, "File %s contains invalid record formats" },
    { 57, "Invalid record format" },
    { 58, "End-of-file or end-of-tape on TAP%x(%03x)" },
    { 59, "%03x already accessed as read/write on disk %c" },
    { 60, "File(s) %s not found. Disk %c(%03x) will not be accessed" },
    { 62, "Invalid character %c in fileid %s" },
    { 63, "No list entered" },
    { 64, "Invalid translate specification at or near %t" },
    { 65, "%t option specified twice" },
    { 66, "%t and %t are conflicting options" },
    { 67, "Combined input files illegal with PACK or UNPACK options" },
    { 68, "Input file %s not in packed format" },
    { 69, "Filemode %c not accessed" },
    { 70, "Invalid parameter %t" },
    { 73, "Unable to open file %t" },
    { 75, "Device %t is illegal for %s" },
    { 78, "Invalid card in the reader file" },
    { 84, "Invalid use of FROM and TO options" },
    { 85, "Error in file %t %t, line %u - %s" },
    { 96, "File %s data block count incorrect" },
    { 99, "CMS/DOS environment not active" },
    { 100, "Shared S-STAT not available" },
    { 101, "Shared Y-STAT not available" },
    { 104, "Error %d reading file %s from disk" },
    { 105, "Error %d writing file %s on disk" },
    { 107, "Disk %c(%03x) is full" },
    { 108, "More than %u libraries specified" },
    { 109, "Virtual storage capacity exceeded" },
    { 110, "Error %s TAP%x(%03x)" },
    { 111, "TAP%x(%03x) drive not ready" },
    { 112, "%c(%03x) device error" },
    { 113, "%s(%03x) not attached or invalid device address" },
    { 114, "%03x is an unsupported device type" },
    { 115, "%c(%03x) is not a CMS disk; use FORMAT" },
    { 116, "Loader table overflow" },
    { 118, "Error punching file %s" },
    { 123, "Error printing file %s" },
    { 124, "Error reading card file" },
    { 125, "No card file in the reader" },
    { 126, "Too large for the user area: %s" },
    { 127, "%s is damaged" },
    { 129, "I/O error on output %t after %u records" },
    { 130, "Unsupported device for %t" },
    { 141, "%s exception occurred at %08x in %s" },
    { 142, "Saved system name %t invalid" },
    { 148, "System abend %03x" },
    { 155, "User abend %03x called from %08x" },
    { 157, "Label %t not found in file %s" },
    { 167, "Too many names for library %s" },
    { 173, "No records were copied to output file %s" },
    { 174, "Sequence error introduced in output file: %s to %s" },
    { 176, "Sequencing overflow following sequence number %s" },
    { 177, "Warning messages issued (severity=%u)%s" },
    { 178, "%s %s" },
    { 179, "Comparing %s with %s" },
    { 179, "Missing or duplicate MACS card in control file %s" },
    { 180, "Missing PTF file %s" },
    { 181, "No update files were found" },
    { 182, "Sequence increment is zero" },
    { 183, "Invalid %s file control card" },
    { 184, "./ S not first card in update file; ignored" },
    { 185, "Non numeric character in sequence field %t" },
    { 186, "Sequence number %s not found" },
    { 187, "Option STK invalid without CTL" },
    { 201, "The following names are undefined:" },
    { 202, "Duplicate identifier %t" },
    { 203, "Set location counter: name %t undefined" },
    { 205, "Virtual storage of %uK is too small" },
    { 207, "Invalid update file control card" },
    { 209, "Files do not compare" },
    { 210, "Input file sequence error: %s to %s" },
    { 212, "Maximum number of records exceeded" },
    { 213, "Library %s not created" },
    { 216, "Insufficient blocks on disk to support CMS disk structure" },
    { 246, "Invalid card image in record %u" },
    { 254, "HELP cannot find the information you requested" },
    { 257, "Internal system error at %08x" },
    { 299, "Insufficient storage to complete update" },
    { 405, "No message number specified" },
    { 425, "%s of TAP%x(%03x) is %s, not %s" },
    { 431, "TAP%x(%03x) volume label missing" },
    { 432, "TAP%x(%03x) header label missing" },
    { 433, "TAP%x(%03x) has standard labels" },
    { 434, "TAP%x(%03x) trailer label missing or incorrect" },
    { 436, "File on TAP%x(%03x) has not expired" },
    { 441, "Enter file identifier:" },
    { 516, "Exec %t cannot be read" },
    { 517, "Exec %t is not a REXX program: its first line is no comment" },
    { 560, "Not enough storage to %s" },
    { 601, "Enter specification list:" },
    { 602, "Enter translation list:" },
    { 603, "%s will erase all files on disk %c(%03x). Do you wish to continue?" },
    { 604, "Enter sort fields:" },
    { 605, "Enter disk label:" },
    { 616, "Nucleus extension %t does not exist" },
    { 616, "Program %t does not exist" },
    { 617, "There are no nucleus extensions" },
    { 617, "There are no programs in storage" },
    { 621, "Bad PLIST: %s" },
    { 630, "More than %u names specified" },
    { 631, "No name or userid specified" },
    { 631, "%s can only be used in an exec" },
    { 632, "I/O error in EXECIO; error code is %s from %s" },
    { 633, "Reader file %t not found" },
    { 634, "The reader file is no complete NETDATA file" },
    { 636, "Missing or bad %s" },
    { 639, "Error in %t routine; return code was %d" },
    { 640, "%s is not relocatable" },
    { 644, "All %s names have been purged" },
    { 704, "Invalid CLEAR request" },
    { 705, "Disk remains unchanged" },
    { 706, "Terminal input: type a null line for end of data" },
    { 708, "Disk file FILE %t A1 assumed for DDNAME %t" },
    { 723, "%s (%03x) %s" },
    { 724, "%03x replaces %c (%03x)" },
    { 725, "%03x also = %c disk" },
    { 726, "%03x %c released" },
    { 732, "%u %s formatted on %c(%03x)" },
    { 733, "Formatting disk %c" },
    { 740, "Execution begins..." },
    { 745, "Invalid immediate command %t" },
    { 813, "%t repository not found" },
    { 814, "Message number %u, format %u, was not found in application %t" },
    { 1079, "Receive %s? Reply 0 (NO), 1 (YES), 2 (QUIT) or 3 (RENAME)" },
    { 1080, "Invalid response" },
    { 1081, "Enter the new name: fn [ft [fm]]" },
    { 1083, "Saved segment %t does not exist" },
    { 1084, "Saved segment %t is not %s" },
    { 1085, "Storage for saved segment %t is not available" },
    { 1086, "Saved segment %t cannot be loaded" },
    { 1087, "Saved segment %t has the file directory of disk %c" },
    { 1088, "Saved segment %t is loaded" },
    { 1089, "No saved file directory for %c(%03x)" },
    { 1090, "Line %u of %s is not EXEC and the name of one" },
    { 1091, "Saved segment %t has execs that can be used; SET INSTSEG OFF" },
    { 1092, "Line %u of %s is no message in its place" },
    { 1153, "File pool %t is unavailable or unknown" },
    { 1223, "There is no default file pool currently defined" },
    { 1229, "No disk that can be written to is accessed" },
    { 2060, "%t %03x linked %s as %04x file mode %c" },
    { 2061, "%t %03x detached" },
    { 2062, "%t %03x is not linked by VMLINK" },
    { 2063, "No file mode or virtual device number is free" },
    { 2064, "Nickname %t not found" },
    { 2065, "No nickname, owner or directory specified" },
};

const char *message_text(u32 number)
{
    u32 before = number >> 16;

    for (u32 n = 0; n < COUNT_OF(repository); n++)
        if (repository[n].number == (number & 0xffff) && before-- == 0)
            return repository[n].text;
    return NULL;
}

u32 message_line(char *line, u32 room, const char *module, u32 number, char severity, va_list list)
{
    const char *text = message_text(number);
    u32 length = format(line, room, "DMS%s%03u%c ", module, number & 0xffff, severity);

    return length + format_list(line + length, room - length, text != NULL ? text : "", list);
}

void message_show(const char *line, u32 length)
{
    edit_message(&line, &length);
    if (length > 0)
        type_line(line, length);
}

void message(const char *module, u32 number, char severity, ...)
{
    char line[256];
    va_list list;
    u32 length;

    va_start(list, severity);
    length = message_line(line, sizeof line, module, number, severity, list);
    va_end(list);
    message_show(line, length);
}
