/* SPDX-License-Identifier: MIT */
/*
 * The status for Prometheus: its text exposition format, version 0.0.4. Pure: a document in, text
 * to a stream out. What a document lacks, or has as null, has no sample.
 */
#ifndef SRC_CTL_METRICS_H
#define SRC_CTL_METRICS_H

#include <jansson.h>
#include <stdio.h>

void metrics_text(const json_t *status, FILE *);

#endif
