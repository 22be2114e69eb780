/** Loads additional methods from modules. */
import type { AnyMethod } from '../core/call/method.js'

/** Loads additional methods: the `methods` that modules export. */
export async function loadMethods(modules: readonly string[]): Promise<AnyMethod[]> {
  const loaded = await Promise.all(modules.map(async url => (await import(url)) as { methods: AnyMethod[] }))
  return loaded.flatMap(module => module.methods)
}
