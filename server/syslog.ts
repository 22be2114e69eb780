/** Sends messages to a syslog over UDP: nothing waits for it, and what it does not take is lost. (docs/spec/audit.md#syslog) */
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import type { Log } from '../core/log.js'
import type { Syslog } from '../core/outgoing/syslog.js'

/** Bytes that may wait to leave, and messages that may wait for the address of the host to be known. */
const mostBytes = 4 * 1024 * 1024
const mostWaiting = 1000
/** Time after which the host is looked up again, and between two lines about trouble, in milliseconds. */
const freshMs = 60_000

export class UdpSyslog implements Syslog {
  #socket: Socket | undefined
  #family = 0
  #address = ''
  #lookedUpAt = -Infinity
  #isLookingUp = false
  #waiting: Buffer[] = []
  #warnedAt = -Infinity
  #lost = 0
  /** Messages that have been handed over and have not left yet. */
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
    if (performance.now() - this.#lookedUpAt > freshMs && !this.#isLookingUp) void this.#lookUp()
    if (this.#socket) this.#hand(this.#socket, message)
    else if (this.#waiting.length < mostWaiting) this.#waiting.push(message)
    else this.#lose('its host is not known')
  }

  /** Ends once what was handed over has left. */
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
    for (const message of this.#waiting.splice(0)) this.#hand(socket, message)
  }

  #hand(socket: Socket, message: Buffer): void {
    if (socket.getSendQueueSize() > mostBytes) return this.#lose('it takes too little')
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
    if (performance.now() - this.#warnedAt < freshMs) return
    this.#warnedAt = performance.now()
    this.log.warn(`syslog: ${why}; messages lost so far: ${this.#lost}`, cause === undefined ? {} : { cause })
  }
}
