/** Loads the test library, with or without tracing uncaught errors. */
import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

type Library = (typeof import('tap'))['default']

/** Loads the library unchanged: it attributes errors to tests. */
export async function loadTracing(): Promise<Library> {
  return (await import('tap')).default
}

/**
 * Loads the library without its hook for all promises and callbacks of the process, which costs a fifth of the CPU. An
 * uncaught error then ends the process instead of failing the test that caused it: its file fails nevertheless, and is
 * run again with tracing.
 */
export async function loadWithoutTracing(): Promise<Library> {
  const { createHook } = hooks
  // The library creates its only hook while it loads.
  hooks.createHook = () => createHook({})
  syncBuiltinESMExports()
  try {
    return await loadTracing()
  } finally {
    hooks.createHook = createHook
    syncBuiltinESMExports()
  }
}
