/** A minimal Socket.IO client, so that generating load takes little CPU time. */
import { once } from 'node:events'
import { WebSocket } from 'ws'

export class RawSocket {
  #onMessage: () => void = () => {}
  #onAnswer: () => void = () => {}
  #unanswered = 0

  private constructor(
    private readonly socket: WebSocket,
    private readonly namespace: string
  ) {}

  /** Opens one to the namespace of a user, such as `/daisy`. */
  static async open(origin: string, namespace: string, token: string): Promise<RawSocket> {
    const url = `${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket&auth=${token}`
    const socket = new WebSocket(url)
    await once(socket, 'message')
    const opened = once(socket, 'message')
    socket.send(`40${namespace},`)
    const [answer] = (await opened) as [Buffer]
    if (!answer.toString().startsWith('40')) throw new Error(`A socket was refused: ${answer.toString()}`)
    const raw = new RawSocket(socket, namespace)
    socket.on('message', data => raw.#receive((data as Buffer).toString()))
    return raw
  }

  /** Calls a method `times` times at once, with params as JSON text; resolves when all have returned. */
  call(method: string, times = 1, params = '{}'): Promise<void> {
    return new Promise(resolve => {
      this.#onAnswer = resolve
      this.#unanswered = times
      for (let n = 0; n < times; n++) this.socket.send(`42${this.namespace},${n}["${method}",${params}]`)
    })
  }

  /** Resolves with the next message that is not an acknowledgement. */
  message(): Promise<void> {
    return new Promise(resolve => (this.#onMessage = resolve))
  }

  close(): void {
    this.socket.terminate()
  }

  #receive(text: string): void {
    if (text === '2') this.socket.send('3')
    else if (text.startsWith('43')) {
      if (--this.#unanswered === 0) this.#onAnswer()
    } else this.#onMessage()
  }
}
