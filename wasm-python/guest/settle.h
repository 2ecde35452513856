/* Arranges the heap of the snapshot so that jobs write to few of its pages: the host copies each
 * page that is written to. */
#ifndef SANDBOX_SETTLE_H
#define SANDBOX_SETTLE_H

/* Called last, when nothing but the loaded modules is alive. 0, or -1 if there is no memory. */
int settle_heap(void);

#endif
