/** Random actions of random accesses on random trees: permissions, visible data and notifications match the model. */
import t, { type Test } from 'tap'
import type { Level } from '../../../schemas/permission.js'
import { openCoffer, Client, type Answer, type Service } from '../../support/coffer.js'
import {
  PermissionModel,
  type Holder,
  type Left,
  type Place,
  type Thing
} from '../../support/permission-model.js'
import { Random } from '../../support/random.js'
import { socketOf, type TestSocket } from '../../support/socket.js'

const rounds = process.env['COFFER_TEST_LONG'] ? 12 : 1
const steps = process.env['COFFER_TEST_LONG'] ? 400 : 110
const firstSeed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

t.setTimeout(1_800_000)

/** Few ids, so that ids of deleted streams are reused. */
const ids = Array.from({ length: 12 }, (_, n) => `s${n}`)
const tags = ['x', 'y', 'z']
const rootOfTags = 'tags-migrated'
const prefixOfTags = 'tag-migrated-'
const levels: readonly Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']
const everything = { fromTime: -1e300, toTime: 1e300, state: 'all', limit: 10_000 }
const refused = 'invalid-access-token'

/** An access that acts. */
interface Actor {
  readonly client: Client
  readonly holder: Holder
  readonly socket: TestSocket | undefined
}

/** The expected outcome of a step: the id of an error, or a function that applies it to the model. */
type Outcome = string | (() => void)

class Run {
  readonly model = new PermissionModel(rootOfTags, prefixOfTags)
  readonly actors: Actor[] = []
  /** What has been done, for debugging. */
  readonly log: string[] = []
  /** The paths of what the step affects, before and after. */
  touched: Place[][] = []
  #count = 0

  constructor(
    private readonly t: Test,
    private readonly service: Service & { alice: Client },
    private readonly random: Random,
    private readonly owner: Client
  ) {}

  async begin(): Promise<void> {
    const account = new Map<string, Place>()
    const add = (id: string, kind: 'field' | 'mark', parent?: Place): Place => {
      const place = { id, parent, trashed: false, account: kind }
      account.set(id, place)
      return place
    }
    const root = add(':_system:account', 'field')
    const helpers = add(':_system:helpers', 'mark')
    for (const id of [':_system:active', ':_system:unique']) add(id, 'mark', helpers)
    const used = add(':_system:storageUsed', 'field', root)
    for (const id of [':system:email', ':_system:language']) add(id, 'field', root)
    for (const id of [':_system:dbDocuments', ':_system:attachedFiles']) add(id, 'field', used)
    for (const place of account.values()) this.model.add(place)
    const { events } = await this.owner.do('events.get', everything)
    for (const { id, streamIds } of events)
      this.model.things.set(id, {
        id,
        places: streamIds.map((streamId: string) => account.get(streamId)!),
        trashed: false,
        isHolder: false,
        isRunning: false,
        versions: []
      })
    const holder = { name: 'owner', type: 'personal', creator: undefined, expires: Infinity } as const
    const owner = { ...holder, granted: new Map(), ended: new Map(), isDeleted: false }
    this.model.holders.push(owner)
    this.actors.push({ client: this.owner, holder: owner, socket: undefined })
    for (let n = 0; n < 8; n++) await this.createStream(this.actors[0]!)
    for (let n = 0; n < 8; n++) await this.createEvent(this.actors[0]!)
    for (let n = 0; n < 5; n++) await this.grant(this.actors[0]!)
    for (const actor of this.actors.slice()) for (let n = 0; n < 2; n++) await this.grant(actor)
  }

  async step(): Promise<void> {
    const { random } = this
    if (random.chance(0.7)) this.service.clock.advance(random.pick([0.001, 1, 30]))
    const shares = this.actors.filter(({ holder }) => holder.creator)
    const actor =
      shares.length > 0 && random.chance(0.3)
        ? random.pick(shares)
        : random.chance(0.4)
          ? this.actors[0]!
          : random.pick(this.actors)
    const deeds: [number, (actor: Actor) => Promise<void>][] = [
      [4, a => this.createStream(a)],
      [4, a => this.moveStream(a)],
      [2, a => this.trashStream(a)],
      [2, a => this.renameStream(a)],
      [4, a => this.deleteStream(a)],
      [5, a => this.createEvent(a)],
      [1, a => this.createValue(a)],
      [3, a => this.updateEvent(a)],
      [2, a => this.deleteEvent(a)],
      [2, a => this.addPoints(a)],
      [4, a => this.grant(a)],
      [1, a => this.revoke(a)]
    ]
    let at = random.below(deeds.reduce((sum, [weight]) => sum + weight, 0))
    const [, deed] = deeds.find(([weight]) => (at -= weight) < 0)!
    this.touched = []
    await deed(actor)
    await this.listen()
  }

  // Actions

  async createStream(actor: Actor): Promise<void> {
    const { model, random } = this
    const id = random.chance(0.05) ? prefixOfTags + random.pick(tags) : random.pick(ids)
    const parentId = random.chance(0.3) ? null : this.anyId()
    const parent = parentId === null ? undefined : model.places.get(parentId)
    const expected = (): Outcome => {
      if (id === parentId) return 'invalid-operation'
      // The owner may recreate the streams of tags.
      if (actor.holder.type === 'personal' && id.startsWith(prefixOfTags) && parentId === rootOfTags) {
        if (model.places.has(id)) return 'item-already-exists'
        const made = this.tagging(actor, [id.slice(prefixOfTags.length)])
        return typeof made === 'string' ? made : () => void made()
      }
      const trouble = this.whyNotBelow(actor, parentId)
      if (trouble) return trouble
      if (model.isTag(id)) return 'invalid-item-id'
      if (model.places.has(id)) return 'item-already-exists'
      return () => void model.add({ id, parent, trashed: false })
    }
    await this.expect(actor, 'streams.create', { id, name: id, parentId }, expected)
  }

  async moveStream(actor: Actor): Promise<void> {
    const { model, random } = this
    const id = this.anyId()
    const parentId = random.chance(0.2) ? null : this.anyId()
    const expected = (): Outcome => {
      const place = model.places.get(id)
      if (!place) return 'unknown-resource'
      if (!model.may(actor.holder, 'manage', place)) return 'forbidden'
      const { parent } = place
      const isSeen = !parent || model.may(actor.holder, 'list', parent)
      if ((parent?.id ?? null) === parentId && isSeen) return () => undefined
      if (!model.managesAll(actor.holder, place)) return 'forbidden'
      if (id === rootOfTags) return 'invalid-operation'
      const trouble = this.whyNotBelow(actor, parentId, place)
      if (trouble) return trouble
      return () => void (place.parent = parentId === null ? undefined : model.places.get(parentId)!)
    }
    await this.expect(actor, 'streams.update', { id, update: { parentId } }, expected)
  }

  async renameStream(actor: Actor): Promise<void> {
    const id = this.anyId()
    const expected = (): Outcome => {
      const place = this.model.places.get(id)
      if (!place) return 'unknown-resource'
      return this.model.may(actor.holder, 'manage', place) ? () => undefined : 'forbidden'
    }
    const clientData = { a: this.#count++ }
    await this.expect(actor, 'streams.update', { id, update: { clientData } }, expected)
  }

  async trashStream(actor: Actor): Promise<void> {
    const { model, random } = this
    const id = this.anyId()
    const trashed = random.chance(0.4)
    const expected = (): Outcome => {
      const place = model.places.get(id)
      if (!place) return 'unknown-resource'
      if (!model.may(actor.holder, 'manage', place)) return 'forbidden'
      if (place.trashed !== trashed && !model.managesAll(actor.holder, place)) return 'forbidden'
      return () => void (place.trashed = trashed)
    }
    await this.expect(actor, 'streams.update', { id, update: { trashed } }, expected)
  }

  async deleteStream(actor: Actor): Promise<void> {
    const { model, random } = this
    const inTrash = [...model.places.values()].filter(({ trashed }) => trashed).map(({ id }) => id)
    const id = inTrash.length > 0 && random.chance(0.7) ? random.pick(inTrash) : this.anyId()
    const merge = random.pick([true, false, undefined])
    const expected = (): Outcome => {
      const place = model.places.get(id)
      if (!place) return 'unknown-resource'
      if (!model.managesAll(actor.holder, place)) return 'forbidden'
      if (!place.trashed) return () => void (place.trashed = true)
      const gone = model.subtree(place)
      const within = [...model.things.values()].filter(({ places }) => places.some(one => gone.includes(one)))
      if (within.some(thing => !model.maySee(actor.holder, thing))) return 'forbidden'
      const { parent } = place
      if (merge && !parent) return 'invalid-operation'
      if (within.length > 0 && merge === undefined) return 'invalid-parameters-format'
      if (within.length > 0 && merge) {
        if (!model.may(actor.holder, 'contribute', parent!)) return 'forbidden'
        if (actor.holder.type !== 'personal' && model.isTag(parent!.id)) return 'forbidden'
      }
      return () => {
        for (const thing of within) {
          this.touched.push(thing.places)
          model.keep(thing)
          const left = thing.places.flatMap(one => (gone.includes(one) ? (merge ? [parent!] : []) : [one]))
          if (left.length === 0) model.bury(thing)
          else thing.places = [...new Set(left)]
          this.touched.push(thing.places)
        }
        model.remove(gone.toReversed())
      }
    }
    const params = { id, ...(merge !== undefined && { mergeEventsWithParent: merge }) }
    const answer = await this.expect(actor, 'streams.delete', params, expected)
    for (const updated of answer.updatedEvents ?? [])
      if (!model.things.has(updated.id) && !model.leftThings.some(left => left.id === updated.id))
        this.fail(`${updated.id} is told of`)
  }

  async createEvent(actor: Actor): Promise<void> {
    const { model, random } = this
    const id = `cthing${String(this.#count++).padStart(19, '0')}`
    const streamIds = [...new Set(random.some([...ids, ...this.ownIds()], 3))]
    const wanted = random.chance(0.3) ? [...new Set(random.some(tags, 2))] : []
    const isHolder = random.chance(0.3)
    const isRunning = !isHolder && random.chance(0.1)
    const expected = (): Outcome => {
      const places = streamIds.map(streamId => model.places.get(streamId))
      if (places.some(place => !place)) return 'unknown-referenced-resource'
      if (!places.every(place => model.may(actor.holder, 'create', place!))) return 'forbidden'
      if (places.some(place => model.isInTrash(place!))) return 'invalid-operation'
      const tagged = this.tagging(actor, wanted)
      if (typeof tagged === 'string') return tagged
      return () => {
        const all = [...new Set([...(places as Place[]), ...tagged()])]
        model.things.set(id, { id, places: all, trashed: false, isHolder, isRunning, versions: [] })
        this.touched.push(all)
      }
    }
    const content = isHolder ? null : 'x'
    const type = isHolder ? 'series:mass/kg' : 'note/txt'
    const params = { id, streamIds, type, content, tags: wanted, time: this.service.clock.now() - 1000 }
    await this.expect(actor, 'events.create', { ...params, ...(isRunning && { duration: null }) }, expected)
  }

  /** Creates a value of an account field: `*` does not permit writing one. */
  async createValue(actor: Actor): Promise<void> {
    const { model } = this
    const field = model.places.get(':_system:language')!
    // Other effects of a new value have their own tests.
    if (model.may(actor.holder, 'create', field)) return
    const params = { streamIds: [field.id], type: 'language/iso-639-1', content: 'fr' }
    await this.expect(actor, 'events.create', params, () => 'forbidden')
  }

  async updateEvent(actor: Actor): Promise<void> {
    const { model, random } = this
    const thing = this.anyThing()
    if (!thing) return
    const streamIds = random.chance(0.3)
      ? undefined
      : [...new Set(random.some([...ids, ...this.ownIds()], 3))]
    const expected = (): Outcome => {
      if (!model.mayChange(actor.holder, thing)) return 'forbidden'
      if (!streamIds)
        return () => {
          model.keep(thing)
          this.touched.push(thing.places)
        }
      const places = streamIds.map(streamId => model.places.get(streamId))
      if (places.some(place => !place)) return 'unknown-referenced-resource'
      const added = places.filter(place => !thing.places.includes(place!)) as Place[]
      const taken = thing.places.filter(place => !places.includes(place))
      const moved = [...added, ...taken]
      if (!moved.every(place => model.may(actor.holder, 'contribute', place))) return 'forbidden'
      if (added.some(place => model.isInTrash(place))) return 'invalid-operation'
      return () => {
        model.keep(thing)
        this.touched.push(thing.places, places as Place[])
        thing.places = places as Place[]
      }
    }
    const update = { description: `d${this.#count++}`, ...(streamIds && { streamIds }) }
    await this.expect(actor, 'events.update', { id: thing.id, update }, expected)
  }

  async deleteEvent(actor: Actor): Promise<void> {
    const { model } = this
    const thing = this.anyThing()
    if (!thing) return
    const expected = (): Outcome => {
      if (!model.mayChange(actor.holder, thing)) return 'forbidden'
      return () => {
        this.touched.push(thing.places)
        if (thing.trashed) model.bury(thing)
        else {
          model.keep(thing)
          thing.trashed = true
        }
      }
    }
    await this.expect(actor, 'events.delete', { id: thing.id }, expected)
  }

  async addPoints(actor: Actor): Promise<void> {
    const holders = [...this.model.things.values()].filter(({ isHolder }) => isHolder)
    if (holders.length === 0) return
    const thing = this.random.pick(holders)
    const expected = (): Outcome => {
      if (!this.model.mayAddPoints(actor.holder, thing)) return 'forbidden'
      return thing.trashed ? 'invalid-operation' : () => undefined
    }
    const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[this.#count++, 1]] }
    const answer = await this.expect(actor, 'hfs.add', { id: thing.id, ...points }, expected)
    // The holder event follows its series within a second.
    await this.service.server.settle()
    if (!answer.error) this.touched.push(thing.places)
  }

  async grant(actor: Actor): Promise<void> {
    const { model, random } = this
    const { holder } = actor
    if (this.actors.length > 16) return await this.revoke(this.actors[0]!)
    const type = holder.type === 'personal' ? random.pick(['app', 'app', 'shared'] as const) : 'shared'
    let granted = this.levels(holder)
    // Random permissions mostly exceed those of the app.
    for (let n = 0; n < 30 && holder.type === 'app' && !this.isShareable(holder, granted); n++)
      granted = this.levels(holder)
    const left = holder.expires - this.service.clock.now()
    const expireAfter = Number.isFinite(left)
      ? left / 2
      : random.chance(0.2)
        ? 60 + random.below(600)
        : undefined
    const name = `${type} ${this.#count++}`
    const permissions = Array.from(granted, ([streamId, level]) => ({ streamId, level }))
    const expected = (): Outcome => {
      if (holder.type === 'shared') return 'forbidden'
      if (holder.type === 'app') {
        if (permissions.length === 0 || !model.covers(holder, granted)) return 'forbidden'
        if (!this.isShareable(holder, granted)) return 'unknown-referenced-resource'
      }
      return () => undefined
    }
    const params = { name, type, permissions, ...(expireAfter !== undefined && { expireAfter }) }
    const { access } = await this.expect(actor, 'accesses.create', params, expected)
    if (!access) return
    const expires = access.expires ?? Infinity
    const creator = holder.type === 'app' ? holder : undefined
    const made: Holder = { name, type, creator, granted, ended: new Map(), expires, isDeleted: false }
    model.holders.push(made)
    const client = new Client(this.service, this.owner.username, access)
    const socket = random.chance(0.5) ? await socketOf(this.t, client) : undefined
    this.actors.push({ client, holder: made, socket })
  }

  /** Ends an access: by the owner, by the app that shared it, or by itself. */
  async revoke(actor: Actor): Promise<void> {
    const others = this.actors.slice(1)
    if (others.length === 0) return
    const target = this.random.pick(others)
    const { holder } = target
    const expected = (): Outcome => {
      if (holder.isDeleted) return 'unknown-resource'
      if (actor.holder.type !== 'personal' && holder !== actor.holder && holder.creator !== actor.holder)
        return 'forbidden'
      return () => {
        const now = this.service.clock.now()
        holder.isDeleted = true
        for (const one of this.model.holders)
          if (one.creator === holder && one.expires > now) one.isDeleted = true
      }
    }
    await this.expect(actor, 'accesses.delete', { id: target.client.access.id }, expected)
    if (holder.isDeleted) this.actors.splice(this.actors.indexOf(target), 1)
  }

  // Reads

  async look(): Promise<void> {
    for (const actor of this.actors) {
      const { client, holder } = actor
      if (!this.model.isInForce(holder, this.service.clock.now())) {
        for (const method of ['events.get', 'streams.get', 'getAccessInfo'])
          this.same(actor, method, (await client.call(method)).error?.id, refused)
        continue
      }
      await this.lookAtLists(actor)
      await this.lookAtSums(actor)
      await this.lookAtStreams(actor)
      await this.lookAtThings(actor)
    }
  }

  async lookAtLists(actor: Actor): Promise<void> {
    const { model, random } = this
    const { client, holder } = actor
    const things = [...model.things.values()]
    const seen = things.filter(thing => model.maySee(holder, thing))
    const isLive = ({ places }: Thing): boolean =>
      places.some(place => model.may(holder, 'read', place) && !model.isInTrash(place))
    const get = async (params: object): Promise<string[]> =>
      (await client.do('events.get', { ...everything, ...params })).events.map(({ id }: Answer) => id)
    const same = (what: string, found: string[], expected: Thing[]): void =>
      this.same(actor, what, found.toSorted(), expected.map(({ id }) => id).toSorted())
    same('all', await get({}), seen)
    same(
      'live',
      await get({ state: 'default' }),
      seen.filter(thing => !thing.trashed && isLive(thing))
    )
    same(
      'trash',
      await get({ state: 'trashed' }),
      seen.filter(({ trashed }) => trashed)
    )
    same(
      'running',
      await get({ running: true }),
      seen.filter(({ isRunning }) => isRunning)
    )
    const [limited] = [await get({ limit: 3, skip: 1 })]
    this.same(actor, 'count', limited.length, Math.max(0, Math.min(3, seen.length - 1)))
    const tag = random.pick(tags)
    const ofTag = (thing: Thing): boolean => thing.places.some(({ id }) => id === prefixOfTags + tag)
    same('tagged', await get({ tags: [tag] }), seen.filter(ofTag))
    const isIn = (id: string) => (thing: Thing) =>
      thing.places.some(place => model.path(place).some(at => at.id === id))
    const listed = (id: string): boolean =>
      id === ':_system:active' || (model.places.has(id) && model.may(holder, 'list', model.places.get(id)!))
    for (const id of [this.anyId(), this.anyId(), ':_system:active', ':system:email'])
      for (const form of [{ any: ['*'], not: [id] }, JSON.stringify([{ any: ['*'], not: [id] }])])
        same(
          `not ${id}`,
          await get({ streams: form }),
          seen.filter(thing => !(listed(id) && isIn(id)(thing)))
        )
    const readable = [...model.places.values()].filter(place => model.may(holder, 'read', place))
    const isReadIn = (id: string) => (thing: Thing) =>
      thing.places.some(at => readable.includes(at) && model.path(at).some(above => above.id === id))
    const [one, other, third] = [this.anyId(), this.anyId(), this.anyId()]
    const place = model.places.get(one)
    const answer = await client.call('events.get', {
      ...everything,
      streams: [{ any: [one], all: [other], not: [third] }]
    })
    const expected = !place
      ? 'unknown-referenced-resource'
      : readable.includes(place)
        ? seen
            .filter(isReadIn(one))
            .filter(thing => listed(other) && isIn(other)(thing))
            .filter(thing => !(listed(third) && isIn(third)(thing)))
            .map(({ id }) => id)
            .toSorted()
        : 'forbidden'
    const found = answer.error?.id ?? answer.events.map(({ id }: Answer) => id).toSorted()
    this.same(actor, `${one} and ${other}, not ${third}`, found, expected)
    const { eventDeletions } = await client.do('events.get', {
      ...everything,
      modifiedSince: 0,
      includeDeletions: true
    })
    this.same(
      actor,
      'deletions',
      eventDeletions.map(({ id }: Answer) => id).toSorted(),
      known(model.leftThings, left => model.mayKnow(holder, left)).toSorted()
    )
  }

  /** Checks that aggregates and other derived data cover the same events as lists. */
  async lookAtSums(actor: Actor): Promise<void> {
    const { model } = this
    const { client, holder } = actor
    const seen = [...model.things.values()].filter(thing => model.maySee(holder, thing))
    const notes = seen.filter(({ id, isHolder }) => !isHolder && id.startsWith('cthing'))
    const { limit: _all, ...always } = everything
    const exported = await client.do('events.export', { format: 'json', ...always })
    this.same(actor, 'exported', idsOf(JSON.parse(exported.export.text)), idsOf(seen))
    const found = await client.do('events.get', { ...everything, text: 'x' })
    this.same(actor, 'found by text', idsOf(found.events), idsOf(notes))
    const range = { types: ['note/txt'], fromTime: 0, toTime: 4e9, parts: 1 }
    const { samples } = await client.do('events.sample', { ...range, state: 'all' })
    this.same(actor, 'summed up', samples[0]?.count ?? 0, notes.length)
    const facts = new Map<string, number>()
    for (const { isHolder, places, trashed } of seen)
      for (const place of places) {
        if (trashed || place.account || model.isInTrash(place) || !model.may(holder, 'read', place)) continue
        const key = `${place.id} ${isHolder ? 'series:mass/kg' : 'note/txt'}`
        facts.set(key, (facts.get(key) ?? 0) + 1)
      }
    const told = (await client.do('streams.facts')).facts as Answer[]
    this.same(
      actor,
      'facts',
      told
        .filter(({ streamId }) => !streamId.startsWith(':'))
        .map(({ count, streamId, type }) => `${streamId} ${type} ${count}`)
        .toSorted(),
      Array.from(facts, ([key, count]) => `${key} ${count}`).toSorted()
    )
  }

  async lookAtStreams(actor: Actor): Promise<void> {
    const { model } = this
    const { client, holder } = actor
    const flat = (streams: Answer[]): string[] =>
      streams.flatMap(({ id, children }) => [id, ...flat(children)])
    const places = [...model.places.values()].filter(place => model.may(holder, 'list', place))
    const all = await client.do('streams.get', { state: 'all', includeDeletionsSince: 0 })
    const names = (list: Place[]): string[] => own(list.map(({ id }) => id))
    this.same(actor, 'streams', own(flat(all.streams)), names(places))
    const { streams } = await client.do('streams.get')
    this.same(
      actor,
      'live streams',
      own(flat(streams)),
      names(places.filter(place => !model.isInTrash(place)))
    )
    for (const { id, parentId } of all.streams) {
      const parent = model.places.get(id)?.parent
      this.same(actor, `parent of ${id}`, parentId, null)
      if (parent && model.may(holder, 'list', parent)) this.fail(`${id} stands by itself`)
    }
    if (holder.type !== 'personal') {
      const records = holder.type === 'app' ? [`:_audit:access-${client.access.id}`] : []
      this.same(
        actor,
        'account streams, and that of own records',
        flat(all.streams)
          .filter(id => id.startsWith(':'))
          .toSorted(),
        [...records, ...places.flatMap(({ account, id }) => (account ? [id] : []))].toSorted()
      )
    }
    this.same(
      actor,
      'stream deletions',
      all.streamDeletions.map(({ id }: Answer) => id).toSorted(),
      model.leftPlaces
        .filter(left => model.couldList(holder, left))
        .map(({ id }) => id)
        .toSorted()
    )
    const id = this.anyId()
    const place = model.places.get(id)
    const isListed = place && model.may(holder, 'list', place)
    this.same(
      actor,
      `below ${id}`,
      (await client.call('streams.get', { parentId: id })).error?.id,
      place ? (isListed ? undefined : 'forbidden') : 'unknown-referenced-resource'
    )
  }

  async lookAtThings(actor: Actor): Promise<void> {
    const { model } = this
    const { client, holder } = actor
    for (const thing of model.things.values()) {
      const expected = model.maySee(holder, thing) ? undefined : 'forbidden'
      const { id } = thing
      const { error, history } = await client.call('events.getOne', { id, includeHistory: true })
      this.same(actor, `one ${id}`, error?.id, expected)
      if (!error && !thing.places.some(({ account }) => account)) {
        const versions = thing.versions.filter(paths => model.mayKnow(holder, { id, paths }))
        this.same(
          actor,
          `versions of ${id}`,
          history.map(({ streamIds }: Answer) => streamIds.join(' ')),
          versions.map(paths => paths.map(([place]) => place!.id).join(' '))
        )
      }
      if (thing.isHolder)
        this.same(actor, `points of ${id}`, (await client.call('hfs.get', { id })).error?.id, expected)
    }
    for (const left of this.random.some(model.leftThings, 3).filter(Boolean))
      this.same(
        actor,
        `gone ${left.id}`,
        (await client.call('events.getOne', { id: left.id })).error?.id,
        model.mayKnow(holder, left) ? undefined : 'unknown-resource'
      )
  }

  /** Checks that exactly the accesses that can see a change, before or after it, were notified. */
  async listen(): Promise<void> {
    const { model } = this
    const now = this.service.clock.now()
    for (const actor of this.actors) {
      const { holder, socket } = actor
      if (!socket) continue
      if (!model.isInForce(holder, now)) {
        await socket.closed()
        continue
      }
      const hasHeard = (await socket.news()).includes('eventsChanged')
      const isHidden = (places: Place[]): boolean =>
        places.some(place => model.level(holder, place) === 'none') ||
        !places.some(place => model.may(holder, 'list', place))
      const isGone = (places: Place[]): boolean => places.some(place => model.places.get(place.id) !== place)
      const must = this.touched.some(places => !isGone(places) && model.maySee(holder, { places }))
      const may = this.touched.some(places => isGone(places) || !isHidden(places))
      if (must && !hasHeard) this.same(actor, 'hears', hasHeard, must)
      if (hasHeard && !may) this.same(actor, 'hears', hasHeard, may)
    }
  }

  // Assertions

  async expect(actor: Actor, method: string, params: object, expected: () => Outcome): Promise<Answer> {
    const isInForce = this.model.isInForce(actor.holder, this.service.clock.now())
    const outcome = isInForce ? expected() : refused
    const isInBatch = isInForce && this.random.chance(0.2)
    const [answer, list] = isInBatch
      ? (
          await actor.client.do('callBatch', [
            { method, params },
            { method: 'events.get', params: everything }
          ])
        ).results
      : [await actor.client.call(method, params)]
    this.log.push(`${actor.holder.name}: ${method} ${JSON.stringify(params)} → ${answer.error?.id ?? 'done'}`)
    this.same(
      actor,
      `${method} ${JSON.stringify(params)}`,
      answer.error?.id,
      typeof outcome === 'string' ? outcome : undefined
    )
    if (typeof outcome !== 'string') outcome()
    if (isInBatch && this.model.isInForce(actor.holder, this.service.clock.now()))
      this.same(
        actor,
        `what a batch reads after ${method}`,
        list.events.map(({ id }: Answer) => id).toSorted(),
        [...this.model.things.values()]
          .filter(thing => this.model.maySee(actor.holder, thing))
          .map(({ id }) => id)
          .toSorted()
      )
    else if (isInBatch) this.same(actor, 'a batch after the end', list.error?.id, refused)
    return answer
  }

  whyNotBelow({ holder }: Actor, parentId: string | null, moved?: Place): string | undefined {
    const { model } = this
    const isReturning = parentId === rootOfTags && moved && model.isTag(moved.id)
    if (parentId !== null && model.isTag(parentId) && !isReturning) return 'invalid-operation'
    const parent = parentId === null ? undefined : model.places.get(parentId)
    if (parentId !== null && !parent) return 'unknown-referenced-resource'
    if (!model.may(holder, 'manage', parent ?? '*')) return 'forbidden'
    const isTooLow = parent && (model.isInTrash(parent) || (moved && model.path(parent).includes(moved)))
    return isTooLow ? 'invalid-operation' : undefined
  }

  /** Returns the expected effect of tagging: the service creates the streams. */
  tagging({ holder }: Actor, wanted: readonly string[]): string | (() => Place[]) {
    const { model } = this
    const made: Place[] = []
    const undo: (() => void)[] = []
    const root = (): Place => {
      const place = model.places.get(rootOfTags)
      if (!place) return add(rootOfTags, undefined)
      set(place, undefined, false)
      return place
    }
    const add = (id: string, parent: Place | undefined): Place => {
      const place = { id, parent, trashed: false }
      const left = [...model.leftPlaces]
      undo.push(() => {
        model.places.delete(id)
        model.leftPlaces.splice(0, model.leftPlaces.length, ...left)
      })
      return model.add(place)
    }
    const set = (place: Place, parent: Place | undefined, trashed: boolean): void => {
      const before = { parent: place.parent, trashed: place.trashed }
      undo.push(() => void Object.assign(place, before))
      Object.assign(place, { parent, trashed })
    }
    const refuse = (id: string): string => {
      for (const one of undo.toReversed()) one()
      return id
    }
    for (const tag of wanted) {
      const id = prefixOfTags + tag
      let place = model.places.get(id)
      if (!place) place = add(id, root())
      else {
        if (place.parent?.id === rootOfTags) root()
        if (!place.trashed && model.isInTrash(place)) set(place, root(), false)
      }
      if (model.level(holder, place) === 'none') return refuse('forbidden')
      if (model.isInTrash(place)) return refuse('invalid-operation')
      made.push(place)
    }
    return () => made
  }

  isShareable(holder: Holder, granted: ReadonlyMap<string, Level>): boolean {
    const isThere = ([id, level]: [string, Level]): boolean =>
      level === 'none' || id === '*' || this.model.places.has(id)
    return granted.size > 0 && this.model.covers(holder, granted) && [...granted].every(isThere)
  }

  /** Returns permissions to request: an app mostly requests what it has. */
  levels(holder: Holder): Map<string, Level> {
    const { model, random } = this
    const made = new Map<string, Level>()
    const own = holder.type === 'app' ? [...holder.granted] : []
    for (const [id, level] of own)
      if (random.chance(0.8)) made.set(id, random.chance(0.7) ? level : random.pick(levels))
    const account = [':system:email', ':_system:language', ':_system:account']
    const count = own.length > 0 && random.chance(0.6) ? 0 : 1 + random.below(4)
    for (let n = 0; n < count; n++) {
      const id = random.chance(0.12) ? '*' : random.chance(0.1) ? random.pick(account) : this.anyId()
      const level = random.pick(levels)
      if (id.startsWith(':') && level === 'manage') continue
      made.set(id, id === '*' && level === 'none' ? 'read' : level)
    }
    for (const id of made.keys())
      if (model.places.get(id)?.account === 'mark' || (id.startsWith(':') && made.get(id) === 'manage'))
        made.delete(id)
    return made
  }

  anyId(): string {
    const { random } = this
    const own = this.ownIds()
    return own.length > 0 && random.chance(0.85) ? random.pick(own) : random.pick(ids)
  }

  ownIds(): string[] {
    return [...this.model.places.values()].filter(({ account }) => !account).map(({ id }) => id)
  }

  anyThing(): Thing | undefined {
    const own = [...this.model.things.values()].filter(({ places }) => !places.some(({ account }) => account))
    return own.length > 0 ? this.random.pick(own) : undefined
  }

  same(actor: Actor, what: string, found: unknown, expected: unknown): void {
    if (JSON.stringify(found) === JSON.stringify(expected)) return
    const { creator, ended, granted, name } = actor.holder
    const holders = [{ name, granted, ended }, ...(creator ? [creator] : [])].map(one =>
      JSON.stringify({
        name: one.name,
        granted: Object.fromEntries(one.granted),
        ended: [...one.ended].map(([id, { level }]) => [id, level])
      })
    )
    const tree = [...this.model.places.values()]
      .filter(({ account }) => !account)
      .map(({ id, parent, trashed }) => `${parent?.id ?? ''}/${id}${trashed ? '*' : ''}`)
    this.t.same(found, expected, what)
    const things = [...this.model.things.values()]
      .filter(({ places }) => !places.some(({ account }) => account))
      .map(
        ({ id, places, trashed }) => `${id}${trashed ? '*' : ''}: ${places.map(place => place.id).join(' ')}`
      )
    throw new Error([what, ...holders, tree.join(' '), things.join(', '), ...this.log.slice(-15)].join('\n'))
  }

  fail(what: string): never {
    throw new Error([what, ...this.log.slice(-15)].join('\n'))
  }
}

for (let seed = firstSeed; seed < firstSeed + rounds; seed++)
  t.test(`permissions match the model, seed ${seed}`, async t => {
    const service = await openCoffer(t, {
      throttle: { invalidTokens: 1e9 },
      versioning: { forceKeepHistory: true }
    })
    const owner = await service.user('daisy', { email: 'daisy@example.com' })
    const run = new Run(t, service, new Random(seed), owner)
    await run.begin()
    for (let step = 0; step < steps; step++) {
      await run.step()
      if (step % 5 === 0) await run.look()
    }
    t.pass(`${run.log.length} calls`)
  })

function known(left: readonly Left[], may: (one: Left) => boolean): string[] {
  return left.filter(may).map(({ id }) => id)
}

function idsOf(things: readonly { id: string }[]): string[] {
  return things.map(({ id }) => id).toSorted()
}

/** Removes the ids of the service's own streams. */
function own(found: readonly string[]): string[] {
  return found.filter(id => !id.startsWith(':')).toSorted()
}
