/** A polling client of Engine.IO without Socket.IO: the test controls each request. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Client } from './coffer.js'
import { sendRequest, type Received } from './request.js'

/** Sends a request without a session id, which opens a connection. */
export async function handshake(
  url: string,
  { eio = 4, headers = {} }: { eio?: 3 | 4; headers?: Record<string, string> } = {}
): Promise<Received> {
  return await sendRequest(`${url}/socket.io/?EIO=${eio}&transport=polling`, { headers })
}

export class PollingClient {
  private constructor(
    private readonly url: string,
    private readonly eio: 3 | 4,
    readonly id: string
  ) {}

  /** Opens a connection; rejects if there are too many. */
  static async begin(
    url: string,
    eio: 3 | 4 = 4,
    headers: Record<string, string> = {}
  ): Promise<PollingClient> {
    const { status, text } = await handshake(url, { eio, headers })
    const [, id] = /"sid":"([^"]+)"/.exec(text) ?? []
    if (id === undefined) throw new Error(`${status} ${text}`)
    return new PollingClient(url, eio, id)
  }

  /** Like {@link begin}, in the client's namespace. */
  static async of({ service, token, username }: Client, eio: 3 | 4 = 4): Promise<PollingClient> {
    const client = await PollingClient.begin(service.server.url, eio)
    await client.post(eio === 4 ? `40/${username},{"auth":"${token}"}` : `40/${username}?auth=${token},`)
    let heard = ''
    while (!heard.includes(`40/${username}`)) heard += await client.poll()
    return client
  }

  get target(): string {
    return `${this.url}/socket.io/?EIO=${this.eio}&transport=polling&sid=${this.id}`
  }

  /** Sends packets; returns the status. */
  async post(...packets: string[]): Promise<number> {
    const body =
      this.eio === 4 ? packets.join('\u001e') : packets.map(packet => `${packet.length}:${packet}`).join('')
    return (await sendRequest(this.target, { method: 'POST', body })).status
  }

  /** Returns pending packets, or waits for some; also returns the text of an error. */
  async poll(): Promise<string> {
    return (await sendRequest(this.target)).text
  }
}

/** Sends a request on a separate connection; its body may never end. */
export async function begunPost(url: string, head: string, body = ''): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(`${head}\r\n\r\n${body}`)
  let received = ''
  socket.on('data', data => (received += String(data)))
  await once(socket, 'close')
  return received
}
