/** What a call changed, and who wants to know: collected while it runs, published once it is durable. (service.md, Events) */

/** Kinds of changes, in the order in which they are told. */
export const changeKinds = ['streams', 'events', 'accesses', 'account', 'followedSlices'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** One change: what kind of thing, and the ids of the streams it concerns (`*`: whatever stream). */
export interface Change {
  readonly kind: ChangeKind
  readonly streamIds: ReadonlySet<string>
  /** Accesses that the change is about (created, deleted, …). */
  readonly accessIds: ReadonlySet<string>
}

/** The changes of one call: at most one of each kind. */
export class Changes {
  readonly #streams = new Map<ChangeKind, { streamIds: Set<string>; accessIds: Set<string> }>()

  /** Notes that something of this kind changed in these streams. */
  add(kind: ChangeKind, streamIds: Iterable<string> = [], accessId?: string): void {
    let change = this.#streams.get(kind)
    if (!change) this.#streams.set(kind, (change = { streamIds: new Set(), accessIds: new Set() }))
    for (const id of streamIds) change.streamIds.add(id)
    if (accessId !== undefined) change.accessIds.add(accessId)
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0
  }

  list(): Change[] {
    return changeKinds.flatMap(kind => {
      const change = this.#streams.get(kind)
      return change ? [{ kind, ...change }] : []
    })
  }
}

/** Hears of a change of a user's data after it is on disk. */
export type ChangeListener = (username: string, change: Change) => void

/** Carries changes to whoever listens. This one works within the process; another may reach across processes. */
export interface ChangeBus {
  publish(username: string, changes: Changes): void
  /** Answers the function that ends the subscription. */
  subscribe(listener: ChangeListener): () => void
}

export class LocalChangeBus implements ChangeBus {
  readonly #listeners = new Set<ChangeListener>()

  constructor(private readonly onTrouble: (error: unknown) => void) {}

  publish(username: string, changes: Changes): void {
    if (changes.isEmpty || this.#listeners.size === 0) return
    for (const change of changes.list())
      for (const listener of this.#listeners) {
        try {
          listener(username, change)
        } catch (error) {
          this.onTrouble(error)
        }
      }
  }

  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
