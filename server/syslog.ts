/**
 * Sends messages to a syslog over UDP. Nothing waits for it, and messages that it does not take are lost.
 * (docs/spec/audit.md#syslog)
 */
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import type { Log } from '../core/log.js'
import type { Syslog } from '../core/outgoing/syslog.js'

/** Limits for bytes in the send queue, and for messages that wait for the host to be resolved. */
const maxQueuedBytes = 4 * 1024 * 1024
const maxWaiting = 1000
/** Time after which the host is resolved again, and between warnings, in milliseconds. */
const refreshMs = 60_000

export class UdpSyslog implements Syslog {
  #socket: Socket | undefined
  #family = 0
  #address = ''
  #lookedUpAt = -Infinity
  #isLookingUp = false
  #waiting: Buffer[] = []
  #warnedAt = -Infinity
  #lost = 0
  /** Messages passed to the socket and not sent yet. */
  #pending = 0
  #settled: () => void = () => {}
  #isClosed = false

  constructor(
    private readonly host: string,
    private readonly port: number,
    private readonly log: Log
  ) {}

  send(message: Buffer): void {
    if (this.#isClosed) return
    if (performance.now() - this.#lookedUpAt > refreshMs && !this.#isLookingUp) void this.#lookUp()
    if (this.#socket) this.#sendNow(this.#socket, message)
    else if (this.#waiting.length < maxWaiting) this.#waiting.push(message)
    else this.#lose('its host is not known')
  }

  /** Closes once everything passed to the socket has been sent. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#pending > 0) await new Promise<void>(resolve => (this.#settled = resolve))
    this.#socket?.close()
  }

  async #lookUp(): Promise<void> {
    this.#isLookingUp = true
    try {
      const { address, family } = await lookup(this.host)
      this.#address = address
      if (family !== this.#family && !this.#isClosed) this.#open(family)
    } catch (cause) {
      this.#warn('its host cannot be looked up', cause)
    }
    this.#lookedUpAt = performance.now()
    this.#isLookingUp = false
  }

  #open(family: number): void {
    this.#socket?.close()
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
    socket.unref()
    socket.on('error', cause => this.#warn('its socket has failed', cause))
    this.#family = family
    this.#socket = socket
    for (const message of this.#waiting.splice(0)) this.#sendNow(socket, message)
  }

  #sendNow(socket: Socket, message: Buffer): void {
    if (socket.getSendQueueSize() > maxQueuedBytes) return this.#lose('the send queue is full')
    this.#pending++
    socket.send(message, this.port, this.#address, cause => {
      if (cause) this.#lose('it cannot be reached', cause)
      if (--this.#pending === 0) this.#settled()
    })
  }

  #lose(why: string, cause?: unknown): void {
    this.#lost++
    this.#warn(why, cause)
  }

  #warn(why: string, cause?: unknown): void {
    if (performance.now() - this.#warnedAt < refreshMs) return
    this.#warnedAt = performance.now()
    this.log.warn(`syslog: ${why}; messages lost so far: ${this.#lost}`, cause === undefined ? {} : { cause })
  }
}
