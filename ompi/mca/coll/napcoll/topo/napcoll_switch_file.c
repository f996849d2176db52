/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The lines of a switch tree's file: keywords and their values (see the header).
 */

#include "topo/napcoll_switch_file.h"

#include <stdlib.h>
#include <string.h>

#include "topo/napcoll_switch_reader.h"

enum { AROUND_SWITCH = 32 /* bytes of a switch's keywords */ };

typedef enum { SWITCH_NAME, NODES, SWITCHES, LINK_SPEED, KEYWORDS } keyword_t;

static const char *const keywords[KEYWORDS] = {"SwitchName", "Nodes", "Switches", "LinkSpeed"};

static void skip_blanks(napcoll_switch_reader_t *in)
{
    while (napcoll_switch_is_blank(in->text[in->at])) {
        in->at++;
    }
}

/* Read NAME of SwitchName=, which begins a switch. */
static int read_switch(napcoll_switch_reader_t *in)
{
    napcoll_switch_names_t *switches = &in->file->switches;

    in->written += AROUND_SWITCH;
    if (0 != napcoll_switch_name_read(in, switches)) {
        return -1;
    }
    switches->at[switches->count - 1].line = switches->count - 1;
    return 0;
}

/* A speed means nothing here, but it has to be there. */
static int skip_value(napcoll_switch_reader_t *in)
{
    const size_t begin = in->at;

    while ('\n' != in->text[in->at] && !napcoll_switch_is_blank(in->text[in->at])) {
        in->at++;
    }
    return in->at > begin ? 0
                          : napcoll_switch_file_refuse(in->file, begin,
                                                       "LinkSpeed=: expected a value; remove the "
                                                       "keyword or add one (it is not used)");
}

static bool same_word(const char *text, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];

        /* a word that is shorter ends with a zero, which no text has */
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c)
            != (word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i])) {
            return false;
        }
    }
    return '\0' == word[length];
}

/* Say what a word is that is no keyword of ours. */
static int refuse_word(napcoll_switch_reader_t *in, const char *word, size_t length)
{
    if (same_word(word, length, "BlockName") || same_word(word, length, "BlockSizes")) {
        return napcoll_switch_file_refuse(
            in->file, in->at,
            "%s: napcoll reads only the tree form of topology.conf; describe the network with "
            "SwitchName=NAME and Nodes=LIST or Switches=LIST",
            napcoll_switch_show_bytes(word, length).text);
    }
    if (same_word(word, length, "Include")) {
        return napcoll_switch_file_refuse(
            in->file, in->at, "%s: napcoll reads one file; put the lines of the other one here",
            napcoll_switch_show_bytes(word, length).text);
    }
    return napcoll_switch_file_refuse(
        in->file, in->at,
        "'%s': no such keyword; expected SwitchName=, Nodes=, Switches= or LinkSpeed= (a list has "
        "no blanks)",
        napcoll_switch_show_bytes(word, length).text);
}

/* Read a keyword and its =. Returns which it is. */
static int read_keyword(napcoll_switch_reader_t *in)
{
    const char *word = in->text + in->at;
    size_t length = 0;

    while (napcoll_switch_is_of_name(word[length])) {
        length++;
    }
    if (0 == length) {
        return napcoll_switch_file_refuse(
            in->file, in->at,
            "expected a keyword here: SwitchName=, Nodes=, Switches= or "
            "LinkSpeed= (a list has no blanks)");
    }
    for (int i = 0; i < KEYWORDS; i++) {
        if (same_word(word, length, keywords[i])) {
            in->at += length;
            skip_blanks(in);
            if ('=' != in->text[in->at]) {
                return napcoll_switch_file_refuse(in->file, in->at, "%s: expected = here",
                                                  keywords[i]);
            }
            in->at++;
            skip_blanks(in);
            return i;
        }
    }
    return refuse_word(in, word, length);
}

/* Read one keyword and its value; `seen` has the keywords of the line, a bit for each. */
static int read_field(napcoll_switch_reader_t *in, unsigned *seen)
{
    const size_t begin = in->at;
    const int keyword = read_keyword(in);

    if (keyword < 0) {
        return -1;
    }
    if (0 != (*seen & 1U << keyword)) {
        return napcoll_switch_file_refuse(
            in->file, begin, "%s= twice in a line; %s", keywords[keyword],
            SWITCH_NAME == keyword ? "write a line for each switch" : "make one list of the two");
    }
    if (0 == *seen && SWITCH_NAME != keyword) {
        return napcoll_switch_file_refuse(
            in->file, begin, "%s= without a switch; begin the line with SwitchName=NAME",
            keywords[keyword]);
    }
    *seen |= 1U << keyword;
    switch (keyword) {
    case SWITCH_NAME:
        return read_switch(in);
    case NODES:
        return napcoll_switch_names_read(in, &in->file->nodes);
    case SWITCHES:
        return napcoll_switch_names_read(in, &in->file->below);
    default:
        return skip_value(in);
    }
}

static int read_line(napcoll_switch_reader_t *in)
{
    const napcoll_switch_names_t *switches = &in->file->switches;
    unsigned seen = 0;

    for (skip_blanks(in); '\n' != in->text[in->at]; skip_blanks(in)) {
        if (0 != read_field(in, &seen)) {
            return -1;
        }
    }
    in->at++;
    if (0 != seen && 0 == (seen & (1U << NODES | 1U << SWITCHES))) {
        const napcoll_switch_name_t *name = &switches->at[switches->count - 1];

        return napcoll_switch_file_refuse(in->file, name->at,
                                          "switch '%s': nothing is below it; add Nodes=LIST or "
                                          "Switches=LIST, or remove the line",
                                          napcoll_switch_show(name->name).text);
    }
    return 0;
}

int napcoll_switch_file_read(napcoll_switch_file_t *file)
{
    napcoll_switch_reader_t in = {.file = file};
    int rc = napcoll_switch_text_check(file);

    if (0 != rc) {
        return rc;
    }
    in.text = napcoll_switch_text_copy(file);
    if (NULL == in.text) {
        return napcoll_switch_file_no_memory(file);
    }
    while (0 == rc && '\0' != in.text[in.at]) {
        rc = read_line(&in);
    }
    if (0 == rc && 0 == file->switches.count) {
        rc = napcoll_switch_file_refuse_all(
            file, "no switch; expected lines SwitchName=NAME Nodes=LIST (Slurm's topology.conf)");
    }
    free(in.range);
    free(in.text);
    return rc;
}

static void drop_names(napcoll_switch_names_t *names)
{
    for (int i = 0; i < names->count; i++) {
        free(names->at[i].name);
    }
    free(names->at);
    *names = (napcoll_switch_names_t){0};
}

void napcoll_switch_file_drop(napcoll_switch_file_t *file)
{
    drop_names(&file->switches);
    drop_names(&file->nodes);
    drop_names(&file->below);
}
