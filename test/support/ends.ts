/** What the files of a process share, and is ended once all of them have been run. */

/** How to end each; absent in a process of one file, which ends everything by itself. */
export const ends: { all?: (() => Promise<void>)[] } = {}
