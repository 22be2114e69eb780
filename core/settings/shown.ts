/** Settings as operators may see them: no secret leaves the service. */
import { isDeepStrictEqual } from 'node:util'
import { settingsList } from './list.js'
import type { Settings } from './settings.js'

/** One setting. */
export interface ShownSetting {
  readonly key: string
  readonly description: string
  /** Absent if it is a secret. */
  readonly value?: unknown
  readonly isSecret: boolean
  /** Whether it is the default; of a secret, whether there is none. */
  readonly isStandard: boolean
}

/** Returns all settings, in the order of the reference. */
export function shownSettings(settings: Settings): ShownSetting[] {
  return settingsList.map(({ description, isSecret, key, path, standard }) => {
    const value = path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], settings)
    const shown = { key, description, isSecret, isStandard: isDeepStrictEqual(value, standard) }
    return isSecret ? shown : { ...shown, value: withoutCredentials(value) }
  })
}

/** A URL without the name and password that may stand before its host; any other value as it is. */
function withoutCredentials(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^(https?:\/\/)[^/?#\\]*@/i, '$1…@') : value
}
