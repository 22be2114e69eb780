/** A Socket.IO client reduced to what the bench needs, so that the load takes little of the machine. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { SeededUser } from '../seed.js'

export class RawSocket {
  /** Told of messages that are no answers. */
  onMessage: () => void = () => {}
  #onAnswer: () => void = () => {}
  #unanswered = 0

  private constructor(
    private readonly socket: WebSocket,
    private readonly namespace: string
  ) {}

  static async open(origin: string, { token, username }: SeededUser): Promise<RawSocket> {
    const url = `${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket&auth=${token}`
    const socket = new WebSocket(url)
    await once(socket, 'message')
    const opened = once(socket, 'message')
    socket.send(`40/${username},`)
    const [answer] = (await opened) as [Buffer]
    if (!answer.toString().startsWith('40')) throw new Error(`A socket was refused: ${answer.toString()}`)
    const raw = new RawSocket(socket, `/${username},`)
    socket.on('message', data => raw.#hear((data as Buffer).toString()))
    return raw
  }

  /** Calls a method without params so many times at once; resolves when all are answered. */
  call(method: string, times: number): Promise<void> {
    return new Promise(resolve => {
      this.#onAnswer = resolve
      this.#unanswered = times
      for (let n = 0; n < times; n++) this.socket.send(`42${this.namespace}${n}["${method}",{}]`)
    })
  }

  /** Sends a message that is JSON text: a name and params. Resolves when it is answered. */
  emit(text: string): Promise<void> {
    return new Promise(resolve => {
      this.#onAnswer = resolve
      this.#unanswered = 1
      this.socket.send(`42${this.namespace}0${text}`)
    })
  }

  close(): void {
    this.socket.terminate()
  }

  #hear(text: string): void {
    if (text === '2') this.socket.send('3')
    else if (text.startsWith('43')) {
      if (--this.#unanswered === 0) this.#onAnswer()
    } else this.onMessage()
  }
}
