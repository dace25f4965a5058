/*
 * The options of a command: the words after a parenthesis, looked up in the command's table.
 */
#include "cms.h"

/* The words in front of the options. */
u32 operands(const struct call *call)
{
    u32 n = 0;

    while (n < call->count && call->token[n][0] != '(')
        n++;
    return n;
}

/* Whether the word is a count: a number, or * for all. */
static bool counted(const name word, u32 *number)
{
    u32 count;

    if (is(word, "*")) {
        *number = ALL_THERE_ARE;
        return true;
    }
    if (!parse_number(word, name_length(word), &count))
        return false;
    *number = count;
    return true;
}

/* Sets what the options say. 0, or a return code, and the message has been typed. */
int options(const char *module, const struct call *call, const struct option *known, u32 count)
{
    for (u32 n = operands(call) + 1; n < call->count; n++) {
        const char *word = call->token[n];
        const struct option *found = NULL;

        if (word[0] == ')')
            break;
        for (u32 k = 0; k < count && found == NULL; k++)
            if (abbreviates(word, known[k].word, known[k].least))
                found = &known[k];
        if (found == NULL) {
            message(module, 3, 'E', word);
            return RC_SYNTAX;
        }
        if (found->set != NULL)
            *found->set = found->value;
        if (found->number == NULL && found->text == NULL)
            continue;
        if (found->set != NULL) {
            n += n + 1 < call->count && counted(call->token[n + 1], found->number);
            continue;
        }
        if (n + 1 >= call->count || call->token[n + 1][0] == ')') {
            message(module, 5, 'E', word);
            return RC_SYNTAX;
        }
        n++;
        if (found->text != NULL) {
            memcpy(*found->text, call->token[n], sizeof(name));
        } else if (!parse_number(call->token[n], name_length(call->token[n]), found->number)) {
            message(module, 29, 'E', call->token[n], word);
            return RC_SYNTAX;
        }
    }
    return 0;
}
