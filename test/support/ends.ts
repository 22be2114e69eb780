/** Teardown of what the files of a process share, once all of them have run. */

/** Teardown functions; absent in a process of one file, which cleans up after itself. */
export const ends: { all?: (() => Promise<void>)[] } = {}
