/* How the host interrupts a running job.
 *
 * A guest that is stopped at an epoch yield cannot be called, but its memory can be written. The
 * host sets the same three words that CPython's own C signal handler sets; the interpreter then
 * runs the Python handler of SIGUSR1 at the next bytecode boundary, or when a C function that was
 * interrupted (EINTR) asks for pending signals.
 */
#ifndef SANDBOX_INTERRUPT_H
#define SANDBOX_INTERRUPT_H

/* Called once, when Python is up. */
void interrupt_init(void);

/* Four little-endian u32: see interrupt.c. */
const void *interrupt_addresses(void);

#endif
