/** The configuration: settings, and what follows from them. Read once at start, frozen. */
import { createHash } from 'node:crypto'
import type { Settings } from './settings.js'

/** Settings with what is derived from them. */
export interface Config extends Settings {
  /** Base URL under which clients reach the service, without a slash at the end. */
  readonly publicUrl: string
  /** Version of the API that is announced. */
  readonly apiVersion: string
  /** Changes when the software or settings that clients read change. (docs/spec/conventions.md#meta) */
  readonly serial: string
}

export const apiVersion = '1.6.21'

/** The configuration of checked settings. `port` is the one listened on, where any free one was asked for. */
export function toConfig(settings: Settings, version: string, port = settings.port): Config {
  const publicUrl = (settings.publicUrl || defaultUrl(settings, port)).replace(/\/+$/, '')
  return Object.freeze({
    ...settings,
    port,
    publicUrl,
    apiVersion,
    serial: serialOf(version, { ...settings, publicUrl })
  })
}

/** Hosts below the domain serve one user or service each; pages need one that serves all of them, by their paths. */
function defaultUrl({ domain, host }: Settings, port: number): string {
  return domain === '' ? urlOf(host, port) : `https://${domain}`
}

/** The URL at which a server that listens there is reached from the same machine. */
export function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Six digits of the software's version, then eight of a digest of what clients read of the settings. */
function serialOf(version: string, { publicUrl, domain, service, accessIdHeader }: Settings): string {
  const numbers = version.split('.', 3).map(part => String(Number.parseInt(part, 10) || 0))
  const visible = JSON.stringify([publicUrl, domain, service, accessIdHeader, apiVersion])
  const digest = createHash('sha256').update(visible).digest().readUInt32BE(0) % 1e8
  return numbers.map(number => number.padStart(2, '0').slice(-2)).join('') + String(digest).padStart(8, '0')
}
