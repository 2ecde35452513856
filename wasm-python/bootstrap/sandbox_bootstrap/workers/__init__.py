"""Both runtimes: `multiprocessing` and process pools without processes.

Work runs in threads of the native process, and in the guest one after the other. Arguments are
copied by pickle as between processes, so most programs see no difference. `running` says how work
is run, and a note tells the model.
"""
