/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The switch tree: its order, what a file may look like, what errors say, and that it is
 * written back.
 */

#include "cmocka_setup.h"

#include "topo/napcoll_switch_tree.h"

static napcoll_switch_tree_t *parse(const char *text, size_t length)
{
    napcoll_switch_error_t error = {.line = -1};
    napcoll_switch_tree_t *tree = NULL;

    if (0 != napcoll_switch_tree_parse(text, length, &tree, &error)) {
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    }
    assert_non_null(tree);
    return tree;
}

/* Print "s0(n0 n1 s1(n2))": switches with their nodes, then with the switches below. */
static void describe(const napcoll_switch_tree_t *tree, char *text, size_t size)
{
    int way[NAPCOLL_MOST_SWITCH_DEPTH], depth = 0;
    size_t at = 0;

    for (int s = 0; s <= tree->switches && at + 300 < size; s++) {
        while (depth > 0 && (s == tree->switches || way[depth - 1] != tree->at[s].parent)) {
            at += (size_t) snprintf(text + at, size - at, ")");
            depth--;
        }
        if (s < tree->switches) {
            const napcoll_switch_t *sw = &tree->at[s];

            assert_int_equal(sw->depth, depth);
            at += (size_t) snprintf(text + at, size - at, " %s(", sw->name);
            for (int i = 0; i < sw->nodes; i++) {
                assert_int_equal(tree->switch_of[sw->first + i], s);
                at += (size_t) snprintf(text + at, size - at, " %s", tree->node[sw->first + i]);
            }
            way[depth++] = s;
        }
    }
}

/* That every switch's nodes are those that are below it, and every node is found. */
static void check_tree(const napcoll_switch_tree_t *tree)
{
    assert_int_equal(tree->at[0].parent, -1);
    assert_int_equal(tree->at[0].first, 0);
    assert_int_equal(tree->at[0].end, tree->nodes);
    for (int s = 0; s < tree->switches; s++) {
        const napcoll_switch_t *sw = &tree->at[s];

        assert_true(sw->first + sw->nodes <= sw->end && sw->end <= tree->nodes);
        assert_true(sw->first < sw->end);
        if (s > 0) {
            assert_in_range(sw->parent, 0, s - 1);
            assert_true(tree->at[sw->parent].first + tree->at[sw->parent].nodes <= sw->first);
            assert_true(sw->end <= tree->at[sw->parent].end);
        }
    }
    for (int i = 0; i < tree->nodes; i++) {
        const napcoll_switch_t *sw = &tree->at[tree->switch_of[i]];

        assert_true(sw->first <= i && i < sw->first + sw->nodes);
        assert_int_equal(napcoll_switch_tree_find(tree, tree->node[i]), i);
    }
}

/* That a text is this tree. */
static void check_reads(const char *text, const char *expected)
{
    napcoll_switch_tree_t *tree = parse(text, strlen(text));
    char found[8192] = "";

    check_tree(tree);
    describe(tree, found, sizeof(found));
    assert_string_equal(found, expected);
    napcoll_switch_tree_free(tree);
}

static void check_refused_bytes(const char *text, size_t length, int line, int column,
                                const char *words)
{
    napcoll_switch_error_t error = {.line = -1};
    napcoll_switch_tree_t *tree = (napcoll_switch_tree_t *) (void *) &error;

    assert_int_equal(napcoll_switch_tree_parse(text, length, &tree, &error), -1);
    assert_null(tree);
    if (NULL == strstr(error.text, words) || error.line != line || error.column != column) {
        fail_msg("expected %d:%d: '%s', found %d:%d: '%s', for: %.200s", line, column, words,
                 error.line, error.column, error.text, text);
    }
    for (const char *c = error.text; '\0' != *c; c++) {
        assert_in_range(*c, ' ', '~');
    }
    /* Not cut */
    assert_true(strlen(error.text) + 1 < sizeof(error.text));
}

static void check_refused(const char *text, int line, int column, const char *words)
{
    check_refused_bytes(text, strlen(text), line, column, words);
}

static const char *const seed = "SwitchName=s0 Nodes=n[0-1,8-9,16-17,24-25]\n"
                                "SwitchName=s1 Nodes=n[2-3,10-11,18-19,26-27]\n"
                                "SwitchName=s2 Nodes=n[4-5,12-13,20-21,28-29]\n"
                                "SwitchName=s3 Nodes=n[6-7,14-15,22-23,30-31]\n"
                                "SwitchName=top Switches=s[0-3]\n";

static void depth_first_order_of_the_seed(void **state)
{
    static const int order[] = {0, 1, 8,  9,  16, 17, 24, 25, 2, 3, 10, 11, 18, 19, 26, 27,
                                4, 5, 12, 13, 20, 21, 28, 29, 6, 7, 14, 15, 22, 23, 30, 31};
    napcoll_switch_tree_t *tree = parse(seed, strlen(seed));

    (void) state;
    check_tree(tree);
    assert_int_equal(tree->nodes, 32);
    assert_int_equal(tree->switches, 5);
    for (int i = 0; i < 32; i++) {
        char name[16];

        (void) snprintf(name, sizeof(name), "n%d", order[i]);
        assert_string_equal(tree->node[i], name);
        assert_int_equal(tree->switch_of[i], 1 + i / 8);
    }
    assert_string_equal(tree->at[0].name, "top");
    assert_string_equal(tree->at[4].name, "s3");
    napcoll_switch_tree_free(tree);
}

static void children_stand_in_the_order_of_their_list(void **state)
{
    (void) state;
    check_reads("SwitchName=a Nodes=x\nSwitchName=b Nodes=y\nSwitchName=c Switches=b,a\n",
                " c( b( y) a( x))");
    check_reads("SwitchName=c Switches=b,a Nodes=m,k\nSwitchName=a Nodes=x\nSwitchName=b Nodes=y\n",
                " c( m k b( y) a( x))");
    check_reads("SwitchName=t Switches=m,r\nSwitchName=r Nodes=c\nSwitchName=l Nodes=a\n"
                "SwitchName=m Switches=l Nodes=b\n",
                " t( m( b l( a)) r( c))");
}

static void several_roots_get_one_above_them(void **state)
{
    (void) state;
    check_reads("SwitchName=b Nodes=y\nSwitchName=a Nodes=x", " ( b( y) a( x))");
    check_reads("SwitchName=a Nodes=x", " a( x)");
}

static void ranges_keep_their_zeros_and_the_last_counts_fastest(void **state)
{
    (void) state;
    check_reads("SwitchName=a Nodes=n[08-11,3]", " a( n08 n09 n10 n11 n3)");
    check_reads("SwitchName=a Nodes=r[0-1]n[00,5-6]x,y[9-10]",
                " a( r0n00x r0n5x r0n6x r1n00x r1n5x r1n6x y9 y10)");
    check_reads("SwitchName=a Nodes=[7-8],n[0],n[00]", " a( 7 8 n0 n00)");
    check_reads("SwitchName=a Nodes=n[999999999999999998-999999999999999999]",
                " a( n999999999999999998 n999999999999999999)");
}

static void keywords_in_any_case_comments_joints_and_crlf(void **state)
{
    (void) state;
    check_reads("\r\n# a comment \\\n\t switchname = a \t NODES= x,y LinkSpeed=100 # more\r\n"
                "SWITCHNAME=b Switches=a# and more",
                " b( a( x y))");
    check_reads("SwitchName=a \\\r\n  Nodes=x,\\\ny,z\\  \n2\\\n\nSwitchName=b Nodes=v \\",
                " ( a( x y z2) b( v))");
    check_reads("SwitchName=a Nodes=x # Z\xc3\xbcrich\n", " a( x)");
}

static void find_takes_names_with_a_domain(void **state)
{
    const char *text = "SwitchName=a Nodes=n[1-3],n4.org,n1.here,b";
    napcoll_switch_tree_t *tree = parse(text, strlen(text));

    (void) state;
    check_tree(tree);
    assert_int_equal(napcoll_switch_tree_find(tree, "n2"), 1);
    assert_int_equal(napcoll_switch_tree_find(tree, "n2.cluster.org"), 1);
    assert_int_equal(napcoll_switch_tree_find(tree, "n4.org"), 3);
    assert_int_equal(napcoll_switch_tree_find(tree, "n4.com"), -1);
    assert_int_equal(napcoll_switch_tree_find(tree, "n4"), -1);
    assert_int_equal(napcoll_switch_tree_find(tree, "n1.here"), 4);
    assert_int_equal(napcoll_switch_tree_find(tree, "n1.there"), 0);
    assert_int_equal(napcoll_switch_tree_find(tree, "n"), -1);
    assert_int_equal(napcoll_switch_tree_find(tree, "n22"), -1);
    assert_int_equal(napcoll_switch_tree_find(tree, ""), -1);
    assert_int_equal(napcoll_switch_tree_find(tree, ".org"), -1);
    napcoll_switch_tree_free(tree);
}

static void nodes_meet_at_the_lowest_switch_above_both(void **state)
{
    const char *text = "SwitchName=t Switches=m,r Nodes=d\nSwitchName=m Switches=a,b\n"
                       "SwitchName=r Nodes=n4\nSwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n2";
    napcoll_switch_tree_t *tree = parse(text, strlen(text));
    const struct {
        const char *one, *other, *meet;
    } personalized[] = {{"n0", "n0", "a"}, {"n0", "n1", "a"}, {"n1", "n2", "m"},
                        {"n2", "n4", "t"}, {"d", "n0", "t"},  {"d", "d", "t"}};

    (void) state;
    for (size_t i = 0; i < sizeof(personalized) / sizeof(*personalized); i++) {
        const int one = napcoll_switch_tree_find(tree, personalized[i].one);
        const int other = napcoll_switch_tree_find(tree, personalized[i].other);

        assert_string_equal(tree->at[napcoll_switch_tree_meet(tree, one, other)].name,
                            personalized[i].meet);
        assert_string_equal(tree->at[napcoll_switch_tree_meet(tree, other, one)].name,
                            personalized[i].meet);
    }
    napcoll_switch_tree_free(tree);
}

static void errors_name_line_and_column(void **state)
{
    (void) state;
    check_refused("Nodes=a", 1, 1, "Nodes= without a switch; begin the line with SwitchName=NAME");
    check_refused("\n\n  Switch=a", 3, 3,
                  "'Switch': no such keyword; expected SwitchName=, Nodes=");
    check_refused("BlockName=b1 Nodes=a", 1, 1, "reads only the tree form");
    check_refused("SwitchName=a Nodes=b\nblocksizes=4", 2, 1, "reads only the tree form");
    check_refused("Include /etc/slurm/more.conf", 1, 1, "reads one file");
    check_refused("SwitchName=a Nodes=n1, n2", 1, 23, "expected a name here");
    check_refused("SwitchName=a Nodes=n1 n2", 1, 23, "'n2': no such keyword");
    check_refused("SwitchName=a Nodes=n1 =n2", 1, 23, "expected a keyword");
    check_refused("SwitchName=a Nodes n1", 1, 20, "Nodes: expected = here");
    check_refused("SwitchName=a Nodes=b Nodes=c", 1, 22, "Nodes= twice in a line");
    check_refused("SwitchName=a Nodes=b SwitchName=c", 1, 22, "SwitchName= twice in a line");
    check_refused("SwitchName=a Nodes=b LinkSpeed=1 linkspeed=2", 1, 34, "LinkSpeed= twice");
    check_refused("SwitchName=a Nodes=b LinkSpeed= # fast", 1, 33, "LinkSpeed=: expected a value");
    check_refused("SwitchName= # none", 1, 13, "expected a name");
    check_refused("SwitchName=a Nodes=", 1, 20, "expected a name");
    check_refused("SwitchName=a Nodes=x,,y", 1, 22, "expected a name");
    check_refused("SwitchName=a Nodes=\\\nx,\\\n ,y", 3, 1, "expected a name");
    check_refused("SwitchName=a[0-1] Nodes=b", 1, 12, "expected one name, without brackets");
    check_refused("SwitchName=a,b Nodes=c", 1, 12, "expected one name, without brackets");
    check_refused("SwitchName=a Nodes=\"b\"", 1, 20, "expected a name");
    check_refused("SwitchName=a Nodes=b\"", 1, 21, "\" cannot stand in a name");
    check_refused("SwitchName=a\\b Nodes=b", 1, 13, "\\ cannot stand in a name");
    check_refused("SwitchName=b Nodes=c\nSwitchName=a\n", 2, 12, "switch 'a': nothing is below it");
    check_refused("", 0, 0, "no switch; expected lines SwitchName=");
    check_refused("# nothing\n\n", 0, 0, "no switch; expected lines SwitchName=");
}

static void brackets_that_are_none_are_refused(void **state)
{
    (void) state;
    check_refused("SwitchName=a Nodes=n[0-3", 1, 21, "this [ has no ]");
    check_refused("SwitchName=a Nodes=n[0-3 LinkSpeed=1", 1, 21, "this [ has no ]");
    check_refused("SwitchName=a Nodes=n0-3]", 1, 24, "this ] has no [");
    check_refused("SwitchName=a Nodes=n[]", 1, 22, "expected a number here");
    check_refused("SwitchName=a Nodes=n[0-]", 1, 24, "expected a number here");
    check_refused("SwitchName=a Nodes=n[-3]", 1, 22, "expected a number here");
    check_refused("SwitchName=a Nodes=n[0,]", 1, 24, "expected a number here");
    check_refused("SwitchName=a Nodes=n[a-b]", 1, 22, "expected a number here");
    check_refused("SwitchName=a Nodes=n[0x3]", 1, 23, "expected , or - or ] here");
    check_refused("SwitchName=a Nodes=n[0-1-2]", 1, 25, "expected , or - or ] here");
    check_refused("SwitchName=a Nodes=n[5-3]", 1, 22, "the range 5-3 falls");
    check_refused("SwitchName=a Nodes=n[10-09]", 1, 22, "the range 10-09 falls");
    check_refused("SwitchName=a Nodes=n[0-1234567890123456789]", 1, 24, "more than 18 digits");
    check_refused("SwitchName=a Nodes=n[0-1048576]", 1, 22, "more than 1048576 names");
    check_refused("SwitchName=a Nodes=n[0-999999999999999999]", 1, 22, "more than 1048576 names");
    check_refused("SwitchName=a Nodes=n[0-1048575,1]", 1, 32, "more than 1048576 names");
    check_refused("SwitchName=a Nodes=b,n[0-9999][0-9999]", 1, 22, "more than 1048576 names");
    check_refused("SwitchName=a Nodes=n[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]", 1, 69,
                  "more than 16 brackets");
}

static void names_stand_for_one_thing(void **state)
{
    (void) state;
    check_refused("SwitchName=a Nodes=x\nSwitchName=b Nodes=y\n SwitchName=a Nodes=z", 3, 13,
                  "switch 'a': described before, in line 1");
    check_refused("SwitchName=a Nodes=x\nSwitchName=b Nodes=y,x", 2, 22,
                  "node 'x': named before, in line 1, on switch 'a'");
    check_refused("SwitchName=a Nodes=n[0-9],n[08-9],n8", 1, 35,
                  "node 'n8': named before, in line 1");
    check_refused("SwitchName=a Nodes=x Switches=c", 1, 31, "switch 'c': no line describes it");
    check_refused("SwitchName=a Nodes=x\nSwitchName=b Switches=a\n\nSwitchName=c Switches=a", 4, 23,
                  "switch 'a': below switch 'b' already, by line 2");
    check_refused("SwitchName=a Nodes=x\nSwitchName=b Switches=a,a", 2, 25,
                  "switch 'a': below switch 'b' already, by line 2");
    /* nodes and switches may have the same names */
    check_reads("SwitchName=a Nodes=a", " a( a)");
}

static void circles_are_refused(void **state)
{
    (void) state;
    check_refused("SwitchName=a Switches=a", 1, 23,
                  "switch 'a': below itself, by way of switch 'a'");
    check_refused("SwitchName=a Switches=b\nSwitchName=b Switches=a", 2, 23,
                  "switch 'a': below itself, by way of switch 'b'");
    check_refused("SwitchName=r Nodes=x\nSwitchName=d Nodes=y\nSwitchName=a Switches=b,d\n"
                  "SwitchName=b Switches=c\nSwitchName=c Switches=a\n",
                  5, 23, "switch 'a': below itself, by way of switch 'c'");
}

/* Switches under one another, and one node. */
static char *chain(int depth)
{
    char *text = calloc((size_t) depth, 64);
    size_t at = 0;

    assert_non_null(text);
    for (int s = 0; s < depth - 1; s++) {
        at += (size_t) snprintf(text + at, 64, "SwitchName=s%d Switches=s%d\n", s, s + 1);
    }
    (void) snprintf(text + at, 64, "SwitchName=s%d Nodes=x\n", depth - 1);
    return text;
}

static void trees_too_deep_are_refused(void **state)
{
    char *text = chain(NAPCOLL_MOST_SWITCH_DEPTH);
    char *two = calloc(1, strlen(text) + 64);

    (void) state;
    napcoll_switch_tree_free(parse(text, strlen(text)));
    assert_non_null(two);
    (void) snprintf(two, strlen(text) + 64, "%sSwitchName=t Nodes=y", text);
    /* The unnamed root counts */
    check_refused(two, 15, 25, "switch 's15': the tree is too deep");
    free(text);
    free(two);
    text = chain(200000);
    check_refused(text, 16, 25, "switch 's16': the tree is too deep here; expected at most 16");
    free(text);
}

/* All errors that quote a name show a part of a long one, and none of them is cut. */
static void errors_quote_the_beginning_of_long_names(void **state)
{
    char name[300] = "", text[1024];

    (void) state;
    memset(name, 'x', 255);
    (void) snprintf(text, sizeof(text), "SwitchName=%s", name);
    check_refused(text, 1, 12,
                  "switch 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                  "...': nothing");
    (void) snprintf(text, sizeof(text), "SwitchName=%s Nodes=%s,%s", name, name, name);
    check_refused(text, 1, 530, "...': named before");
    (void) snprintf(text, sizeof(text), "SwitchName=%s Switches=%s,%s", name, name, name);
    check_refused(text, 1, 533, "...' already, by line 1");
    (void) snprintf(text, sizeof(text), "SwitchName=a Switches=%s", name);
    check_refused(text, 1, 23, "...': no line describes it; add a line SwitchName=xx");
    (void) snprintf(text, sizeof(text), "%s=a", name);
    check_refused(text, 1, 1, "...': no such keyword");
    name[255] = 'x';
    (void) snprintf(text, sizeof(text), "SwitchName=%s", name);
    check_refused(text, 1, 12, "a name of more than 255 bytes");
    name[254] = '\0';
    (void) snprintf(text, sizeof(text), "SwitchName=a Nodes=b,%s[10]", name);
    check_refused(text, 1, 22, "a name of more than 255 bytes");
}

static void binary_junk_is_named_and_not_echoed(void **state)
{
    char junk[64];

    (void) state;
    for (int c = 1; c < 256; c++) {
        const bool is_blank = '\t' == c || '\n' == c || '\r' == c || ' ' == c;

        if (is_blank || (c > ' ' && c < 0x7f)) {
            continue;
        }
        (void) snprintf(junk, sizeof(junk), "SwitchName=a\nSwitchName=%c Nodes=b", c);
        check_refused(junk, 2, 12, "is no printable character");
    }
    (void) memcpy(junk, "SwitchName=a Nodes=b # \0", 24);
    check_refused_bytes(junk, 24, 1, 24, "byte 0x00 is no printable character");
    check_refused_bytes("\x7f"
                        "ELF\2\1",
                        6, 1, 1, "byte 0x7f");
}

static void ten_megabyte_line_is_refused(void **state)
{
    const size_t length = 10 << 20;
    char *text = malloc(length);

    (void) state;
    assert_non_null(text);
    memset(text, 'x', length);
    memcpy(text, "#\n", 2);
    check_refused_bytes(text, length, 2, NAPCOLL_MOST_SWITCH_LINE + 1,
                        "a line of more than 1048576 bytes");
    free(text);
}

static void files_too_long_are_refused(void **state)
{
    const size_t length = NAPCOLL_MOST_SWITCH_BYTES + 1;
    napcoll_switch_error_t error = {.line = -1};
    napcoll_switch_tree_t *tree;
    char *text = malloc(length);
    FILE *file = tmpfile();

    (void) state;
    assert_non_null(text);
    assert_non_null(file);
    memset(text, '\n', length);
    check_refused_bytes(text, length, 0, 0, "more than 16777216 bytes");
    check_refused_bytes(text, length - 1, 0, 0, "no switch");
    assert_int_equal(fwrite(text, 1, length, file), length);
    rewind(file);
    assert_int_equal(napcoll_switch_tree_read(file, &tree, &error), -1);
    assert_non_null(strstr(error.text, "more than 16777216 bytes"));
    assert_int_equal(fclose(file), 0);
    free(text);
}

/* A million nodes take moments: nothing here grows with the square of their number. */
static void a_million_nodes_are_read_and_no_more(void **state)
{
    const char *text = "SwitchName=a Nodes=n[0-524287]\nSwitchName=b Nodes=n[524288-1048575]";
    napcoll_switch_tree_t *tree = parse(text, strlen(text));

    (void) state;
    assert_int_equal(tree->nodes, NAPCOLL_MOST_SWITCH_NODES);
    assert_int_equal(napcoll_switch_tree_find(tree, "n524289"), 524289);
    assert_int_equal(napcoll_switch_tree_meet(tree, 0, 524288), 0);
    napcoll_switch_tree_free(tree);
    check_refused("SwitchName=a Nodes=n[0-524287]\nSwitchName=b Nodes=n[524288-1048575],x", 2, 38,
                  "too many names: expected at most 1048576 nodes");
    check_refused("SwitchName=a Nodes=a-long-name-of-a-node-[0-524287]", 1, 20,
                  "too many names: expected at most 1048576 nodes");
}

/* Print, parse, and compare. */
static void check_reads_back(const char *text)
{
    napcoll_switch_tree_t *tree = parse(text, strlen(text)), *again;
    char *written = napcoll_switch_tree_text(tree);

    check_tree(tree);
    assert_non_null(written);
    again = parse(written, strlen(written));
    assert_int_equal(again->switches, tree->switches);
    assert_int_equal(again->nodes, tree->nodes);
    for (int s = 0; s < tree->switches; s++) {
        const napcoll_switch_t *a = &tree->at[s], *b = &again->at[s];

        assert_string_equal(a->name, b->name);
        assert_true(a->parent == b->parent && a->depth == b->depth && a->first == b->first
                    && a->nodes == b->nodes && a->end == b->end);
    }
    for (int i = 0; i < tree->nodes; i++) {
        assert_string_equal(tree->node[i], again->node[i]);
        assert_int_equal(tree->switch_of[i], again->switch_of[i]);
        assert_int_equal(tree->by_name[i], again->by_name[i]);
    }
    napcoll_switch_tree_free(tree);
    napcoll_switch_tree_free(again);
    free(written);
}

static void text_reads_back_the_same(void **state)
{
    const char *small = "SwitchName=t Switches=b,a Nodes=d\nSwitchName=a Nodes=n[01-2]\n"
                        "SwitchName=b Nodes=c LinkSpeed=1";
    napcoll_switch_tree_t *tree = parse(small, strlen(small));
    char *text = napcoll_switch_tree_text(tree);

    (void) state;
    assert_string_equal(text, "SwitchName=t Nodes=d Switches=b,a\nSwitchName=b Nodes=c\n"
                              "SwitchName=a Nodes=n01,n02\n");
    free(text);
    napcoll_switch_tree_free(tree);
    check_reads_back(seed);
    /* No name above them */
    check_reads_back("SwitchName=b Nodes=y\nSwitchName=a Nodes=x");
    /* Lines that are joined */
    check_reads_back("SwitchName=b Nodes=n[0-199999]");
    check_reads_back("SwitchName=b Nodes=n[0-999999] Switches=a\nSwitchName=a Nodes=x");
}

/* Many switches, too: a line each, and one that lists them all. */
static void many_switches_read_back_the_same(void **state)
{
    enum { MANY = 50000 };
    char *text = malloc(MANY * 48);
    size_t at;

    (void) state;
    assert_non_null(text);
    at = (size_t) sprintf(text, "SwitchName=top Switches=s[0-%d]\n", MANY - 1);
    for (int s = MANY - 1; s >= 0; s--) {
        at += (size_t) sprintf(text + at, "SwitchName=s%d Nodes=n%d\n", s, s);
    }
    check_reads_back(text);
    free(text);
}

static void a_file_is_read_from_where_it_stands(void **state)
{
    napcoll_switch_error_t error = {.line = -1};
    napcoll_switch_tree_t *tree = NULL;
    FILE *file = tmpfile();

    (void) state;
    assert_non_null(file);
    assert_true(fputs("SwitchName=a Nodes=x,y\n", file) >= 0);
    rewind(file);
    assert_int_equal(napcoll_switch_tree_read(file, &tree, &error), 0);
    assert_int_equal(tree->nodes, 2);
    napcoll_switch_tree_free(tree);
    assert_int_equal(fclose(file), 0);

    file = fopen("/", "r");
    assert_non_null(file);
    assert_int_equal(napcoll_switch_tree_read(file, &tree, &error), -1);
    assert_null(tree);
    assert_int_equal(error.line, 0);
    assert_string_equal(error.text, "cannot be read");
    assert_int_equal(fclose(file), 0);
    napcoll_switch_tree_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_first_order_of_the_seed),
        cmocka_unit_test(children_stand_in_the_order_of_their_list),
        cmocka_unit_test(several_roots_get_one_above_them),
        cmocka_unit_test(ranges_keep_their_zeros_and_the_last_counts_fastest),
        cmocka_unit_test(keywords_in_any_case_comments_joints_and_crlf),
        cmocka_unit_test(find_takes_names_with_a_domain),
        cmocka_unit_test(nodes_meet_at_the_lowest_switch_above_both),
        cmocka_unit_test(errors_name_line_and_column),
        cmocka_unit_test(brackets_that_are_none_are_refused),
        cmocka_unit_test(names_stand_for_one_thing),
        cmocka_unit_test(circles_are_refused),
        cmocka_unit_test(trees_too_deep_are_refused),
        cmocka_unit_test(errors_quote_the_beginning_of_long_names),
        cmocka_unit_test(binary_junk_is_named_and_not_echoed),
        cmocka_unit_test(ten_megabyte_line_is_refused),
        cmocka_unit_test(files_too_long_are_refused),
        cmocka_unit_test(a_million_nodes_are_read_and_no_more),
        cmocka_unit_test(text_reads_back_the_same),
        cmocka_unit_test(many_switches_read_back_the_same),
        cmocka_unit_test(a_file_is_read_from_where_it_stands),
    };
    return cmocka_run_group_tests_name("switch trees", tests, NULL, NULL);
}
