/** Socket.IO packets with long JSON texts: read in steps, others getting their turn; what comes after them waits. */
import { Decoder, PacketType, type Packet } from 'socket.io-parser'
import { ApiError } from '../../core/errors.js'
import { inTurns } from '../../storage/steps.js'
import { isLong, readJson, type JsonLimits } from '../../core/json/reader.js'

/** What Socket.IO's decoder has, and does not show. */
interface Insides {
  readonly reconstructor: object | null | undefined
  decodeString(text: string): Packet
}

/** Type, namespace and id of an event. */
const eventHead = /^2(?:\/[^,]*,)?\d*(?=\[)/

/** The name that an event begins with. */
const eventName = /^\[\s*("(?:[^"\\]|\\.)*")/
const longestName = 1000

/** What any packet but an event may have: tokens and names are short. */
const longestOther = 16 * 1024

/** Nobody may send this: Socket.IO closes the connection, as it does after any other message that is none. */
const nonsense: Packet = { type: PacketType.CONNECT_ERROR, nsp: '/', data: {} }

/** A decoder of one connection. */
export interface WaitingDecoder {
  /** Characters that have come and are not decoded. */
  readonly undecoded: number
}

/** A decoder for a connection, within these limits. */
export function decoderWithin(limits: JsonLimits): typeof Decoder {
  return class PatientDecoder extends Decoder implements WaitingDecoder {
    undecoded = 0
    /** What has come while a long text is read. */
    #waiting: unknown[] | undefined
    #isDestroyed = false

    override add(packet: unknown): void {
      if (this.#waiting) {
        this.#waiting.push(packet)
        this.undecoded += lengthOf(packet)
      } else if (typeof packet === 'string' && packet.length > longestOther && !packet.startsWith('2'))
        this.emitReserved('decoded', nonsense)
      else if (typeof packet === 'string' && isLong(packet) && !insidesOf(this).reconstructor)
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
      const [head] = eventHead.exec(text) ?? []
      if (head === undefined) return void this.emitReserved('decoded', nonsense)
      this.#waiting = []
      this.undecoded += text.length
      void this.#read(head, text)
    }

    /** Never rejects. */
    async #read(head: string, text: string): Promise<void> {
      try {
        const data = await dataOf(text.slice(head.length), limits)
        if (this.#isDestroyed) return
        this.undecoded -= text.length
        // The name decides whether it is an event; the rest is the method's business.
        const packet = insidesOf(this).decodeString(`${head}${JSON.stringify(data.slice(0, 1))}`)
        this.emitReserved('decoded', { ...packet, data })
        const waiting = this.#waiting ?? []
        this.#waiting = undefined
        for (const next of waiting) {
          this.undecoded -= lengthOf(next)
          this.add(next)
        }
      } catch {
        if (!this.#isDestroyed) this.emitReserved('decoded', nonsense)
      }
    }
  }
}

/** Name and params of an event; the error in place of params that go beyond a limit, for its sender to be told. */
async function dataOf(text: string, limits: JsonLimits): Promise<unknown[]> {
  try {
    return (await inTurns(readJson(text, limits))) as unknown[]
  } catch (error) {
    const [, name] = eventName.exec(text.slice(0, longestName)) ?? []
    if (!(error instanceof ApiError) || name === undefined) throw error
    return [JSON.parse(name), error]
  }
}

function lengthOf(packet: unknown): number {
  return typeof packet === 'string' ? packet.length : 0
}

function insidesOf(decoder: Decoder): Insides {
  return decoder as unknown as Insides
}
