/**
 * HTTP calls to addresses that users name. Internal ones are refused unless settings allow them; no redirects; time and
 * size are bounded; nothing of the answer but its status is kept. (docs/spec/notifications.md#delivery)
 */
import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns'
import ipaddr from 'ipaddr.js'
import type { buildConnector, Dispatcher } from 'undici'

export interface OutgoingOptions {
  readonly allowInternal: boolean
  readonly timeoutMs: number
}

export interface OutgoingCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Not sent with GET. */
  readonly body: string
}

/** Bytes of an answer that are read, so that its connection can be used again. */
const readBytes = 64 * 1024
const headerBytes = 16 * 1024
/** An idle connection is kept for so long. */
const keepAliveMs = 4000

/** The address that was to be called is internal. */
class InternalAddress extends Error {}

/** Loaded with the first call: most services never make one, and it costs time and memory at the start. */
const undici = (): Promise<typeof import('undici')> => import('undici')

export class Outgoing {
  #dispatcher: Promise<Dispatcher> | undefined
  readonly #aborting = new AbortController()

  constructor(private readonly options: OutgoingOptions) {}

  /** Posts a text; answers as {@link send}. */
  async post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<number> {
    return await this.send({ method: 'POST', url, headers, body })
  }

  /** Makes a call; answers the status, or 0 when there was no answer. Never rejects. */
  async send({ body, headers, method, url }: OutgoingCall): Promise<number> {
    try {
      const { request } = await undici()
      // Counted from here: what the first call takes to load is none of the target's time.
      const signal = AbortSignal.any([this.#aborting.signal, AbortSignal.timeout(this.options.timeoutMs)])
      const { body: answer, statusCode } = await request(url, {
        dispatcher: await (this.#dispatcher ??= dispatcherFor(this.options)),
        method,
        headers: { ...headers },
        ...(method === 'GET' ? {} : { body }),
        signal
      })
      await answer.dump({ limit: readBytes, signal })
      return statusCode
    } catch {
      return 0
    }
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#aborting.abort()
    await (await this.#dispatcher)?.destroy()
  }
}

async function dispatcherFor({ allowInternal, timeoutMs }: OutgoingOptions): Promise<Dispatcher> {
  const { Agent } = await undici()
  return new Agent({
    connect: allowInternal ? { timeout: timeoutMs } : await guarded(timeoutMs),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: headerBytes,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs
  })
}

/**
 * Whether a text is an address that belongs to no public host: loopback, private, link-local, multicast, reserved, … Those
 * that carry an IPv4 address through IPv6 are, whatever they carry; a dispatcher nearby might take them to the inside.
 */
export function isInternal(address: string): boolean {
  if (!ipaddr.isValid(address)) return true
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return true
  return parsed instanceof ipaddr.IPv6 && !isGlobal(parsed)
}

const [globalUnicast, documentation] = [ipaddr.parseCIDR('2000::/3'), ipaddr.parseCIDR('3fff::/20')]

/** Whether an address is of those that are given out, and leads to no internal IPv4 address by ISATAP. */
function isGlobal(address: ipaddr.IPv6): boolean {
  if (!address.match(globalUnicast) || address.match(documentation)) return false
  const [, , , , flags = 0, mark, high = 0, low = 0] = address.parts
  const isIsatap = mark === 0x5efe && (flags & 0xfcff) === 0
  return !isIsatap || !isInternal([high >> 8, high & 255, low >> 8, low & 255].join('.'))
}

/** Looks at every address before connecting: those that names stand for, and literal ones, which are never looked up. */
async function guarded(timeoutMs: number): Promise<buildConnector.connector> {
  const { buildConnector } = await undici()
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup })
  return (options, done) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (ipaddr.isValid(host) && isInternal(host)) return done(new InternalAddress(), null)
    connect(options, done)
  }
}

type LookedUp = (error: Error | null, address: string | LookupAddress[], family?: number) => void

function guardedLookup(host: string, options: LookupOptions, done: LookedUp): void {
  lookUp(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '')
    const [first] = addresses
    // One internal address among others is enough: which of them is called is left to chance.
    if (!first || addresses.some(({ address }) => isInternal(address))) return done(new InternalAddress(), '')
    if (options.all) done(null, addresses)
    else done(null, first.address, first.family)
  })
}
