/** Loads the test library, with or without its tracing of errors that nobody catches. */
import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

type Library = (typeof import('tap'))['default']

/** Loads the library as it is: it knows which test an error came from. */
export async function loadTracing(): Promise<Library> {
  return (await import('tap')).default
}

/**
 * Loads the library so that it is not told of every promise and callback of the process, which takes a fifth of the CPU. An
 * error that nobody catches then ends the process rather than failing the test that it came from: its file fails nevertheless,
 * and is run again with the tracing.
 */
export async function loadWithoutTracing(): Promise<Library> {
  const { createHook } = hooks
  // The library makes its only hook while it loads.
  hooks.createHook = () => createHook({})
  syncBuiltinESMExports()
  try {
    return await loadTracing()
  } finally {
    hooks.createHook = createHook
    syncBuiltinESMExports()
  }
}
