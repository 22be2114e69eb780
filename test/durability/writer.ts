/** A client that changes its events at random, one call after another, until the connection breaks. */
import { createId } from '../../core/ids.js'
import type { Answer } from '../support/coffer.js'
import type { Random } from '../support/random.js'
import { Ledger, type Item, type State } from './ledger.js'

export class Writer {
  readonly ledger: Ledger
  /** Number of acknowledged calls. */
  acknowledged = 0
  /** Called after each acknowledged call. */
  onAcknowledged: () => void = () => {}
  #merges = 0
  readonly #streamId: string

  constructor(
    readonly name: string,
    private readonly token: string,
    private readonly random: Random
  ) {
    this.ledger = new Ledger(name)
    this.#streamId = name
  }

  /** Works until a call gets no response. */
  async work(userUrl: string): Promise<void> {
    try {
      for (;;) {
        await this.#step(userUrl)
        this.acknowledged++
        this.onAcknowledged()
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error
    }
  }

  async #step(url: string): Promise<void> {
    const live = this.ledger.live()
    const binned = this.ledger.binned()
    const dice = this.random.next()
    if (dice < 0.35 || live.length < 5) return await this.#create(url)
    if (dice < 0.55) return await this.#update(url, this.random.pick(live))
    if (dice < 0.7) return await this.#delete(url, this.random.pick(live), 'trash')
    if (dice < 0.8 && binned.length > 0) return await this.#delete(url, this.random.pick(binned), 'remove')
    if (dice < 0.93) return await this.#batch(url, live)
    return await this.#merge(url)
  }

  async #create(url: string): Promise<void> {
    const item = this.ledger.item()
    const { body, state } = this.#newEvent(item)
    item.pending = { state }
    const { event } = await this.#call('POST', `${url}events`, body)
    item.id = event.id
    item.settle(state)
  }

  async #update(url: string, item: Item): Promise<void> {
    const state = { ...item.state!, content: createId() }
    item.pending = { state }
    await this.#call('PUT', `${url}events/${item.id}`, { content: state.content })
    item.settle(state)
  }

  async #delete(url: string, item: Item, how: 'trash' | 'remove'): Promise<void> {
    const state = how === 'trash' ? { ...item.state!, trashed: true } : undefined
    item.pending = { state }
    await this.#call('DELETE', `${url}events/${item.id}`)
    item.settle(state)
  }

  /** Creates, updates and trashes in one batch; a failing call in the middle does not affect the others. */
  async #batch(url: string, live: readonly Item[]): Promise<void> {
    const calls: object[] = []
    const steps: { readonly item: Item; readonly state: State | undefined }[] = []
    const add = (item: Item, state: State, method: string, params: object): void => {
      steps.push({ item, state })
      calls.push({ method, params })
    }
    for (let count = 0; count < 3; count++) {
      const item = this.ledger.item()
      const { body, state } = this.#newEvent(item)
      add(item, state, 'events.create', body)
    }
    calls.push({
      method: 'events.create',
      params: { streamIds: ['nowhere'], type: 'note/txt', content: 'x' }
    })
    const [first, second] = [live[0]!, live[1]!]
    const changed = { ...first.state!, content: createId() }
    add(first, changed, 'events.update', { id: first.id, update: { content: changed.content } })
    add(second, { ...second.state!, trashed: true }, 'events.delete', { id: second.id })
    for (const { item, state } of steps) item.pending = { state }
    this.ledger.sequences.push(steps.map(({ item }) => item))
    const { results } = await this.#call('POST', url, calls)
    const answers = (results as Answer[]).toSpliced(3, 1)
    for (const [index, { item, state }] of steps.entries()) {
      item.id = answers[index].event.id
      item.settle(state)
    }
    this.ledger.sequences.pop()
  }

  /** Creates a stream with events, then deletes it so that they move to its parent: all in one call, or none. */
  async #merge(url: string): Promise<void> {
    const streamId = `${this.name}-merged-${this.#merges++}`
    const items = [this.ledger.item(), this.ledger.item(), this.ledger.item()]
    const created = items.map(item => this.#newEvent(item, streamId))
    for (const [index, item] of items.entries()) item.pending = { state: created[index]!.state }
    this.ledger.sequences.push(items)
    const { results } = await this.#call('POST', url, [
      { method: 'streams.create', params: { id: streamId, name: streamId, parentId: this.#streamId } },
      ...created.map(({ body }) => ({ method: 'events.create', params: body })),
      { method: 'streams.delete', params: { id: streamId } }
    ])
    for (const [index, item] of items.entries()) {
      item.id = results[index + 1].event.id
      item.settle(created[index]!.state)
    }
    this.ledger.sequences.pop()
    for (const item of items) item.pending = { state: { ...item.state!, streamId: this.#streamId } }
    this.ledger.groups.push(items)
    await this.#call('DELETE', `${url}streams/${streamId}?mergeEventsWithParent=true`)
    for (const item of items) item.settle(item.pending?.state)
    this.ledger.groups.pop()
  }

  /** Some specify their id, others get one. */
  #newEvent(item: Item, streamId = this.#streamId): { body: object; state: State } {
    const content = createId()
    const id = this.random.chance(0.5) ? {} : { id: createId() }
    return {
      body: { ...id, streamIds: [streamId], type: 'note/txt', content, clientData: { key: item.key } },
      state: { content, streamId, trashed: false }
    }
  }

  async #call(method: string, url: string, body?: unknown): Promise<Answer> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(url, {
      method,
      headers: { authorization: this.token, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
      .then(async response => (await response.json()) as Answer)
      .catch((cause: unknown) => {
        throw new ConnectionLost(`${method} ${url} got no answer`, { cause })
      })
    if (answer.error) throw new Error(`${method} ${url} answered ${JSON.stringify(answer.error)}`)
    return answer
  }
}

/** The connection broke before the response. */
class ConnectionLost extends Error {}
