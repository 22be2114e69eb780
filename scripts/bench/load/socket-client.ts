/** A minimal Socket.IO client that uses little CPU time. */
import { once } from 'node:events'
import { WebSocket } from 'ws'

export class SocketClient {
  #onAnswer: () => void = () => {}
  #unanswered = 0

  private constructor(
    private readonly socket: WebSocket,
    private readonly namespace: string
  ) {}

  /** Connects to the namespace of a user, such as `/daisy`. Throws an error if the socket is refused. */
  static async open(origin: string, namespace: string, token: string): Promise<SocketClient> {
    const url = `${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket&auth=${token}`
    const socket = new WebSocket(url)
    await once(socket, 'message')
    const opened = once(socket, 'message')
    socket.send(`40${namespace},`)
    const [answer] = (await opened) as [Buffer]
    if (!answer.toString().startsWith('40')) throw new Error(`A socket was refused: ${answer.toString()}`)
    const client = new SocketClient(socket, namespace)
    socket.on('message', data => client.#receive((data as Buffer).toString()))
    return client
  }

  /** Calls a method `times` times concurrently, without params. Resolves when all calls have returned. */
  call(method: string, times: number): Promise<void> {
    return new Promise(resolve => {
      this.#onAnswer = resolve
      this.#unanswered = times
      for (let n = 0; n < times; n++) this.socket.send(`42${this.namespace},${n}["${method}",{}]`)
    })
  }

  close(): void {
    this.socket.terminate()
  }

  #receive(text: string): void {
    if (text === '2') this.socket.send('3')
    else if (text.startsWith('43') && --this.#unanswered === 0) this.#onAnswer()
  }
}
