/**
 * Sends messages to a syslog over UDP. Nothing waits for the syslog, and messages that cannot be sent are lost.
 * (docs/spec/audit.md#syslog)
 */
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import type { Log, Syslog } from '../core/log.js'

/** Limits for bytes in the send queue, and for messages that wait for the host to be resolved. */
const maxQueuedBytes = 4 * 1024 * 1024
const maxWaiting = 1000
/** Time after which the host is resolved again, and between warnings, in milliseconds. */
const refreshMs = 60_000

/** A socket, and the number of messages that were passed to it but are not sent yet. */
interface Sender {
  readonly socket: Socket
  pending: number
  hasFailed: boolean
}

export class UdpSyslog implements Syslog {
  #current: Sender | undefined
  #family = 0
  #address = ''
  #lookedUpAt = -Infinity
  #isLookingUp = false
  #waiting: Buffer[] = []
  #warnedAt = -Infinity
  #lost = 0
  /** Messages lost since the last log line about recovery. */
  #unreported = 0
  #onAllSent: () => void = () => {}
  #isClosed = false

  constructor(
    private readonly host: string,
    private readonly port: number,
    private readonly log: Log
  ) {}

  get lost(): number {
    return this.#lost
  }

  /**
   * Sends a message in the background. It is counted as lost if it cannot be sent, and ignored once this is
   * closed.
   */
  send(message: Buffer): void {
    if (this.#isClosed) return
    if (performance.now() - this.#lookedUpAt > refreshMs && !this.#isLookingUp) void this.#lookUp()
    if (this.#current) this.#sendNow(this.#current, message)
    else if (this.#waiting.length < maxWaiting) this.#waiting.push(message)
    else this.#countLost('its host is unknown')
  }

  /** Closes the socket once all messages passed to it have been sent. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#current && this.#current.pending > 0)
      await new Promise<void>(resolve => (this.#onAllSent = resolve))
    this.#current?.socket.close()
  }

  async #lookUp(): Promise<void> {
    this.#isLookingUp = true
    try {
      const { address, family } = await lookup(this.host)
      this.#address = address
      if (family !== this.#family && !this.#isClosed) this.#open(family)
    } catch (cause) {
      this.#warn('its host could not be resolved', cause)
    }
    this.#lookedUpAt = performance.now()
    this.#isLookingUp = false
  }

  /** Opens a socket for addresses of a family (4 or 6), and sends what is waiting. */
  #open(family: number): void {
    this.#current?.socket.close()
    const sender: Sender = {
      socket: createSocket(family === 6 ? 'udp6' : 'udp4'),
      pending: 0,
      hasFailed: false
    }
    sender.socket.unref()
    sender.socket.on('error', cause => this.#abandon(sender, cause))
    this.#family = family
    this.#current = sender
    for (const message of this.#waiting.splice(0)) this.#sendNow(sender, message)
  }

  #sendNow(sender: Sender, message: Buffer): void {
    if (sender.socket.getSendQueueSize() > maxQueuedBytes) return this.#countLost('the send queue is full')
    sender.pending++
    sender.socket.send(message, this.port, this.#address, cause => {
      if (sender.hasFailed) return
      if (cause) this.#countLost('it is unreachable', cause)
      else if (this.#unreported > 0 && !this.#isWarningRecent()) this.#reportLost()
      if (--sender.pending === 0 && sender === this.#current) this.#onAllSent()
    })
  }

  /** Closes a socket that has failed, whose callbacks may never be called. The next lookup opens another socket. */
  #abandon(sender: Sender, cause: unknown): void {
    if (sender.hasFailed) return
    sender.hasFailed = true
    sender.socket.close()
    if (sender.pending > 0) this.#countLost('its socket failed', cause, sender.pending)
    else this.#warn('its socket failed', cause)
    if (sender !== this.#current) return
    this.#current = undefined
    this.#family = 0
    this.#onAllSent()
  }

  #countLost(reason: string, cause?: unknown, count = 1): void {
    this.#lost += count
    this.#unreported += count
    this.#warn(reason, cause)
  }

  #isWarningRecent(): boolean {
    return performance.now() - this.#warnedAt < refreshMs
  }

  #reportLost(): void {
    this.log.warn(`syslog: sending messages again; messages lost: ${this.#unreported}`)
    this.#unreported = 0
  }

  #warn(reason: string, cause?: unknown): void {
    if (this.#isWarningRecent()) return
    this.#warnedAt = performance.now()
    this.log.warn(
      `syslog: ${reason}; messages lost so far: ${this.#lost}`,
      cause === undefined ? {} : { cause }
    )
  }
}
