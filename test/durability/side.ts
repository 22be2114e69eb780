/** One of two servers that are killed while their accounts have to do with each other. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../support/coffer.js'
import { post, send } from './requests.js'
import { ServerProcess } from './server-process.js'

/** A server that comes back at its address, with one account. */
export class Side {
  server: ServerProcess | undefined
  token = ''

  constructor(
    private readonly directory: string,
    private readonly port: number,
    readonly username: string,
    private readonly flags: object = {}
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}/${this.username}/`
  }

  async start(): Promise<void> {
    const flags = {
      port: this.port,
      'cmc.allowInternalTargets': true,
      'cmc.retryMaxDelayMs': 200,
      ...this.flags
    }
    this.server = await ServerProcess.start(
      this.directory,
      Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
    )
  }

  async register(): Promise<void> {
    const { url } = this.server!
    const user = {
      username: this.username,
      password: 'a long secret',
      email: `${this.username}@example.com`,
      appId: 'kill-test'
    }
    const { apiEndpoint } = await post(`${url}/users`, user)
    this.token = new URL(apiEndpoint).username
  }

  async restart(): Promise<void> {
    await this.server?.kill()
    await this.start()
  }

  /** Sends a request until the server answers. */
  async send(method: string, path: string, body?: object): Promise<Answer> {
    for (;;)
      try {
        return await send(method, this.url + path, body, this.token)
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        await wait(20)
      }
  }

  async write(type: string, content: object, streamId: string, id: string): Promise<void> {
    try {
      await this.send('POST', 'events', { id, streamIds: [streamId], type, content })
    } catch (error) {
      // The answer to an earlier attempt was lost.
      if (!String(error).includes('item-already-exists')) throw error
    }
  }

  async content(id: string): Promise<Answer> {
    return (await this.send('GET', `events/${id}`)).event.content
  }

  async events(streamId: string, type: string): Promise<Answer[]> {
    return (await this.send('GET', `events?streams[]=${streamId}&types[]=${type}&limit=1000`)).events
  }

  /** Returns the accesses that peers hold, by scope. */
  async peers(): Promise<Map<string, Answer>> {
    const { accesses } = await this.send('GET', 'accesses')
    const held = accesses.filter((each: Answer) => each.clientData?.cmc?.role === 'counterparty')
    return new Map(held.map((each: Answer) => [each.clientData.cmc.scopeStreamId, each]))
  }

  async settled(id: string, pollMs = 20): Promise<Answer> {
    for (;;) {
      const content = await this.content(id)
      if (content.status === 'completed' || content.status === 'failed') return content
      await wait(pollMs)
    }
  }
}
