/* Arranges the heap of the snapshot so that jobs write to few of its pages: the host copies every page that is written to. */
#ifndef SANDBOX_SETTLE_H
#define SANDBOX_SETTLE_H

/* Called last, when nothing but the loaded modules is alive. 0, or -1 if there is no memory. */
int settle_heap(void);

/* From here to settle_heap, new memory is zeroed: what a freed object held, an inode number of the build machine say, would stay in
 * the gaps of the next and make the snapshot a different one each time. After Py_PreInitialize. */
void begin_clean_heap(void);

#endif
