/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Lines of CSV files.
 */

#ifndef NAPCOLL_CSV_H
#define NAPCOLL_CSV_H

/**
 * Split a line into its fields, in place; quotes are as in any CSV file. The end of the line is
 * removed.
 *
 * @param[in,out] line
 * @param[out]    field [most] the fields, without quotes
 * @param[out]    start [most] where they begin in the line, from 1; NULL: not wanted
 *
 * @return their number; most + 1: there are more, which are not split
 */
int napcoll_csv_split(char *line, char **field, int *start, int most);

#endif /* NAPCOLL_CSV_H */
