/** Loads the operator's own authorisation step. (service.md, Authentication 3) */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AuthorizationStep } from '../core/authenticate.js'

/** The default export of the module at `path`; nothing for an empty path. Rejects when it is no function. */
export async function loadAuthorizationStep(path: string): Promise<AuthorizationStep | undefined> {
  if (path === '') return undefined
  const loaded = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown }
  if (typeof loaded.default !== 'function')
    throw new Error(`auth.authorizationStep: ${path} has no default export that is a function`)
  return loaded.default as AuthorizationStep
}
