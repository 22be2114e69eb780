/** What a client knows of its events: acknowledged changes, and pending ones. */

/** State of an event, as far as this client changes it; `undefined` before it is created, or after it is deleted. */
export interface State {
  readonly content: string
  readonly streamId: string
  readonly trashed: boolean
}

/** One of the client's own events; its key is stored in `clientData`. */
export class Item {
  id: string | undefined
  /** The last acknowledged state. */
  state: State | undefined
  /** What a pending call requested. */
  pending: { readonly state: State | undefined } | undefined

  constructor(readonly key: string) {}

  /** Returns whether the event may have this state after a crash. */
  allows(found: State | undefined): boolean {
    return isSame(found, this.state) || (this.pending !== undefined && isSame(found, this.pending.state))
  }

  /** Accepts the found state as the current one. */
  settle(found: State | undefined): void {
    this.state = found
    this.pending = undefined
  }
}

/** Items that one call changes together: after a crash all of them have changed, or none. */
export type Group = readonly Item[]

/** The service's data after a crash. */
export interface Found {
  /** By key. */
  readonly events: ReadonlyMap<string, { readonly id: string; readonly state: State }>
  /** Ids of deleted events. */
  readonly deletions: ReadonlySet<string>
}

export class Ledger {
  readonly items = new Map<string, Item>()
  /** Pending calls that change several items in one transaction. */
  groups: Group[] = []
  /** Items of a pending batch, in the order of its calls: the completed calls are the first ones. */
  sequences: Group[] = []
  #count = 0

  constructor(readonly name: string) {}

  /** Adds an item that has not been created yet. */
  item(): Item {
    const item = new Item(`${this.name}-${this.#count++}`)
    this.items.set(item.key, item)
    return item
  }

  /** Returns items that exist and are not in the trash. */
  live(): Item[] {
    return [...this.items.values()].filter(item => item.state && !item.state.trashed)
  }

  /** Returns items in the trash. */
  binned(): Item[] {
    return [...this.items.values()].filter(item => item.state?.trashed)
  }

  /** Returns differences between the found and the known state; then accepts the found state as the known one. */
  reconcile(found: Found): string[] {
    const wrong: string[] = []
    const isDone = (item: Item): boolean => {
      const state = found.events.get(item.key)?.state
      return item.pending !== undefined && isSame(state, item.pending.state) && !isSame(state, item.state)
    }
    for (const group of this.groups)
      if (new Set(group.map(isDone)).size > 1)
        wrong.push(`half done: ${group.map(({ key }) => key).join(', ')}`)
    for (const sequence of this.sequences) {
      const done = sequence.map(isDone)
      if (done.indexOf(false) >= 0 && done.lastIndexOf(true) > done.indexOf(false))
        wrong.push(`out of order: ${sequence.map(({ key }) => key).join(', ')}`)
    }
    this.groups = []
    this.sequences = []
    for (const item of this.items.values()) {
      const event = found.events.get(item.key)
      if (!item.allows(event?.state))
        wrong.push(
          `${item.key} is ${textOf(event?.state)}, not ${textOf(item.state)}, nor ${textOf(item.pending?.state)}`
        )
      if (event && item.id !== undefined && event.id !== item.id) wrong.push(`${item.key} has another id`)
      item.id = event?.id ?? item.id
      if (!event && item.id !== undefined && !found.deletions.has(item.id))
        wrong.push(`${item.key} is gone without a record`)
      item.settle(event?.state)
    }
    return wrong
  }
}

function isSame(a: State | undefined, b: State | undefined): boolean {
  return a?.content === b?.content && a?.streamId === b?.streamId && a?.trashed === b?.trashed
}

function textOf(state: State | undefined): string {
  return state ? JSON.stringify(state) : 'absent'
}
