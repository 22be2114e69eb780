/** Loads the test library, with or without tracing uncaught errors. */
import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import { Assertions } from '@tapjs/asserts'

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
  compareQuickly()
  try {
    return await loadTracing()
  } finally {
    hooks.createHook = createHook
    syncBuiltinESMExports()
  }
}

/** Makes `t.same` format values only if they may differ: the library formats both while it compares them. */
function compareQuickly(): void {
  const { prototype } = Assertions
  const { same } = prototype
  prototype.same = function (found, wanted, ...rest) {
    const isEqual = isDeepStrictEqual(found, wanted)
    return same.call(this, isEqual || found, isEqual || wanted, ...rest)
  }
}
