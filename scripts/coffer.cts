#!/usr/bin/env node
/** The command `coffer`. It is CommonJS, because the size of the thread pool must be set before any module uses it. */

// Syncs and password hashing share the thread pool: with the default of four threads, a few sign-ins would delay every write.
process.env['UV_THREADPOOL_SIZE'] ??= '16'

// Files are private to the service's user, even in a folder that others can access.
process.umask(0o077)

import('../server/tick-shape.js')
  .then(() => Promise.all([import('./cli.js'), import('./terminal/system-errors.js')]))
  .then(
    ([{ main }, { handleOutputErrors }]) => {
      handleOutputErrors()
      return main(process.argv)
    },
    (error: unknown) => {
      console.error(error)
      process.exitCode = 1
    }
  )
