#define Py_BUILD_CORE 1
#include <Python.h>

#include <signal.h>
#include <stdint.h>

#include "internal/pycore_ceval.h"
#include "internal/pycore_pystate.h"
#include "internal/pycore_runtime.h"
#include "interrupt.h"

/* What the host writes, in this order: 1 to the first two, and the bit or-ed into the third. */
static struct {
    uint32_t handler_tripped; /* address of an int: SIGUSR1 came */
    uint32_t is_tripped;      /* address of an int: some signal came */
    uint32_t eval_breaker;    /* address of a uintptr_t of the only thread */
    uint32_t eval_breaker_bit;
} addresses;

static uint32_t address(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

void interrupt_init(void)
{
    addresses.handler_tripped = address(&_PyRuntime.signals.handlers[SIGUSR1].tripped);
    addresses.is_tripped = address(&_PyRuntime.signals.is_tripped);
    addresses.eval_breaker = address(&_PyThreadState_GET()->eval_breaker);
    addresses.eval_breaker_bit = _PY_SIGNALS_PENDING_BIT;
}

const void *interrupt_addresses(void)
{
    return &addresses;
}
