/** A client that makes random changes to all data of an account, and remembers the responses. */
import { createHash } from 'node:crypto'
import { createId } from '../../../core/ids.js'
import type { Random } from '../../support/random.js'
import { Connection, type Message } from './connection.js'
import { Promises, type Step } from './promises.js'

/** The expected state of an event. */
export interface EventState {
  readonly content: string
  readonly streamId: string
  readonly trashed: boolean
  /** Integrity values of its files. */
  readonly files: readonly string[]
}

/** How items are named and described in comparisons. */
export const keyOf = {
  event: (id: string) => `event ${id}`,
  stream: (id: string) => `stream ${id}`,
  access: (name: string) => `access ${name}`,
  point: (holder: string, deltaTime: number) => `point ${deltaTime} of ${holder}`
}

export function describe({ content, streamId, trashed, files }: EventState): string {
  return JSON.stringify([content, streamId, trashed, files])
}

export class Writer {
  readonly promises: Promises
  readonly #connection = new Connection()
  readonly #live = new Map<string, EventState>()
  readonly #binned = new Map<string, EventState>()
  /** Ids of files, by event. */
  readonly #fileIds = new Map<string, string>()
  /** Holder events of series. */
  readonly holders: string[] = []
  readonly #accesses: { readonly id: string; readonly name: string }[] = []
  #url = ''
  #serial = 0
  #time = 0

  /** All data of a writer is in streams, and has names, with the writer's prefix. */
  constructor(
    readonly name: string,
    private readonly token: string,
    private readonly random: Random,
    /** Maximum length of a text. */
    private readonly length = 300
  ) {
    this.promises = new Promises(name)
  }

  /** Makes a number of calls to the account at this URL. */
  async work(url: string, calls: number): Promise<void> {
    this.#url = url
    if (this.#serial === 0) {
      await this.#stream(this.name)
      await this.#send()
    }
    for (let left = calls; left > 0; left--) await this.#step()
    this.#connection.close()
  }

  /** Uploads one or two files. */
  async #send(): Promise<void> {
    const files = Array.from({ length: 1 + this.random.below(2) }, () => this.#bytes())
    const { id, state } = this.#fresh(files.map(integrityOf))
    const data = new FormData()
    const body = { id, streamIds: [state.streamId], type: 'note/txt', content: state.content }
    data.append('event', JSON.stringify(body))
    for (const [index, bytes] of files.entries()) data.append(`file${index}`, new Blob([bytes]), `f${index}`)
    await this.#call({ method: 'POST', url: '/events', body: data }, [eventStep(id, state)])
    this.#live.set(id, state)
  }

  async #step(): Promise<void> {
    const dice = this.random.next()
    const live = [...this.#live.keys()]
    if (dice < 0.25 || live.length < 5) return await this.#create()
    if (dice < 0.4) return await this.#update(this.random.pick(live))
    if (dice < 0.48) return await this.#trash(this.random.pick(live))
    if (dice < 0.54 && this.#binned.size > 0) return await this.#remove([...this.#binned.keys()][0]!)
    if (dice < 0.62) return await this.#batch(1 + this.random.below(4))
    if (dice < 0.65) return await this.#batch(60)
    if (dice < 0.75) return await this.#send()
    if (dice < 0.77) return await this.#dropFile()
    if (dice < 0.9) return await this.#points()
    if (dice < 0.94) return await this.#merge()
    if (dice < 0.97 || this.#accesses.length === 0) return await this.#grant()
    return await this.#revoke()
  }

  async #create(): Promise<void> {
    const { id, state } = this.#fresh()
    await this.#call({ method: 'POST', url: '/events', body: bodyOf(id, state) }, [eventStep(id, state)])
    this.#live.set(id, state)
  }

  async #update(id: string): Promise<void> {
    const state = { ...this.#live.get(id)!, content: this.#content() }
    const body = { content: state.content }
    await this.#call({ method: 'PUT', url: `/events/${id}`, body }, [eventStep(id, state)])
    this.#live.set(id, state)
  }

  async #trash(id: string): Promise<void> {
    const state = { ...this.#live.get(id)!, trashed: true }
    await this.#call({ method: 'DELETE', url: `/events/${id}` }, [eventStep(id, state)])
    this.#live.delete(id)
    this.#binned.set(id, state)
  }

  async #remove(id: string): Promise<void> {
    await this.#call({ method: 'DELETE', url: `/events/${id}` }, [eventStep(id, undefined)])
    this.#binned.delete(id)
  }

  /** Creates many events, and updates two existing ones. */
  async #batch(count: number): Promise<void> {
    const fresh = Array.from({ length: count }, () => this.#fresh())
    const [changed, trashed] = [...this.#live.keys()] as [string, string]
    const content = this.#content()
    const after: [string, EventState][] = [
      ...fresh.map(({ id, state }): [string, EventState] => [id, state]),
      [changed, { ...this.#live.get(changed)!, content }],
      [trashed, { ...this.#live.get(trashed)!, trashed: true }]
    ]
    const calls = [
      ...fresh.map(({ id, state }) => ({ method: 'events.create', params: bodyOf(id, state) })),
      { method: 'events.update', params: { id: changed, update: { content } } },
      { method: 'events.delete', params: { id: trashed } }
    ]
    await this.#call(
      { method: 'POST', url: '', body: calls },
      after.map(([id, state]) => eventStep(id, state))
    )
    for (const [id, state] of after) this.#live.set(id, state)
    this.#binned.set(trashed, this.#live.get(trashed)!)
    this.#live.delete(trashed)
  }

  async #dropFile(): Promise<void> {
    const [id, state] = [...this.#live].find(([, { files }]) => files.length === 1) ?? []
    if (id === undefined || !state) return await this.#send()
    const fileId = this.#fileIds.get(id)!
    const after = { ...state, files: [] }
    await this.#call({ method: 'DELETE', url: `/events/${id}/${fileId}` }, [eventStep(id, after)])
    this.#live.set(id, after)
  }

  /** Adds points to two series in one call. */
  async #points(): Promise<void> {
    while (this.holders.length < 2) {
      const id = createId()
      const body = { id, streamIds: [this.name], type: 'series:count/generic', time: 0 }
      const state = { content: '', streamId: this.name, trashed: false, files: [] }
      await this.#call({ method: 'POST', url: '/events', body }, [eventStep(id, state)])
      this.holders.push(id)
    }
    const count = 1 + this.random.below(300)
    // Often overwrites existing points.
    const start = Math.max(0, this.#time - (this.random.chance(0.3) ? this.random.below(50) : 0))
    this.#time = Math.max(this.#time, start + count)
    const step = new Map<string, string>()
    const data = this.holders.map(eventId => {
      const points = Array.from({ length: count }, (_, index) => [start + index, ++this.#serial] as const)
      for (const [time, value] of points) step.set(keyOf.point(eventId, time), String(value))
      return { eventId, data: { format: 'flatJSON', fields: ['deltaTime', 'value'], points } }
    })
    const body = { format: 'seriesBatch', data }
    await this.#call({ method: 'POST', url: '/series/batch', body }, [step])
  }

  /** Creates a stream with events, then deletes it so that they move to its parent. */
  async #merge(): Promise<void> {
    const id = `${this.name}-${++this.#serial}`
    await this.#stream(id, this.name)
    const fresh = [1, 2, 3].map(() => this.#fresh([], id))
    for (const { id: event, state } of fresh)
      await this.#call({ method: 'POST', url: '/events', body: bodyOf(event, state) }, [
        eventStep(event, state)
      ])
    const url = `/streams/${id}?mergeEventsWithParent=true`
    await this.#call({ method: 'DELETE', url }, [new Map([[keyOf.stream(id), 'trashed']])])
    const moved = fresh.map(({ id: event, state }): [string, EventState] => [
      event,
      { ...state, streamId: this.name }
    ])
    const gone = new Map([
      [keyOf.stream(id), undefined],
      ...moved.map(([event, state]): [string, string] => [keyOf.event(event), describe(state)])
    ])
    await this.#call({ method: 'DELETE', url }, [gone])
    for (const [event, state] of moved) this.#live.set(event, state)
  }

  async #grant(): Promise<void> {
    const name = `${this.name}-${++this.#serial}`
    const body = { name, type: 'app', permissions: [{ streamId: this.name, level: 'read' }] }
    const step = new Map([[keyOf.access(name), 'there']])
    const { access } = await this.#call({ method: 'POST', url: '/accesses', body }, [step])
    this.#accesses.push({ id: access.id, name })
  }

  async #revoke(): Promise<void> {
    const { id, name } = this.#accesses.shift()!
    const step = new Map([[keyOf.access(name), undefined]])
    await this.#call({ method: 'DELETE', url: `/accesses/${id}` }, [step])
  }

  async #stream(id: string, parentId?: string): Promise<void> {
    const body = { id, name: id, ...(parentId === undefined ? {} : { parentId }) }
    const step = new Map([[keyOf.stream(id), 'there']])
    await this.#call({ method: 'POST', url: '/streams', body }, [step])
  }

  #fresh(files: readonly string[] = [], streamId = this.name): { id: string; state: EventState } {
    return { id: createId(), state: { content: this.#content(), streamId, trashed: false, files } }
  }

  #content(): string {
    return `${this.name} ${++this.#serial} ${'x'.repeat(this.random.below(this.length))}`
  }

  #bytes(): Buffer {
    const size = this.random.pick([0, 100, 70_000, 400_000])
    return Buffer.alloc(size, `${this.name} ${++this.#serial} `)
  }

  async #call(message: Message, steps: readonly Step[]): ReturnType<Connection['call']> {
    const { token } = this
    const answer = await this.#connection.call(
      this.promises,
      { ...message, url: this.#url + message.url, token },
      steps
    )
    const { event } = answer
    if (event?.attachments?.length === 1) this.#fileIds.set(event.id, event.attachments[0].id)
    return answer
  }
}

function bodyOf(id: string, { content, streamId }: EventState): object {
  return { id, streamIds: [streamId], type: 'note/txt', content }
}

function eventStep(id: string, state: EventState | undefined): Step {
  return new Map([[keyOf.event(id), state && describe(state)]])
}

function integrityOf(bytes: Buffer): string {
  return `sha256-${createHash('sha256').update(bytes).digest('base64')}`
}
