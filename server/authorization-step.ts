/**
 * Loads the operator's authorization step, if one is configured.
 * (docs/spec/authentication.md#custom-authorisation-step)
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SettingsError } from '../core/settings/load.js'
import type { AuthorizationStep } from '../core/call/authorization-step.js'

/**
 * Returns the default export of the module at `path`; `undefined` for an empty path. Rejects with a `SettingsError`
 * if it cannot be loaded or is not a function.
 */
export async function loadAuthorizationStep(path: string): Promise<AuthorizationStep | undefined> {
  if (path === '') return undefined
  let loaded: { readonly default?: unknown }
  try {
    loaded = (await import(pathToFileURL(resolve(path)).href)) as typeof loaded
  } catch (cause) {
    throw refused(`cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  if (typeof loaded.default !== 'function') throw refused('must have a function as its default export')
  return loaded.default as AuthorizationStep

  function refused(problem: string): SettingsError {
    return new SettingsError([`auth.authorizationStep: the module ${JSON.stringify(path)} ${problem}`])
  }
}
