/** A server that is killed and restarted on one data directory, with a user who remains signed in. */
import type { Test } from 'tap'
import type { Answer } from '../support/coffer.js'
import { send, signIn } from './requests.js'
import { ServerProcess } from './server-process.js'

export class MortalServer {
  private constructor(
    readonly dataDir: string,
    private server: ServerProcess,
    private readonly token: string
  ) {}

  /** Starts it; the teardown stops it. */
  static async start(t: Test): Promise<MortalServer> {
    const dataDir = t.testdir({})
    const server = await ServerProcess.start(dataDir)
    let mortal: MortalServer | undefined
    t.teardown(async () => await (mortal?.server ?? server).kill())
    return (mortal = new MortalServer(dataDir, server, await signIn(server.url)))
  }

  /** Sends a request of the user, below the account's root, that must succeed. */
  async call(method: string, path: string, body?: object): Promise<Answer> {
    return await send(method, `${this.server.url}/kill-test/${path}`, body, this.token)
  }

  /** Sends what an app sends, as text or JSON, below the account's root; it must succeed. */
  async send(method: string, path: string, body: unknown): Promise<void> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${this.server.url}/kill-test/${path}`, { method, body: text })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${answer}`)
  }

  /** Kills the process, like a crash. */
  async kill(): Promise<void> {
    await this.server.kill()
  }

  async restart(): Promise<void> {
    this.server = await ServerProcess.start(this.dataDir)
  }

  /** Stops it in an orderly way. */
  async stop(): Promise<void> {
    await this.server.stop()
  }
}
