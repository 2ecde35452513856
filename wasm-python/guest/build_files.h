/* Files of the build machine, without what is particular to that machine: the same inputs must give
 * the same snapshot anywhere. */
#ifndef SANDBOX_BUILD_FILES_H
#define SANDBOX_BUILD_FILES_H

/* Until this is called, files are numbered in the order in which they are met, all have the same
 * time, and directories are sorted by name. After it, everything is as the host says. */
void show_files_as_they_are(void);

#endif
