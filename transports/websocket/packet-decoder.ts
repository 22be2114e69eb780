/**
 * Decodes Socket.IO packets. Long JSON texts are parsed in slices, while later packets wait.
 */
import { Decoder, PacketType, type Packet } from 'socket.io-parser'
import { ApiError } from '../../core/errors.js'
import type { Party } from '../../storage/scheduler.js'
import { runInTurns } from '../../storage/steps.js'
import { isLargeJson, readJson, type JsonLimits } from '../../core/json/reader.js'

/** Private members of Socket.IO's decoder. */
interface Internals {
  readonly reconstructor: object | null | undefined
  decodeString(text: string): Packet
}

/** The type, namespace and id of an event packet. */
const eventHeadPattern = /^2(?:\/[^,]*,)?\d*(?=\[)/

/** Maximum length of the head: a namespace, and the number of an acknowledgement. */
const maxHeadLength = 1000

/** The name at the start of an event. */
const eventNamePattern = /^\[\s*("(?:[^"\\]|\\.)*")/
const maxNameLength = 1000

/**
 * Maximum number of arguments of an event: its name and its params. Socket.IO passes all arguments to its listeners,
 * and more than fit on the stack would crash the process.
 */
const maxArguments = 2

/** Maximum length of packets other than events, and of the texts of events with binary data: tokens and names are short. */
export const maxControlPacketLength = 16 * 1024

/** A packet of a type that clients may not send. Socket.IO closes the connection, as after any malformed packet. */
const malformed: Packet = { type: PacketType.CONNECT_ERROR, nsp: '/', data: {} }

/** The decoder of one connection. */
export interface PacketDecoder {
  /** Characters received and not yet decoded. */
  readonly undecoded: number
  /** The account and access whose turns parsing takes; before authentication, the turns of the connection itself. */
  party: Party
}

/** Returns a decoder class with these limits. */
export function createPacketDecoder(limits: JsonLimits): typeof Decoder {
  let connections = 0
  return class SlicingDecoder extends Decoder implements PacketDecoder {
    undecoded = 0
    party: Party = { account: 'a socket', access: String(++connections) }
    /** Packets received while a long text is being parsed. */
    #waiting: unknown[] | undefined
    #isDestroyed = false

    override add(packet: unknown): void {
      if (this.#waiting) {
        this.#waiting.push(packet)
        this.undecoded += getLength(packet)
      } else if (
        typeof packet === 'string' &&
        packet.length > maxControlPacketLength &&
        !packet.startsWith('2')
      )
        this.emitReserved('decoded', malformed)
      else if (typeof packet === 'string' && isLargeJson(packet) && !getInternals(this).reconstructor)
        this.#addLong(packet)
      else super.add(packet)
    }

    override destroy(): void {
      this.#isDestroyed = true
      this.#waiting = []
      this.undecoded = 0
      super.destroy()
    }

    #addLong(text: string): void {
      const [head] = eventHeadPattern.exec(text.slice(0, maxHeadLength)) ?? []
      if (head === undefined) return void this.emitReserved('decoded', malformed)
      this.#waiting = []
      this.undecoded += text.length
      void this.#read(head, text)
    }

    /** Never rejects. */
    async #read(head: string, text: string): Promise<void> {
      try {
        const data = await parseEvent(text.slice(head.length), limits, this.party)
        if (this.#isDestroyed) return
        this.undecoded -= text.length
        // Only the name decides whether the packet is valid; the params are checked by the method.
        const packet = getInternals(this).decodeString(`${head}${JSON.stringify(data.slice(0, 1))}`)
        this.emitReserved('decoded', { ...packet, data: data.slice(0, maxArguments) })
        const waiting = this.#waiting ?? []
        this.#waiting = undefined
        for (const next of waiting) {
          this.undecoded -= getLength(next)
          this.add(next)
        }
      } catch {
        if (!this.#isDestroyed) this.emitReserved('decoded', malformed)
      }
    }
  }
}

/**
 * Parses the name and params of an event. If the params exceed a limit, returns the error in their place, so that it can be
 * reported to the sender.
 */
async function parseEvent(text: string, limits: JsonLimits, party: Party): Promise<unknown[]> {
  try {
    return (await runInTurns(readJson(text, limits), party)) as unknown[]
  } catch (error) {
    const [, name] = eventNamePattern.exec(text.slice(0, maxNameLength)) ?? []
    if (!(error instanceof ApiError) || name === undefined) throw error
    return [JSON.parse(name), error]
  }
}

function getLength(packet: unknown): number {
  return typeof packet === 'string' ? packet.length : 0
}

function getInternals(decoder: Decoder): Internals {
  return decoder as unknown as Internals
}
