/** Connects to the servers of the engine. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import {
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  type Authenticator,
  type ConnectionOptions,
  type NatsConnection
} from '@nats-io/transport-node'
import { EngineUnavailable } from '../engine.js'
import { EngineUnfit } from './check.js'

export interface EngineOptions {
  /**
   * Addresses, as `nats://host:port`, or `tls://name:port` with the name or address in the server's certificate; a user
   * and a password may precede the host.
   */
  readonly servers: readonly string[]
  /** Path of a file with credentials: those that `nsc` creates, the seed of an NKey, or `user:password`. */
  readonly credentials?: string | undefined
  /** The name of this connection in the engine. */
  readonly name?: string | undefined
  /** Time limit for an answer, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

/** A connection, and the time limit for answers on it, in milliseconds. */
export interface Connected {
  readonly connection: NatsConnection
  readonly timeoutMs: number
}

/** Time between two pings, in milliseconds: a connection that was cut silently is closed after two of them. */
const pingMs = 1000
/** Time between two attempts to connect, in milliseconds. */
const reconnectMs = 100
/** Time limit for a server to accept a connection, in milliseconds. */
const connectTimeoutMs = 2000

/**
 * Connects to one of the servers; if the connection is lost, to another server. Rejects with `EngineUnavailable` if no
 * server can be reached, with `EngineUnfit` if the servers refuse the credentials or are not trusted, with another
 * error if the credentials cannot be read.
 */
export async function connectTo(options: EngineOptions): Promise<NatsConnection> {
  const addresses = options.servers.map(server => new URL(server))
  const wanted: ConnectionOptions = {
    servers: addresses.map(({ host }) => host),
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectMs,
    reconnectJitter: reconnectMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    timeout: connectTimeoutMs,
    // Servers may report addresses that are unreachable from here.
    ignoreClusterUpdates: true,
    // Creating an error for the stack of each request takes longer than the rest of the request.
    noAsyncTraces: true,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...toCredentials(options, addresses[0])
  }
  // Trusts the authorities of the process: NODE_EXTRA_CA_CERTS names a file with others.
  if (addresses.some(({ protocol }) => protocol === 'tls:'))
    wanted.tls = { checkServerIdentity: createIdentityCheck(addresses) } as object
  try {
    return await connect(wanted)
  } catch (error) {
    const problem = findSettingsProblem(error)
    throw problem === undefined ? toUnreachableError(addresses, error) : new EngineUnfit([problem])
  }
}

/**
 * Creates the check of a server's certificate. The client passes the host name, but not an address: then the
 * certificate has to contain one of the addresses in the settings.
 */
function createIdentityCheck(addresses: readonly URL[]): typeof checkServerIdentity {
  const hosts = addresses.map(({ hostname }) => hostname.replaceAll(/^\[|\]$/g, ''))
  const numbers = hosts.filter(host => isIP(host) > 0)
  return (host, certificate) => {
    const wanted = [...(hosts.includes(host) || numbers.length === 0 ? [host] : []), ...numbers]
    const problems = wanted.map(name => checkServerIdentity(name, certificate))
    return problems.includes(undefined) ? undefined : problems[0]
  }
}

/** Creates an error that names the servers, without credentials, and the last failure. */
function toUnreachableError(addresses: readonly URL[], cause: unknown): EngineUnavailable {
  const hosts = addresses.map(({ host }) => host).join(', ')
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new EngineUnavailable(
    cause,
    `None of the servers in cluster.engine (${hosts}) is reachable: ${reason}. Start them, or check their names and the network`
  )
}

/** Returns a problem with the settings that a retry cannot solve; `undefined` if there is none. */
function findSettingsProblem(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (/authorization violation/i.test(cause.message))
      return 'It refuses the connection. Check cluster.engineCredentials, and "authorization" in the configuration of its servers'
    if (code !== undefined && certificateErrors.test(code))
      return `Its certificate is not trusted (${code}). Check the server names in cluster.engine, and set NODE_EXTRA_CA_CERTS to trust its authority`
  }
  return undefined
}

/** The codes of Node's errors about certificates. */
const certificateErrors =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_\w+)$/

/** The status of a connection. */
export class LinkStatus {
  /** How often the connection was lost and re-established. */
  reconnects = 0
  isUp = true

  /** Tracks a connection until it is closed. */
  constructor(connection: NatsConnection) {
    void this.#followStatus(connection)
  }

  async #followStatus(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.isUp = false
      if (type !== 'reconnect') continue
      this.isUp = true
      this.reconnects++
    }
    this.isUp = false
  }
}

/**
 * Returns the credentials from a file, or from the address. Returns none if neither names any. Throws if the
 * file has another form.
 */
function toCredentials(
  { credentials }: EngineOptions,
  address: URL | undefined
): { authenticator?: Authenticator; user?: string; pass?: string } {
  if (credentials === undefined) {
    if (!address || address.username === '') return {}
    return { user: decodeURIComponent(address.username), pass: decodeURIComponent(address.password) }
  }
  const bytes = readFileSync(credentials)
  const text = bytes.toString().trim()
  if (text.includes('BEGIN NATS USER JWT')) return { authenticator: credsAuthenticator(bytes) }
  if (/^SU[A-Z2-7]{56}$/.test(text)) return { authenticator: nkeyAuthenticator(Buffer.from(text)) }
  const [, user, pass] = /^([^:\s]+):(\S+)$/.exec(text) ?? []
  if (user === undefined || pass === undefined)
    throw new Error(`${credentials} contains neither engine credentials nor user:password`)
  return { user, pass }
}
