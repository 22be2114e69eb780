/**
 * Encodes Socket.IO packets whose data is already JSON text, without parsing it or searching it for binary data.
 */
import { Encoder, PacketType, type Packet } from 'socket.io-parser'
import { JsonText } from '../../core/json/json-text.js'

/** Socket.IO's encoder, which also accepts `JsonText` as an argument of an acknowledgement. */
export class PacketEncoder extends Encoder {
  /** Encodes a packet; acknowledgements may contain `JsonText`. */
  override encode(packet: Packet): string[] {
    const data = packet.data as unknown
    if (packet.type === PacketType.ACK && Array.isArray(data) && data.some(isText))
      return [
        `${PacketType.ACK}${formatNamespace(packet.nsp)}${packet.id ?? ''}[${data.map(toText).join(',')}]`
      ]
    return super.encode(packet) as string[]
  }
}

function isText(value: unknown): value is JsonText {
  return value instanceof JsonText
}

function toText(value: unknown): string {
  return isText(value) ? value.text : JSON.stringify(value ?? null)
}

function formatNamespace(name: string): string {
  return name === '/' ? '' : `${name},`
}
