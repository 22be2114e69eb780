/** Settings as operators may see them: no secret leaves the service. */
import { isDeepStrictEqual } from 'node:util'
import { parseUrl } from '../parse-url.js'
import { settingsList } from './list.js'
import { maskSecrets } from './values.js'
import type { Settings } from './settings.js'

/** One setting. */
export interface PublicSetting {
  readonly key: string
  readonly description: string
  /** The value of the setting; absent if it is a secret. */
  readonly value?: unknown
  readonly isSecret: boolean
  /** Whether the value is the default; for a secret, whether no secret is set. */
  readonly isStandard: boolean
}

/** Returns all settings, in the order of the reference, without secrets and credentials. */
export function listPublicSettings(settings: Settings): PublicSetting[] {
  return settingsList.map(({ description, isSecret, key, path, schema, showsHostOnly, defaultValue }) => {
    const value = path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], settings)
    const shown = { key, description, isSecret, isStandard: isDeepStrictEqual(value, defaultValue) }
    return isSecret ? shown : { ...shown, value: maskCredentials(maskSecrets(schema, value), showsHostOnly) }
  })
}

/** Masks the credentials in a value that is a URL or a list of URLs. */
function maskCredentials(value: unknown, isHostOnly: boolean): unknown {
  const shown = maskUrl(value, isHostOnly)
  // Several URLs may be separated by commas, with any protocol.
  return typeof shown === 'string'
    ? shown.replace(/((?:^|,)\s*[a-z][\w+.-]*:\/\/)[^/?#\s]*@/gi, '$1…@')
    : shown
}

/**
 * Masks the user name and password of a URL and, with `isHostOnly`, what follows the host; returns other values
 * unchanged.
 */
function maskUrl(value: unknown, isHostOnly: boolean): unknown {
  const url = typeof value === 'string' ? parseUrl(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return value
  const { hash, host, password, pathname, protocol, search, username } = url
  const rest = `${pathname}${search}${hash}`
  const isHidden = isHostOnly && rest !== '/'
  if (!isHidden && username === '' && password === '') return value
  const mask = username === '' && password === '' ? '' : '…@'
  return `${protocol}//${mask}${host}${isHidden ? '/…' : rest.replace(/^\/$/, '')}`
}
