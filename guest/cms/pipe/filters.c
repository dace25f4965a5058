/*
 * The table of filters and selecting stages: name, shortest form, function, where it may stand, syntax and what HELP
 * says. A row without help is another name of one that has it.
 */
#include "filters.h"

const struct stage_kind filters[] = {
    { "64DECODE", 8, decode64_stage, ANYWHERE, "64DECODE",
      "Makes bytes of records in base 64, as 64ENCODE and mail have it. Blanks in them mean nothing.", 0 },
    { "64ENCODE", 8, encode64_stage, ANYWHERE, "64ENCODE",
      "Makes four letters or digits of each three bytes of a record. FBLOCK 57 in front makes lines as mail wants "
      "them.",
      0 },
    { "AGGRC", 5, aggrc_stage, ANYWHERE, "AGGRC",
      "Reads return codes and writes the worst: the lowest that is negative, else the highest. Without an output that "
      "is its own return code.", 0 },
    { "ALL", 3, all_stage, ANYWHERE, "ALL [ANYcase] expression",
      "Selects records that contain strings: /a/ & (/b/ ! NOT /c/). Others go to output 1. & is and, ! or | or, NOT "
      "(or the logical not sign) not.", 0 },
    { "APPEND", 6, append_stage, ANYWHERE, "APPEND stage...",
      "Passes its input on, then what the stage (or several, with || between) writes.", 0 },
    { "ASATOMC", 7, asatomc_stage, ANYWHERE, "ASATOMC",
      "Makes ASA carriage control channel commands. The last record is written with one line of space.", 0 },
    { "ASMCONT", 7, asmcont_stage, ANYWHERE, "ASMCONT",
      "Makes one record of an assembler statement that goes on where column 72 is not blank.", 0 },
    { "ASMFIND", 7, asmfind_stage, ANYWHERE, "ASMFIND [string]",
      "As FIND, for assembler statements: where column 72 is not blank the next record goes the same way.", 0 },
    { "ASMNFIND", 8, asmnfind_stage, ANYWHERE, "ASMNFIND [string]", "As ASMFIND, but selects the others.", 0 },
    { "ASMXPND", 7, asmxpnd_stage, ANYWHERE, "ASMXPND",
      "Parts records of more than 71 characters as an assembler statement is continued.", 0 },
    { "BETWEEN", 7, between_stage, ANYWHERE, "BETWEEN [ANYcase] /from/ n|/to/",
      "Selects groups: from a record that begins with the first string to the next that begins with the second, or n "
      "records. "
      "Others go to output 1.", 0 },
    { "BLOCK", 5, block_stage, ANYWHERE,
      "BLOCK n [Fixed|Variable|VB|VS|VBS|CMS|CMS4|SF|SF4|NETdata|LINEnd [c] [TERMinate]|STRing /s/ [TERMinate]|CRLF "
      "[TERMinate]]",
      "Puts records side by side into blocks of at most n bytes.", 0 },
    { "BUFFER", 6, buffer_stage, ANYWHERE, "BUFFER [n|* [/string/]]",
      "Reads all of its input, then writes it, n times, with the string as a record between the copies.", 0 },
    { "CASEI", 5, casei_stage, ANYWHERE, "CASEI [ZONE range] stage",
      "Performs a selecting stage that does not delay records, as if they and its argument were in upper case.", 0 },
    { "CHANGE", 4, change_stage, ANYWHERE, "CHANge [ANYcase] [ranges] /from/to/ [n|*] | ... Xhex string [n|*]",
      "Replaces one string by another, at most n times in a record. If the first is Xhex, Bbits or STRING /text/, the "
      "second stands for itself, too. A null first string: the second is put in front. Records without changes go to "
      "output 1, if there is one.", 0 },
    { "CHOP", 4, chop_stage, ANYWHERE, "CHOP [ANYcase] [n | [n] [BEFORE|AFTER] [NOT] c|c-c|BLANK|ANYOF /s/|STRing /s/]",
      "Cuts records: after n characters (80; -n: n from the end), or before or after what is named, n columns further. "
      "Output 1 gets the rest, perhaps null.", 0 },
    { "COLLATE", 7, collate_stage, ANYWHERE,
      "COLLATE [NOPAD|PAD c] [ANYcase] [range [range]] [MASTER [DETAIL] | DETAIL [MASTER]]",
      "Matches masters (input 0) and details (input 1), both in order of their keys. Output 0: masters with their "
      "details, 1: masters without, 2: details without.", 0 },
    { "COMBINE", 7, combine_stage, ANYWHERE,
      "COMBINE [n|* | KEYLENGTH n | STOP ALLEOF|ANYEOF|n] Or|aNd|eXclusiveor|FIRST|LAST",
      "Lays n more records (1) on each, or those that begin with the same n characters, or (STOP) one of each input, "
      "bit by bit. FIRST and LAST: only that one is left. What is beyond the shorter record stays.", 0 },
    { "COPY", 4, copy_stage, ANYWHERE, "COPY", "Delays the input by one record.", 0 },
    { "COUNT", 5, count_stage, ANYWHERE, "COUNT [CHARacters|CHARS|BYTEs] [WORDs] [LINEs|RECORDs] [MINline] [MAXline]",
      "Writes one record with what is wanted, in this order. "
      "With an output 1 it goes there, and the input to output 0.", 0 },
    { "DATECONVERT", 5, dateconvert_stage, ANYWHERE,
      "DATEConvert [range] form form [WINdow n | BASEyear n] [TIMEOUT]",
      "Writes a date in another form, with TIMEOUT its time, too. Forms: SHORTdate mm/dd/yy, FULLdate mm/dd/yyyy, "
      "ISOdate, EUROpean dd/mm/yy, ORDered yy/mm/dd, STANDard yyyymmdd, NORMal d Mon yyyy, JULian yyddd, PIPE "
      "yyyymmddhhmmss, POSIX seconds, BASE days, REXX_x as DATE(x), and to write only DAYS, MONTH, WEEKday. Years of "
      "two digits are those from n years off this one (-50), or from year n. What is no date goes to output 1, if "
      "there is one.", 0 },
    { "DEAL", 4, deal_stage, ANYWHERE, "DEAL [STOP ALLEOF|ANYEOF|n] [SECONDARY | STREAMID range [STRIP]]",
      "Writes records to its outputs in turn; to the one that a record of input 1 names (SECONDARY), or the record "
      "itself.", 0 },
    { "DEBLOCK", 5, deblock_stage, ANYWHERE,
      "DEBLOck [[Fixed] n|Variable|VB|VS|VBS|CMS|CMS4|SF|SF4|NETdata|LINEnd [c]|STRing /s/|CRLF]",
      "Takes records out of blocks; by itself every 80 characters. TERMINATE may follow as with BLOCK, and changes "
      "nothing.", 0 },
    { "DROP", 4, drop_stage, ANYWHERE, "DROP [FIRST|LAST] [n|*]",
      "Sends n records (1) to output 1, and the others to output 0. LAST keeps n records back.", 0 },
    { "DUPLICATE", 3, duplicate_stage, ANYWHERE, "DUPlicate [n|*|-1]",
      "Writes each record n times more (1); -1: not at all.", 0 },
    { "ELASTIC", 7, elastic_stage, ANYWHERE, "ELASTIC",
      "Keeps as many records as are written before they are wanted, so that streams that meet again do not stall. "
      "Input 1 may be its output come back.", 0 },
    { "EOFBACK", 7, eofback_stage, ANYWHERE, "EOFBACK stage...",
      "Passes its input on and to the stage; when the output is not read any more, the stage gets no more, too.", 0 },
    { "ESCAPE", 6, escape_stage, ANYWHERE, "ESCAPE [/string/]",
      "Puts the string's first character in front of each of its characters; by itself \" in front of \" | and \\.",
      0 },
    { "FANIN", 5, fanin_stage, ANYWHERE, "FANIN [stream...]",
      "Passes on all of input 0, then input 1 and so on, or in the order that is named.", 0 },
    { "FANINANY", 8, faninany_stage, ANYWHERE, "FANINANY [STRICT]",
      "Passes on records from whichever input has one; of several the first.", 0 },
    { "FANOUT", 6, fanout_stage, ANYWHERE, "FANOUT [STOP ALLEOF|ANYEOF|n]",
      "Writes each record to all outputs, in order. STOP: ends when so many outputs are not read any more.", 0 },
    { "FBLOCK", 6, fblock_stage, ANYWHERE, "FBLOCK n [c]",
      "Makes records of n characters, whatever the input's are. The last one may be shorter, or is filled with c.", 0 },
    { "FILLUP", 6, fillup_stage, ANYWHERE, "FILLUP",
      "Passes records to output 0 as long as it is read, then to output 1 and so on.", 0 },
    { "FIND", 4, find_stage, ANYWHERE, "FIND [string]",
      "Selects records that begin with the string; a blank in it stands for any character, an underscore for a blank. "
      "Others go to output 1.", 0 },
    { "FRLABEL", 5, frlabel_stage, ANYWHERE, "FRLABel [string]",
      "Sends records to output 1 until one begins with the string; it and all others go to output 0.", 0 },
    { "FROMLABEL", 7, frlabel_stage, ANYWHERE, NULL, NULL, 0 },
    { "FRTARGET", 8, frtarget_stage, ANYWHERE, "FRTARGET stage",
      "Performs a selecting stage that does not delay records: the first that it selects and all after that are "
      "passed, those before go to output 1.", 0 },
    { "GATE", 4, gate_stage, ANYWHERE, "GATE [STRICT]",
      "Passes records from inputs 1 and up to the outputs of these numbers, until there is a record on input 0.", 0 },
    { "GATHER", 6, gather_stage, ANYWHERE, "GATHER [STOP ALLEOF|ANYEOF|n] [SECONDARY]",
      "Reads its inputs in turn, or (SECONDARY) the one that a record of input 1 names.", 0 },
    { "IF", 2, if_stage, ANYWHERE, "IF stage",
      "Performs a selecting stage. What it selects goes to output 0, and what the stages there make of it comes back "
      "by input 1, where the label stands again. The others join it there; if the label stands a third time they go to "
      "output 1 and come back by input 2.", 0 },
    { "INSERT", 6, insert_stage, ANYWHERE, "INSERT /string/ [BEFORE|AFTER] [range]",
      "Puts a string in front of records, or after them, or in front of or after a part of them.", 0 },
    { "INSIDE", 6, inside_stage, ANYWHERE, "INSIDE [ANYcase] /from/ n|/to/",
      "As BETWEEN, without the records that begin and end a group. n counts those after the first.", 0 },
    { "INSTORE", 7, instore_stage, ANYWHERE, "INSTORE [REVERSE]",
      "Reads all of its input into storage and writes one record that says where it is, for OUTSTORE; with REVERSE in "
      "reverse order.", 0 },
    { "JOIN", 4, join_stage, ANYWHERE, "JOIN [n|* | KEYLENGTH n] [/string/] [most]",
      "Puts n records (1) after each record, with the string between them; * all; KEYLENGTH those whose first n "
      "characters are the same, without these. No record becomes longer than `most` by that.", 0 },
    { "JOINCONT", 5, joincont_stage, ANYWHERE,
      "JOINCont [ANYcase] [NOT] [LEADing|TRAILing] [KEEP] c|c-c|ANYOF /s/|STRing /s/ [/between/]",
      "Joins a record that ends in what is named (or, NOT, does not) and the next; LEADING: one that begins with it "
      "and the one before. KEEP: it stays.", 0 },
    { "JUXTAPOSE", 4, juxtapose_stage, ANYWHERE, "JUXTapose",
      "Puts the last record that came on input 0 in front of each from input 1.", 0 },
    { "LOCATE", 6, locate_stage, ANYWHERE, "LOCATE [ANYcase] [ranges] [/string/]",
      "Selects records with the string in one of the ranges; without a string, those that have anything of one. Others "
      "go to output 1.", 0 },
    { "LOOKUP", 6, lookup_stage, ANYWHERE,
      "LOOKUP [COUNT] [NOPAD|PAD c] [ANYcase] [range [range]] [DETAIL] [MASTER] | ALLMASter [PAIRwise]",
      "Looks for the key of each detail (input 0) among masters (input 1). Output 0: the detail and its master, in the "
      "order that is named; 1: details without; 2: masters without, or with COUNT all and how often; 3: masters whose "
      "key another one has.", 0 },
    { "MCTOASA", 7, mctoasa_stage, ANYWHERE, "MCTOASA",
      "Makes channel commands ASA carriage control. Records with neither stay.", 0 },
    { "MERGE", 5, merge_stage, ANYWHERE, "MERGE [NOPAD|PAD c] [ANYcase] [Ascending|Descending | range [A|D]...]",
      "Makes one ordered stream of several.", 0 },
    { "NFIND", 5, nfind_stage, ANYWHERE, "NFIND [string]", "As FIND, but selects the others.", 0 },
    { "NINSIDE", 7, notinside_stage, ANYWHERE, "NINSIDE [ANYcase] /from/ n|/to/", "As INSIDE, but selects the others.",
      0 },
    { "NLOCATE", 7, nlocate_stage, ANYWHERE, "NLOCATE [ANYcase] [ranges] [/string/]",
      "As LOCATE, but selects the others.", 0 },
    { "NOEOFBACK", 9, noeofback_stage, ANYWHERE, "NOEOFBACK",
      "Passes its input on, and reads it to its end even if the output is not read any more.", 0 },
    { "NOT", 3, not_stage, ANYWHERE, "NOT stage", "Performs a stage with its outputs 0 and 1 exchanged.", 0 },
    { "NOTFIND", 7, nfind_stage, ANYWHERE, NULL, NULL, 0 },
    { "NOTINSIDE", 9, notinside_stage, ANYWHERE, NULL, NULL, 0 },
    { "NOTLOCATE", 9, nlocate_stage, ANYWHERE, NULL, NULL, 0 },
    { "OUTSIDE", 7, outside_stage, ANYWHERE, "OUTSIDE [ANYcase] /from/ n|/to/", "As BETWEEN, but selects the others.",
      0 }, { "OUTSTORE", 8, outstore_stage, ANYWHERE, "OUTSTORE", "Writes the records that INSTORE has read.", 0 },
    { "OVERLAY", 7, overlay_stage, ANYWHERE, "OVERLAY [c]",
      "Lays a record of each input on that of the one before; blanks, or c, are transparent.", 0 },
    { "OVERSTRIKE", 7, overstr_stage, ANYWHERE, "OVERSTRike",
      "Makes one record of a line and those printed over it (ASA's +). "
      "Underscores are seen only where nothing else is.", 0 },
    { "PACK", 4, pack_stage, ANYWHERE, "PACK [Variable | Fixed n]",
      "Writes the input as a packed file, records of 1024 bytes, as COPYFILE (PACK.", 0 },
    { "PAD", 3, pad_stage, ANYWHERE, "PAD [LEFT|RIGHT] [MODulo] n [c]",
      "Makes records at least n characters long, or (MODULO) a multiple of that, with blanks or c.", 0 },
    { "PARCEL", 6, parcel_stage, ANYWHERE, "PARCEL",
      "Makes records of input 0, whose ends mean nothing, as long as the numbers in the records of input 1 say.", 0 },
    { "PICK", 4, pick_stage, ANYWHERE, "PICK [NOPAD|PAD c] [ANYcase] range|/s/ op range|/s/ [AND|OR ...]",
      "Selects records by comparing: == /== << <<= >> >>= as strings, = /= < <= > >= as numbers. "
      "Others go to output 1.", 0 },
    { "PREDSELECT", 4, predselect_stage, ANYWHERE, "PREDselect",
      "Sends the last record of input 0 to output 0 when there is a record on input 1, to output 1 when on input 2.",
      0 },
    { "PREFACE", 7, preface_stage, ANYWHERE, "PREFACE stage...", "Passes on what the stage writes, then its input.",
      0 },
    { "RANDOM", 6, random_stage, ONLY_FIRST, "RANDOM [n|* [seed]]",
      "Writes random numbers, from 0 to n-1, or as four bytes. The same seed gives the same numbers. TAKE says how "
      "many.", 0 },
    { "RETAB", 5, retab_stage, ANYWHERE, "RETAB [-n | n...]",
      "Makes two or more blanks in front of a tab stop a tab character (X'05'). Stops are every n columns (8), or "
      "those named.", 0 },
    { "REVERSE", 7, reverse_stage, ANYWHERE, "REVERSE", "Writes the characters of each record in reverse order.", 0 },
    { "SNAKE", 5, snake_stage, ANYWHERE, "SNAKE n [rows]",
      "Puts records side by side in n columns, down the first one, then the next; with `rows` page by page.", 0 },
    { "SORT", 4, sort_stage, ANYWHERE,
      "SORT [COUNT|UNIQue] [NOPAD|PAD c] [ANYcase] [Ascending|Descending | range [A|D]...]",
      "Writes the records in order; those that are alike stay as they were. UNIQUE: one of those alike; COUNT: after "
      "ten columns with how many there were.", 0 },
    { "SPACE", 5, space_stage, ANYWHERE, "SPACE [n] [c|/string/]",
      "Leaves n blanks (1) between two words, or n times the character or string, and none at the ends.", 0 },
    { "SPECS", 4, specs_stage, ANYWHERE,
      "SPECs [STOP ALLEOF|ANYEOF|n] {READ|READSTOP|WRITE|SELECT stream|PAD c|WORDSEParator c|FIELDSEParator c|input "
      "[STRIP] [x2y] output [Left|Center|Right]}...",
      "Makes records of pieces. Input: range, /literal/, X.., NUMBER [FROM n] [BY n] or RECNO (ten columns), TODCLOCK. "
      "x2y: C2X, D2C and so on of C X B D F I P V. Output: n, n-m, n.width, Next[.width], NEXTWord[.width].", 0 },
    { "SPILL", 5, spill_stage, ANYWHERE,
      "SPILL n [OFFSET n|/string/] [KEEP] [ANYcase] [NOT] [BLANK|c|c-c|ANYOF /s/|STRing /s/]",
      "Parts records of more than n characters between words. OFFSET: blanks, or a string, in front of all but the "
      "first part. KEEP: what stood between words stays. A word that is too long is cut, or goes to output 1, if "
      "there is one.",
      0 },
    { "SPLIT", 5, split_stage, ANYWHERE,
      "SPLIT [ANYcase] [MINimum n] [AT | [n] BEFORE|AFTER] [NOT] [BLANK|c|c-c|ANYOF /s/|STRing /s/]",
      "Makes several records of one: at blanks, or what is named, which is dropped; or before or after it, n columns "
      "further. Null records are not written.", 0 },
    { "STRASMFIND", 10, strasmfind_stage, ANYWHERE, "STRASMFIND [ANYcase] /string/",
      "As ASMFIND, for statements that begin with a delimited string.", 0 },
    { "STRASMNFIND", 11, strasmnfind_stage, ANYWHERE, "STRASMNFIND [ANYcase] /string/",
      "As STRASMFIND, but selects the others.", 0 },
    { "STRFIND", 4, strfind_stage, ANYWHERE, "STRFind [ANYcase] /string/",
      "Selects records that begin with the string. "
      "Others go to output 1.", 0 },
    { "STRFRLABEL", 5, strfrlabel_stage, ANYWHERE, "STRFRlabel [ANYcase] /string/",
      "As FRLABEL, with a delimited string.", 0 }, { "STRFROMLABEL", 7, strfrlabel_stage, ANYWHERE, NULL, NULL, 0 },
    { "STRIP", 5, strip_stage, ANYWHERE,
      "STRIP [ANYcase] [BOTH|LEADing|TRAILing] [NOT|TO] [BLANK|c|c-c|ANYOF /s/|STRing /s/] [n]",
      "Removes blanks, or what is named, from the ends of records, at most n characters from each.", 0 },
    { "STRNFIND", 5, strnfind_stage, ANYWHERE, "STRNFind [ANYcase] /string/", "As STRFIND, but selects the others.",
      0 },
    { "STRTOLABEL", 5, strtolabel_stage, ANYWHERE, "STRTOlabel [ANYcase] /string/",
      "As TOLABEL, with a delimited string.", 0 },
    { "STRWHILELABEL", 8, strwhilelabel_stage, ANYWHERE, "STRWHILElabel [ANYcase] /string/",
      "As WHILELABEL, with a delimited string.", 0 },
    { "SUBSTRING", 6, substring_stage, ANYWHERE, "SUBSTRing [PAD c] range [OF range]...",
      "Writes a part of each record, or of a part of it; with PAD filled to the columns of the first range. Records "
      "without that part go to output 1, if there is one.", 0 },
    { "SYNCHRONISE", 4, synchronise_stage, ANYWHERE, "SYNChronise",
      "Passes a record of each input to the output of its number when all inputs have one.", 0 },
    { "SYNCHRONIZE", 4, synchronise_stage, ANYWHERE, NULL, NULL, 0 },
    { "TAKE", 4, take_stage, ANYWHERE, "TAKE [FIRST|LAST] [n|*]",
      "Passes n records (1); the others go to output 1. LAST keeps n records back.", 0 },
    { "TIMESTAMP", 4, timestamp_stage, ANYWHERE, "TIMEstamp [n [length] | SHOrtdate | ISOdate | FULLdate]",
      "Puts the time in front of records: `length` characters of the last n (8) of yyyymmddhhmmssth, or a date and the "
      "time.", 0 }, { "TOKENIZE", 3, tokenize_stage, ANYWHERE, "TOKenize /singles/ [/after/]",
      "Makes a record of each word, and of each character that is one of the singles; after a record's, one with the "
      "second string.", 0 }, { "TOKENISE", 3, tokenize_stage, ANYWHERE, NULL, NULL, 0 },
    { "TOLABEL", 5, tolabel_stage, ANYWHERE, "TOLABel [string]",
      "Passes records until one begins with the string; it and all others go to output 1.", 0 },
    { "TARGET+OUT", 10, target_out_stage, ANYWHERE, NULL, NULL, 0 },
    { "TOTARGET", 8, totarget_stage, ANYWHERE, "TOTARGET stage",
      "Performs a selecting stage that does not delay records: those before the first that it selects are passed, that "
      "and all after it go to output 1.", 0 },
    { "UNIQUE", 4, unique_stage, ANYWHERE,
      "UNIQue [COUNT] [NOPAD|PAD c] [ANYcase] [ranges] [LAST|FIRST|SINGLEs|MULTiple|PAIRwise]",
      "Of neighbours that are alike passes the last one, or the first, or those that are none (SINGLES) or all of them "
      "(MULTIPLE); PAIRWISE removes two that are alike. Others go to output 1. COUNT: ten columns with how many there "
      "were.", 0 },
    { "UNPACK", 6, unpack_stage, ANYWHERE, "UNPACK",
      "Writes the records of a packed file (COPYFILE (PACK); what is not one goes on as it is.", 0 },
    { "UNTAB", 5, untab_stage, ANYWHERE, "UNTAB [-n | n...]",
      "Makes tab characters (X'05') blanks up to the next stop; stops are every n columns (8), or those named.", 0 },
    { "UPDATE", 6, update_stage, ANYWHERE, "UPDATE [n-m]",
      "Applies the update file of input 1 to the records of input 0, which have rising sequence numbers in columns 73 "
      "to 80, or those. Statements are ./ I n, D n [m], R n [m], with $ [n [step]] for numbers of what is inserted, S "
      "and *. Output 1, if there is one, gets a line for each statement and each record inserted or deleted.", 0 },
    { "VCHAR", 5, vchar_stage, ANYWHERE, "VCHAR n m",
      "Makes characters of n bits characters of m bits (1 to 32): with zeros in front, or cut there.", 0 },
    { "VERIFY", 6, verify_stage, ANYWHERE, "VERIFY [ANYcase] [range] /characters/",
      "Selects records that have nothing but these characters. Others go to output 1.", 0 },
    { "WHILELABEL", 5, whilelabel_stage, ANYWHERE, "WHILElabel [string]",
      "Passes records while they begin with the string; the first that does not and all others go to output 1.", 0 },
    { "WILDCARD", 8, wildcard_stage, ANYWHERE, "WILDCARD [ANYcase] [range] /pattern/",
      "Selects records that look like the pattern: * is any characters, % is one. Others go to output 1.", 0 },
    { "XLATE", 5, xlate_stage, ANYWHERE, "XLATE [ranges] [UPPER|LOWER|A2E|E2A] [from to]...",
      "Translates characters: c or a-b to d or c-d; by itself to upper case. A2E: from ISO 8859-1, which networks "
      "have; E2A: to it. The first record of input 1 may be the table.", 0 },
    { "XRANGE", 6, xrange_stage, ONLY_FIRST, "XRANGE [c-c | c c]",
      "Writes a record of all characters from one to another: X'00' to X'FF' by itself.", 0 },
    { "ZONE", 4, zone_stage, ANYWHERE, "ZONE range [CASEI] stage",
      "Performs a selecting stage that does not delay records on a part of them; whole records are passed.", 0 },
    { "ZONE+IN", 7, zone_in_stage, ANYWHERE, NULL, NULL, 0 },
    { "ZONE+OUT", 8, zone_out_stage, ANYWHERE, NULL, NULL, 0 },
};
const u32 filter_count = COUNT_OF(filters);
