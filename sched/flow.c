/* SPDX-License-Identifier: MIT */
#include "sched/flow.h"

void flow_push(struct flow *f, struct packet *p)
{
	p->next = NULL;
	*(f->first ? &f->last->next : &f->first) = p;
	f->last = p;
	f->bytes += p->length;
}

struct packet *flow_pop(struct flow *f)
{
	struct packet *p = f->first;

	f->first = p->next;
	p->next = NULL;
	f->bytes -= p->length;
	return p;
}

void flow_list_put_first(struct flow_list *list, struct flow *f)
{
	f->prev = NULL;
	f->next = list->first;
	*(f->next ? &f->next->prev : &list->last) = f;
	list->first = f;
	list->length++;
}

void flow_list_put_last(struct flow_list *list, struct flow *f)
{
	f->next = NULL;
	f->prev = list->last;
	*(f->prev ? &f->prev->next : &list->first) = f;
	list->last = f;
	list->length++;
}

void flow_list_remove(struct flow_list *list, struct flow *f)
{
	*(f->prev ? &f->prev->next : &list->first) = f->next;
	*(f->next ? &f->next->prev : &list->last) = f->prev;
	list->length--;
}
