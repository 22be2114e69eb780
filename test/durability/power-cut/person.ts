/** A user who registers, has clients that write, and may delete the account. */
import type { Random } from '../../support/random.js'
import { Connection } from './connection.js'
import { Promises } from './promises.js'
import { Writer } from './writer.js'

/** The only key in a user's promises about the account itself. */
export const presence = 'account'

const password = 'a long secret'

export class Person {
  /** Promises about registration and deletion. */
  readonly promises: Promises
  readonly writers: Writer[] = []
  token = ''

  constructor(
    readonly username: string,
    private readonly random: Random,
    /** Maximum length of a text. */
    private readonly length?: number
  ) {
    this.promises = new Promises(username)
  }

  get email(): string {
    return `${this.username}@example.com`
  }

  /** All promises to this user and the clients. */
  get all(): Promises[] {
    return [this.promises, ...this.writers.map(({ promises }) => promises)]
  }

  async register(url: string, writers: number): Promise<void> {
    const { email, username } = this
    const body = { username, email, password, appId: 'power-cut' }
    const connection = new Connection()
    const answer = await connection.call(this.promises, { method: 'POST', url: `${url}/users`, body }, [
      new Map([[presence, 'there']])
    ])
    connection.close()
    this.token = new URL(answer.apiEndpoint).username
    for (let index = 0; index < writers; index++)
      this.writers.push(new Writer(`writer${index}`, this.token, this.random, this.length))
  }

  async work(url: string, calls: number): Promise<void> {
    await Promise.all(this.writers.map(writer => writer.work(`${url}/${this.username}`, calls)))
  }

  /** Deletes the account. */
  async leave(url: string): Promise<void> {
    const { token, username } = this
    const connection = new Connection()
    const body = { password }
    const request = { method: 'POST' as const, url: `${url}/users/${username}/deletion`, token, body }
    await connection.call(this.promises, request, [new Map([[presence, undefined]])])
    connection.close()
  }
}
