/** Loads modules that extend the service: the operator's authorisation step, and additional methods. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SettingsError } from '../core/settings/load.js'
import type { AuthorizationStep } from '../core/call/authorization-step.js'
import type { AnyMethod } from '../core/call/method.js'

/**
 * Loads modules by their URLs, and returns the methods in their exports named `methods`. Rejects if one
 * cannot be loaded.
 */
export async function loadMethods(modules: readonly string[]): Promise<AnyMethod[]> {
  const loaded = await Promise.all(modules.map(async url => (await import(url)) as { methods: AnyMethod[] }))
  return loaded.flatMap(module => module.methods)
}

/**
 * Loads the operator's authorisation step: the default export of the module at `path`; `undefined` for an empty path. Rejects
 * with a `SettingsError` if it cannot be loaded or is not a function. (docs/spec/authentication.md#custom-authorisation-step)
 */
export async function loadAuthorizationStep(path: string): Promise<AuthorizationStep | undefined> {
  if (path === '') return undefined
  let loaded: { readonly default?: unknown }
  try {
    loaded = (await import(pathToFileURL(resolve(path)).href)) as typeof loaded
  } catch (cause) {
    throw createError(`cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  if (typeof loaded.default !== 'function') throw createError('must have a function as its default export')
  return loaded.default as AuthorizationStep

  function createError(problem: string): SettingsError {
    return new SettingsError([`auth.authorizationStep: the module ${JSON.stringify(path)} ${problem}`])
  }
}
