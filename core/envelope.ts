/** `meta`, which is part of every JSON response. (docs/spec/conventions.md#meta) */
import type { ApiError } from './errors.js'
import { joinMembers } from './json/json-text.js'
import type { Config } from './settings/config.js'

/** The response of a failed call as JSON text: `{"error":{…},"meta":{…}}`. `now` in seconds. (docs/spec/errors.md#error-object) */
export function toErrorEnvelope(
  config: Pick<Config, 'apiVersion' | 'serial'>,
  now: number,
  error: ApiError
): string {
  return `{${joinMembers({ error, ...error.details.beside })},${toMetaMember(config, now)}}`
}

/** The `meta` member as JSON text: `"meta":{…}`. `now` in seconds. */
export function toMetaMember(
  { apiVersion, serial }: Pick<Config, 'apiVersion' | 'serial'>,
  now: number
): string {
  return `"meta":{"apiVersion":"${apiVersion}","serverTime":${now},"serial":"${serial}"}`
}
