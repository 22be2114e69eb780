/** Other traffic on machines under load: apps that request access, and users who upload files. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Person } from '../load.js'
import { upload } from '../people.js'
import type { Machines } from './machines.js'

/** App requests per second, each a record in the platform log, and bytes and seconds of an upload. */
const [asksPerSecond, fileBytes, fileSeconds] = [4, 100_000, 3]

export class Visitors {
  readonly odd = new Map<string, number>()
  people: readonly Person[] = []
  asked = 0
  files = 0
  #isOver = false
  readonly #coming: Promise<void>

  constructor(private readonly machines: Machines) {
    this.#coming = Promise.all([
      this.#come(1000 / asksPerSecond, url => this.#ask(url)),
      this.#come(1000 * fileSeconds, url => this.#upload(url))
    ]).then(() => undefined)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#coming
  }

  async #come(everyMs: number, call: (url: string) => Promise<void>): Promise<void> {
    const { nodes, random } = this.machines
    while (!this.#isOver) {
      const running = nodes.filter(({ url }) => url !== '')
      if (running.length > 0)
        await call(random.pick(running).url).catch(error => {
          // The node is down or frozen; only wrong responses count.
          if (error instanceof Unexpected) this.odd.set(error.message, (this.odd.get(error.message) ?? 0) + 1)
        })
      await wait(everyMs)
    }
  }

  async #ask(url: string): Promise<void> {
    const body = { requestingAppId: 'an-app-that-asks', requestedPermissions: [] }
    const response = await fetch(`${url}/reg/access`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(4000),
      body: JSON.stringify(body)
    })
    const answer = await response.text()
    if (response.ok) this.asked++
    else if (response.status !== 503) throw new Unexpected(`${response.status} ${answer.slice(0, 200)}`)
  }

  async #upload(url: string): Promise<void> {
    const { people } = this
    if (people.length === 0) return
    await upload(url, this.machines.random.pick(people), 'x'.repeat(fileBytes))
    this.files++
  }
}

/** An unexpected response. */
class Unexpected extends Error {}
