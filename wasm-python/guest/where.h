/* Which Python line was running, for a job that was stopped from outside (fuel, memory,
 * deadline), so that its Python code cannot say it. The host may call this after the trap: it
 * only reads, and allocates nothing. */
#ifndef SANDBOX_WHERE_H
#define SANDBOX_WHERE_H

/* The innermost frames as Python prints them, innermost last, without the bootstrap's;
 * NUL-terminated UTF-8. */
const char *where(void);

/* Where the C stack is to begin for it. */
const void *where_stack(void);

#endif
