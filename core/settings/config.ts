/** The configuration: settings, and values derived from them. Read once at start, then frozen. */
import { createHash } from 'node:crypto'
import type { Settings } from './settings.js'

/** Settings with values derived from them. */
export interface Config extends Settings {
  /** Base URL under which clients reach the service, without a slash at the end. */
  readonly publicUrl: string
  /** The announced API version. */
  readonly apiVersion: string
  /** Changes when the software or settings that clients read change. (docs/spec/conventions.md#meta) */
  readonly serial: string
  /** The key of commands on this machine, see `deriveCommandKey`; empty unless the service runs. */
  readonly commandKey: string
}

const apiVersion = '1.6.21'

/**
 * Returns the configuration of validated settings. `port`: the actual port, where the setting asks for any free port.
 */
export function toConfig(settings: Settings, version: string, port = settings.port): Config {
  const publicUrl = (settings.publicUrl || getDefaultUrl(settings, port)).replace(/\/+$/, '')
  return Object.freeze({
    ...settings,
    port,
    publicUrl,
    apiVersion,
    commandKey: '',
    serial: computeSerial(version, { ...settings, publicUrl })
  })
}

/**
 * Returns the default URL. Each host below the domain serves one user or service; pages need the host that serves all
 * users by path.
 */
function getDefaultUrl({ domain, host }: Settings, port: number): string {
  return domain === '' ? buildLocalUrl(host, port) : `https://${domain}`
}

/** Like {@link buildLocalUrl}, with an address instead of `localhost`, which may not resolve in a container. */
export function buildLoopbackUrl(host: string, port: number): string {
  return buildLocalUrl(host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port)
}

/** Returns the URL at which a server listening on this address is reached from the same machine. */
export function buildLocalUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/**
 * Returns the serial, a change of which tells clients to read the service information again: six digits of the software's
 * version, then eight of a digest of the settings that they see.
 */
function computeSerial(version: string, { publicUrl, domain, service, accessIdHeader }: Settings): string {
  const numbers = version.split('.', 3).map(part => String(Number.parseInt(part, 10) || 0))
  const visible = JSON.stringify([publicUrl, domain, service, accessIdHeader, apiVersion])
  const digest = createHash('sha256').update(visible).digest().readUInt32BE(0) % 1e8
  return numbers.map(number => number.padStart(2, '0').slice(-2)).join('') + String(digest).padStart(8, '0')
}
