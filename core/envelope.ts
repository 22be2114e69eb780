/** `meta`, which is part of every JSON response. (docs/spec/conventions.md#meta) */
import type { Config } from './settings/config.js'

/** The `meta` member as JSON text: `"meta":{…}`. `now` in seconds. */
export function metaMember(
  { apiVersion, serial }: Pick<Config, 'apiVersion' | 'serial'>,
  now: number
): string {
  return `"meta":{"apiVersion":"${apiVersion}","serverTime":${now},"serial":"${serial}"}`
}
