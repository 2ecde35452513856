/* Files of the build machine, without what is particular to that machine, so that the same inputs give the same snapshot anywhere. */
#ifndef SANDBOX_BUILD_FILES_H
#define SANDBOX_BUILD_FILES_H

/* Until this is called, files have numbers in the order in which they are met and one and the same time, and directories are
 * listed in the order of names. After it, everything is as the host says. */
void show_files_as_they_are(void);

#endif
