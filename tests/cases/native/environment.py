#: runtime native
import os

for name in sorted(os.environ):
    print(name)
print(os.path.isdir(os.environ["HOME"]), os.access(os.environ["HOME"], os.W_OK))
# | HOME
# | JOBLIB_MULTIPROCESSING
# | LANG
# | LOGNAME
# | MKL_NUM_THREADS
# | MPLBACKEND
# | MPLCONFIGDIR
# | NUMEXPR_NUM_THREADS
# | OMP_NUM_THREADS
# | OPENBLAS_NUM_THREADS
# | PATH
# | POLARS_SKIP_CPU_CHECK
# | PWD
# | TERM
# | TMPDIR
# | USER
# | True True
