import multiprocessing

multiprocessing.Pool(2)
#: in wasm
#: ends exception PermissionError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     multiprocessing.Pool(2)
# |     ~~~~~~~~~~~~~~~~~~~~^^^
# | PermissionError: a job has no worker processes; use a plain loop
#: in native
#: ends exception PermissionError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     multiprocessing.Pool(2)
# |     ~~~~~~~~~~~~~~~~~~~~^^^
# |   File "<lib>/multiprocessing/context.py", line 119, in Pool
# |     return Pool(processes, initializer, initargs, maxtasksperchild,
# |                 context=self.get_context())
# |   File "<lib>/multiprocessing/pool.py", line 191, in __init__
# |     self._setup_queues()
# |     ~~~~~~~~~~~~~~~~~~^^
# |   File "<lib>/multiprocessing/pool.py", line 346, in _setup_queues
# |     self._inqueue = self._ctx.SimpleQueue()
# |                     ~~~~~~~~~~~~~~~~~~~~~^^
# |   File "<lib>/multiprocessing/context.py", line 113, in SimpleQueue
# |     return SimpleQueue(ctx=self.get_context())
# |   File "<lib>/multiprocessing/queues.py", line 361, in __init__
# |     self._rlock = ctx.Lock()
# |                   ~~~~~~~~^^
# |   File "<lib>/multiprocessing/context.py", line 68, in Lock
# |     return Lock(ctx=self.get_context())
# |   File "<lib>/multiprocessing/synchronize.py", line 169, in __init__
# |     SemLock.__init__(self, SEMAPHORE, 1, 1, ctx=ctx)
# |     ~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |   File "<lib>/multiprocessing/synchronize.py", line 57, in __init__
# |     sl = self._semlock = _multiprocessing.SemLock(
# |                          ~~~~~~~~~~~~~~~~~~~~~~~~^
# |         kind, value, maxvalue, self._make_name(),
# |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |         unlink_now)
# |         ^^^^^^^^^^^
# | PermissionError: [Errno 13] Permission denied
# | [note: a job has no worker processes: use a plain loop, or threads]
# --- call
from concurrent.futures import ProcessPoolExecutor

ProcessPoolExecutor()
#: in wasm
#: ends exception PermissionError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     ProcessPoolExecutor()
# |     ~~~~~~~~~~~~~~~~~~~^^
# | PermissionError: a job has no worker processes; use a plain loop
#: in native
#: ends exception PermissionError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     ProcessPoolExecutor()
# |     ~~~~~~~~~~~~~~~~~~~^^
# |   File "<lib>/concurrent/futures/process.py", line 728, in __init__
# |     self._call_queue = _SafeQueue(
# |                        ~~~~~~~~~~^
# |         max_size=queue_size, ctx=self._mp_context,
# |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |         pending_work_items=self._pending_work_items,
# |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |         thread_wakeup=self._executor_manager_thread_wakeup)
# |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |   File "<lib>/concurrent/futures/process.py", line 177, in __init__
# |     super().__init__(max_size, ctx=ctx)
# |     ~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^
# |   File "<lib>/multiprocessing/queues.py", line 41, in __init__
# |     self._rlock = ctx.Lock()
# |                   ~~~~~~~~^^
# |   File "<lib>/multiprocessing/context.py", line 68, in Lock
# |     return Lock(ctx=self.get_context())
# |   File "<lib>/multiprocessing/synchronize.py", line 169, in __init__
# |     SemLock.__init__(self, SEMAPHORE, 1, 1, ctx=ctx)
# |     ~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |   File "<lib>/multiprocessing/synchronize.py", line 57, in __init__
# |     sl = self._semlock = _multiprocessing.SemLock(
# |                          ~~~~~~~~~~~~~~~~~~~~~~~~^
# |         kind, value, maxvalue, self._make_name(),
# |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# |         unlink_now)
# |         ^^^^^^^^^^^
# | PermissionError: [Errno 13] Permission denied
# | [note: a job has no worker processes: use a plain loop, or threads]
