/** What a client knows of its events: what was acknowledged, and what it asked for without hearing back. */

/** State of an event, as far as this client changes it; `undefined` while it is not there, or deleted. */
export interface State {
  readonly content: string
  readonly streamId: string
  readonly trashed: boolean
}

/** An event of the client's own; its key is kept in `clientData`. */
export class Item {
  id: string | undefined
  /** As last acknowledged. */
  state: State | undefined
  /** What an unanswered call asked for. */
  pending: { readonly state: State | undefined } | undefined

  constructor(readonly key: string) {}

  /** Whether the event may be in this state after a crash. */
  allows(found: State | undefined): boolean {
    return isSame(found, this.state) || (this.pending !== undefined && isSame(found, this.pending.state))
  }

  /** Takes what was found for what is. */
  settle(found: State | undefined): void {
    this.state = found
    this.pending = undefined
  }
}

/** Items that one call changes together: after a crash all of them have changed or none has. */
export type Group = readonly Item[]

/** What the service has after a crash. */
export interface Found {
  /** By key. */
  readonly events: ReadonlyMap<string, { readonly id: string; readonly state: State }>
  /** Ids of deleted events. */
  readonly deletions: ReadonlySet<string>
}

export class Ledger {
  readonly items = new Map<string, Item>()
  /** Unanswered calls that change several items at once. */
  groups: Group[] = []
  /** Items of an unanswered batch, in the order of its calls: what was done is a beginning of it. */
  sequences: Group[] = []
  #count = 0

  constructor(readonly name: string) {}

  /** A new item, which is not there yet. */
  item(): Item {
    const item = new Item(`${this.name}-${this.#count++}`)
    this.items.set(item.key, item)
    return item
  }

  /** Items that are there and not in the trash. */
  live(): Item[] {
    return [...this.items.values()].filter(item => item.state && !item.state.trashed)
  }

  /** Items in the trash. */
  binned(): Item[] {
    return [...this.items.values()].filter(item => item.state?.trashed)
  }

  /** Holds what was found against what is known; answers what is wrong. Afterwards what was found is what is known. */
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
