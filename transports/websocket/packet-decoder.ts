/**
 * Decodes Socket.IO packets. The params of an event stay text until its call is made, since parsed they may take many
 * times the memory of their text. Packets that arrive together are decoded in turns.
 */
import { Decoder, PacketType, type Packet } from 'socket.io-parser'
import { isLargeJson, readJson, type JsonLimits } from '../../core/json/reader.js'
import { nextTurn, runInTurns } from '../../storage/steps.js'
import type { Party } from '../../storage/scheduler.js'

/** Private members of Socket.IO's decoder. */
interface Internals {
  readonly reconstructor: object | null | undefined
  decodeString(text: string): Packet
}

/** The type, namespace and id of an event packet, as Socket.IO reads them: blanks count as digits. */
const eventHeadPattern = /^2(?:\/[^,]*,)?[\d\s]*(?=\[)/
/** An event up to the end of its name. */
const namePattern = /^\[\s*(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)(?=\s*[,\]])/s
/** Maximum length of the head, and of an event up to the end of its name: reading a number of millions of digits takes long. */
const maxHeadLength = 1000

/** Maximum length of packets other than events, and of the texts of events with binary data: tokens and names are short. */
const maxControlPacketLength = 16 * 1024

/** Characters of packets that are decoded in one turn, and those that each packet counts in addition. */
const charactersPerTurn = 64 * 1024
const packetOverhead = 200

/** A packet of a type that clients may not send. Socket.IO closes the connection, as after any malformed packet. */
const malformed: Packet = { type: PacketType.CONNECT_ERROR, nsp: '/', data: {} }

/** The decoder of one connection. */
export interface PacketDecoder {
  /** Characters received and not yet decoded. */
  readonly undecoded: number
  /** The account and access whose turns decoding takes; before authentication, the turns of the connection itself. */
  party: Party
  /** Called when packets had to wait and all have been decoded. */
  onDecoded: () => void
  /** Closes the connection, as after any malformed packet. */
  refuse(): void
}

/** The params of a call that has not been made. */
export class PendingParams {
  /** `text`: the JSON of the event, an array of its name and its arguments. */
  constructor(
    private readonly text: string,
    private readonly limits: JsonLimits
  ) {}

  /**
   * Returns the params; `{}` if there are none. Long ones are parsed in turns. Throws `SyntaxError` for invalid JSON,
   * and `invalid-parameters-format` for long ones over a limit.
   */
  async parse(party: Party): Promise<unknown> {
    const { limits, text } = this
    const event = isLargeJson(text) ? await runInTurns(readJson(text, limits), party) : JSON.parse(text)
    const [, params = {}] = event as [string, unknown?]
    return params
  }
}

/** Returns a decoder class with these limits for long params. */
export function createPacketDecoder(limits: JsonLimits): typeof Decoder {
  let connections = 0
  return class LazyDecoder extends Decoder implements PacketDecoder {
    undecoded = 0
    party: Party = { account: 'a socket', access: String(++connections) }
    onDecoded = (): void => {}
    /** Packets that wait for a turn, and the characters decoded in this turn of the event loop. */
    #waiting: unknown[] = []
    #decoded = 0

    override add(packet: unknown): void {
      if (this.#decoded === 0) setImmediate(() => void this.#decodeWaiting())
      if (this.#decoded < charactersPerTurn) {
        this.#decoded += getLength(packet) + packetOverhead
        this.#decode(packet)
      } else {
        this.#waiting.push(packet)
        this.undecoded += getLength(packet)
      }
    }

    override destroy(): void {
      this.#waiting = []
      this.undecoded = 0
      super.destroy()
    }

    refuse(): void {
      this.emitReserved('decoded', malformed)
    }

    /** Decodes waiting packets in turns. Until all are decoded, further ones wait behind them. */
    async #decodeWaiting(): Promise<void> {
      const haveWaited = this.#waiting.length > 0
      while (this.#waiting.length > 0) {
        await nextTurn(this.party)
        for (let decoded = 0; decoded < charactersPerTurn && this.#waiting.length > 0;) {
          const packet = this.#waiting.shift()
          this.undecoded -= getLength(packet)
          decoded += getLength(packet) + packetOverhead
          this.#decode(packet)
        }
      }
      this.#decoded = 0
      // By then Socket.IO has passed on the last packet.
      if (haveWaited) setImmediate(() => this.onDecoded())
    }

    #decode(packet: unknown): void {
      try {
        if (typeof packet !== 'string' || getInternals(this).reconstructor) return super.add(packet)
        const [head] = eventHeadPattern.exec(packet.slice(0, maxHeadLength)) ?? []
        const maxLength = packet.startsWith('2') ? maxHeadLength : maxControlPacketLength
        if (head !== undefined) this.#decodeEvent(head, packet.slice(head.length))
        else if (packet.length > maxLength) this.refuse()
        else super.add(packet)
      } catch {
        this.refuse()
      }
    }

    /** Decodes the head and the name of an event, which decide whether the packet is valid. */
    #decodeEvent(head: string, text: string): void {
      const [name] = namePattern.exec(text.slice(0, maxHeadLength)) ?? []
      if (name === undefined) return this.refuse()
      const packet = getInternals(this).decodeString(`${head}${name}]`)
      const data = [...(packet.data as unknown[]), new PendingParams(text, limits)]
      this.emitReserved('decoded', { ...packet, data })
    }
  }
}

function getLength(packet: unknown): number {
  return typeof packet === 'string' ? packet.length : ((packet as Buffer).byteLength ?? 0)
}

function getInternals(decoder: Decoder): Internals {
  return decoder as unknown as Internals
}
