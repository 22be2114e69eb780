#!/usr/bin/env node
/** The command `coffer`. It is CommonJS because the size of the thread pool has to be set before any module uses it. */

// Syncs and hashing share the pool: with the usual four threads a few sign-ins would hold up every write.
process.env['UV_THREADPOOL_SIZE'] ??= '16'

// Whatever is written is for its owner alone, also in a folder that others may look into.
process.umask(0o077)

import('./cli.js').then(
  ({ main }) => main(process.argv),
  (error: unknown) => {
    console.error(error)
    process.exitCode = 1
  }
)
