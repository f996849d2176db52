#!/usr/bin/env python3
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks what clang-format cannot: how large files and functions are, and which words the texts use.

    .ci/style.py [PATH...]      files or folders; default: all that belongs to the project

One line per finding, "FILE:LINE: what"; the exit status is 1 when there is one. The sizes are those
of C sources, the words those of every text: code, comments, messages, docs, man pages, scripts.
"""
import os
import re
import sys

FILE_LINES = 600
FUNCTION_LINES = 60
COLUMNS = 100

DEFAULT_PATHS = (".ci", "README.md", "configure.ac", "config", "docs", "examples", "ompi", "tests")
TEXT_ENDINGS = (".c", ".h", ".md", ".sh", ".py", ".pl", ".am", ".ac", ".m4", ".in", ".txt", ".conf",
                ".1", ".5", ".7", ".supp")
# What the autotools write, and this list of words.
SKIPPED_NAMES = ("Makefile.in", "aclocal.m4", "libtool.m4", "ltmain.sh", "style.py")
SKIPPED_FOLDERS = (".git", "build", "autom4te.cache")

# Words that this project does not use, and what it says instead. A word between underscores is a
# part of a name; what is fine in a sentence ("previous value", "walk through") is not listed.
WORDS = [
    (r"reckon\w*", "estimate, compute"),
    (r"weigh(s|ed|ing)?", "compare, evaluate"),
    (r"whoever", "name the actor"),
    (r"so many", "'this many', or the number"),
    (r"(nothing|none|all|everything|empty|equal|alike) but for", "except for"),
    (r"but for (the|its|his|a|an|one|that|those|what|this|these|[0-9A-Z]\w*)", "except for"),
    (r"(that|those) of", "name the thing again, or use the genitive"),
    (r"had better", "should"),
    (r"has it done", "plain word order"),
    (r"what is there", "name the thing"),
    (r"part(y|ies)", "group"),
    (r"parcels?", "personalized blocks"),
    (r"(napcoll|plan|algo|block)_pairs", "personalized blocks"),
    (r"shel(f|ves)", "plan cache"),
    (r"tall(y|ies)", "statistics"),
    (r"(?<!place)holders?", "saved function, owner"),
    (r"companions?", "required components"),
    (r"crowd(s|ed|ing)?", "oversubscribed"),
    (r"recall(s|ed|ing)?", "decision cache, look up"),
    (r"walks?_\w+|\w+_walks?|(the|a|this|that|one|first|whole) walks?", "depth-first order, traversal"),
    (r"napcoll_(\w*_)?(along|near)(_\w+)?|(first|place|bcast|reduce)_(along|near)",
     "network_order, local_order"),
    (r"(un)?fold(s|ed|ing)?(?!_ns)", "reduce, reduction"),
    (r"(is|are|was|were|be|been|calls?|it|one|all|rest) left to", "falls back to, is done by"),
    (r"(go|goes|went|going) back to (the )?(fallback|tuned|basic|component|what)", "falls back to"),
    (r"(the|a|one|any|its) previous (components?|functions?|modules?|ones|algorithms?)",
     "fallback"),
    (r"the previous('s|,| (has|is|does|did|would|could|can|may|takes|took))", "the fallback"),
    (r"(napcoll|coll|fallback|call)_previous\w*|previous_(component|function|module|call)s?",
     "fallback"),
    (r"(algorithm|expect) previous|previous:", "fallback"),
    (r"napcoll_(cast|rooted|schedule|reserve|watch|hold|frame)(_\w+|\.[ch])?",
     "bcast_tree, route, buffer_pool, stats, block_range: one word has one meaning"),
]
WORD = re.compile(r"(?<![A-Za-z0-9])(?:%s)(?![A-Za-z0-9])" % "|".join(
    "(?P<w%d>%s)" % (i, re.sub(r"(?<!\\)\((?!\?)", "(?:", word)) for i, (word, _) in enumerate(WORDS)),
                  re.IGNORECASE)


def blank(match):
    """The same lines without what is in them."""
    return re.sub(r"[^\n]", " ", match.group(0))


def without_texts(source):
    """C source without comments, strings and characters; lines stay where they are."""
    source = re.sub(r"/\*.*?\*/", blank, source, flags=re.S)
    source = re.sub(r'"(\\.|[^"\\\n])*"', '""', source)
    return re.sub(r"'(\\.|[^'\\\n])+'", "''", source)


def conditionals(code):
    """The lines of expressions with two ?: or more; a comma between the two parts expressions."""
    depth = 0
    seen = []
    line = 1
    for char in code:
        if char == "\n":
            line += 1
        elif char in ";{}":
            depth = 0
            seen = []
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and seen and depth <= seen[0]:
            seen = []
        elif char == "?":
            if seen:
                yield line
            seen.append(depth)


def sizes(lines):
    """What of C is too long, with its line."""
    begin = None
    if len(lines) > FILE_LINES:
        yield 1, "%d lines, more than %d" % (len(lines), FILE_LINES)
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield number, "%d columns, more than %d" % (len(line), COLUMNS)
        if line == "{":
            begin = number
        elif line.startswith("}") and begin is not None:
            if number - begin - 1 > FUNCTION_LINES:
                yield begin, "a function of %d lines, more than %d" % (number - begin - 1, FUNCTION_LINES)
            begin = None
        if re.search(r";[ \t]+/\*", line):
            yield number, "a comment behind a declaration or statement; it goes above"


def words(lines):
    """The words that have a better one, with their lines."""
    for number, line in enumerate(lines, 1):
        for match in WORD.finditer(line):
            yield number, "'%s': say %s" % (match.group(0), WORDS[int(match.lastgroup[1:])][1])


def check(path):
    """The findings of one file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    lines = text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")
    if path.endswith((".c", ".h")):
        yield from sizes(lines)
        for number in conditionals(without_texts(text)):
            yield number, "two ?: in one expression"
    yield from words(lines)


def is_text(path):
    """Whether a file is one that people write: by its name, else by its first two bytes."""
    name = os.path.basename(path)
    if name in SKIPPED_NAMES:
        return False
    if name.endswith(TEXT_ENDINGS):
        return True
    if "." in name:
        return False
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def files(paths):
    """All files of the paths, in order."""
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
            yield from (os.path.join(folder, name) for name in sorted(names))


def main(arguments):
    """Checks the paths; returns the exit status."""
    if arguments[:1] in (["--help"], ["-h"]):
        print(__doc__.strip())
        return 0
    if not arguments:
        os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
        arguments = [path for path in DEFAULT_PATHS if os.path.exists(path)]
    found = 0
    for path in files(arguments):
        if is_text(path):
            for line, what in check(path):
                print("%s:%d: %s" % (path, line, what))
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
