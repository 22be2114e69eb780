/** Settings that were changed on the service's own pages, as stored in the data directory. */
import { createRequire } from 'node:module'
import { isObject } from '../validation/is-object.js'

/** Settings as in a file: groups of names and values. */
export type PageSettings = Readonly<Record<string, unknown>>

/** The file in a data directory that stores the page settings. */
export const pageSettingsFile = 'settings.yaml'

/**
 * Returns the settings with further values, by key such as `service.name`; `undefined` removes a value. The
 * given ones stay as they are.
 */
export function mergePageSettings(chosen: PageSettings, values: ReadonlyMap<string, unknown>): PageSettings {
  const result = structuredClone(chosen) as Record<string, unknown>
  for (const [key, value] of values) {
    const names = key.split('.')
    let group = result
    for (const name of names.slice(0, -1)) {
      const inner = group[name]
      group = isObject(inner) ? inner : (group[name] = {})
    }
    if (value === undefined) delete group[names.at(-1)!]
    else group[names.at(-1)!] = value
  }
  return result
}

/** Formats the file. */
export function formatPageSettings(chosen: PageSettings): string {
  // The parser is loaded only here: its seventy modules take time and memory.
  const { stringify } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
  return `# Settings changed in Administration. A settings file, environment variables and flags take precedence.\n${stringify(chosen)}`
}
