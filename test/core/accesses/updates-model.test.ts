/** Random updates of accesses by their owner, apps and shares, compared with a plain model of the written rules. */
import t from 'tap'
import type { Level } from '../../../schemas/permission.js'
import { Client, coffer, type Answer } from '../../support/coffer.js'
import { seeded } from '../../support/random.js'

const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 5000 : 250

/** Each stream with those above it, itself first; `*` stands for all others. */
const paths: Readonly<Record<string, readonly string[]>> = {
  a: ['a', '*'],
  b: ['b', 'a', '*'],
  c: ['c', '*'],
  '*': ['*']
}
const order: readonly Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']
type Levels = Readonly<Record<string, Level>>

interface State {
  readonly name: string
  readonly levels: Levels
  readonly expires: number | undefined
}

interface Known extends State {
  readonly client: Client
  readonly type: 'app' | 'shared'
  /** The app that shared it. */
  readonly creator: Known | undefined
  readonly history: State[]
  isDeleted: boolean
}

const idOf = ({ client, history }: Known, serial = history.length): string =>
  serial === 0 ? client.access.id : `${client.access.id}:${serial}`

function levelAt(levels: Levels, streamId: string): Level | undefined {
  const nearest = paths[streamId]!.find(id => id in levels)
  return nearest === undefined ? undefined : levels[nearest]
}

/** Whether one set of levels allows all that another does, so that it may be passed on. */
function isWithin(outer: Levels, inner: Levels): boolean {
  return Object.keys(paths).every(id => {
    const [held, wanted] = [levelAt(outer, id), levelAt(inner, id)]
    if (wanted === undefined) return true
    if (held === undefined || (held === 'create-only' && wanted !== 'none')) return false
    return order.indexOf(held) >= order.indexOf(wanted)
  })
}

interface Change {
  readonly levels?: Levels
  readonly expireAfter?: number | null
}

const permissionsOf = (levels: Levels) =>
  Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))

t.test('updates follow the rules', async t => {
  const random = seeded(t)
  const { alice, clock } = await coffer(t, { accesses: { updates: true } })
  for (const [id, parentId] of [['a'], ['b', 'a'], ['c']] as const) await alice.stream(id, parentId)
  const all: Known[] = []
  let count = 0
  const isExpired = ({ expires = Infinity }: State): boolean => expires <= clock.now()
  const isUsable = (known: Known): boolean => {
    if (known.isDeleted || isExpired(known)) return false
    return known.creator === undefined || isUsable(known.creator)
  }
  const listChildren = (app: Known): Known[] =>
    all.filter(each => each.creator === app && !each.isDeleted && !isExpired(each))
  const levels = (): Levels =>
    Object.fromEntries(random.some(Object.keys(paths), 3).map(id => [id, random.pick(order)]))
  const change = (): Change => ({
    ...(random.chance(0.6) && { levels: levels() }),
    ...(random.chance(0.4) && { expireAfter: random.chance(0.3) ? null : 1 + random.below(60) })
  })

  /** Returns the error that the rules ask for, or the state after the update. */
  const expectUpdate = (by: Known | undefined, target: Known, id: string, given: Change): State | object => {
    if (by?.type === 'shared') return { id: 'forbidden' }
    if (target.isDeleted) return { id: 'unknown-resource' }
    const current = target.history.length
    if (id !== idOf(target))
      return { id: 'stale-resource', data: { provided: id, currentSerial: current === 0 ? null : current } }
    if (by && !(target.type === 'shared' && target.creator === by)) return { id: 'forbidden' }
    const { expireAfter } = given
    const expires =
      expireAfter === undefined
        ? target.expires
        : expireAfter === null
          ? undefined
          : clock.now() + expireAfter
    const next = { name: target.name, levels: given.levels ?? target.levels, expires }
    const app = target.creator?.isDeleted === false ? target.creator : undefined
    if (app && given.levels && !isWithin(app.levels, next.levels))
      return { id: 'invalid-operation', data: { managingAccessId: idOf(app) } }
    if (app?.expires !== undefined && typeof expireAfter === 'number' && expires! > app.expires)
      return { id: 'invalid-operation', data: { parentExpires: app.expires, requestedExpires: expires } }
    if (target.type === 'shared') return next
    const wide = listChildren(target).filter(
      each => isWithin(target.levels, each.levels) && !isWithin(next.levels, each.levels)
    )
    const isSooner = (expires ?? Infinity) < (target.expires ?? Infinity)
    const late = listChildren(target).filter(each => isSooner && (each.expires ?? 0) > expires!)
    const offending = (wide.length > 0 ? wide : late).map(each => idOf(each)).toSorted()
    return offending.length > 0 ? { id: 'invalid-operation', data: { offendingChildren: offending } } : next
  }

  const add = async (by: Known | undefined): Promise<void> => {
    const type = by === undefined && random.chance(0.5) ? 'app' : 'shared'
    const given = { levels: levels(), expireAfter: random.chance(0.5) ? 1 + random.below(60) : null }
    const expires = given.expireAfter === null ? undefined : clock.now() + given.expireAfter
    const name = `access-${String(++count)}`
    const params = { name, type, permissions: permissionsOf(given.levels), expireAfter: given.expireAfter }
    const answer = await (by?.client ?? alice).call('accesses.create', params)
    if (by && !isWithin(by.levels, given.levels))
      return void t.match(answer.error, { id: 'forbidden', data: { managingAccessId: idOf(by) } }, name)
    if (by?.expires !== undefined && (expires ?? 0) > by.expires)
      return void t.match(
        answer.error,
        { id: 'invalid-operation', data: { parentExpires: by.expires } },
        name
      )
    t.equal(answer.access?.createdBy, by ? idOf(by) : alice.access.id, JSON.stringify(answer.error))
    const client = new Client(alice.service, alice.username, answer.access)
    all.push({
      client,
      type,
      creator: by,
      history: [],
      isDeleted: false,
      name,
      levels: given.levels,
      expires
    })
  }

  const update = async (by: Known | undefined, target: Known): Promise<void> => {
    const serial = random.chance(0.8) ? target.history.length : random.below(target.history.length + 2)
    const id = idOf(target, serial)
    const given = change()
    const expected = expectUpdate(by, target, id, given)
    const { levels: wanted, ...rest } = given
    const params = { id, update: { ...rest, ...(wanted && { permissions: permissionsOf(wanted) }) } }
    const caller = by?.client ?? alice
    // Half of the updates come twice at once: then the second is refused, as it names a former version.
    const isTwice = 'levels' in expected && random.chance(0.5)
    const calls = Array.from({ length: isTwice ? 2 : 1 }, () => caller.call('accesses.update', params))
    const answers: Answer[] = await Promise.all(calls)
    const [answer, ...others] = answers.toSorted((x, y) => Number('error' in x) - Number('error' in y))
    const what = JSON.stringify({ by: by?.name, target: target.name, params, answer })
    if (!('levels' in expected)) {
      const { error } = answer
      const { offendingChildren: offending } = error?.data ?? {}
      if (offending) error.data.offendingChildren = offending.toSorted()
      return void t.match(error, expected, what)
    }
    const { expires, levels: after } = expected
    target.history.push({ name: target.name, levels: target.levels, expires: target.expires })
    Object.assign(target, { levels: after, expires })
    t.match(answer.access, { id: idOf(target), token: target.client.token }, what)
    for (const other of others) t.match(other.error, { id: 'stale-resource' }, what)
  }

  const remove = async (target: Known): Promise<void> => {
    const id = idOf(target, random.below(target.history.length + 1))
    const answer = await alice.call('accesses.delete', { id })
    if (target.isDeleted) return void t.match(answer.error, { id: 'unknown-resource' })
    if (id !== idOf(target)) return void t.match(answer.error, { id: 'stale-resource' })
    t.notOk(answer.error)
    for (const each of [...(target.type === 'app' ? listChildren(target) : []), target]) each.isDeleted = true
  }

  const compare = async (known: Known): Promise<void> => {
    const answer = await alice.call('accesses.getOne', { id: idOf(known), includeHistory: true })
    if (known.isDeleted) return void t.match(answer.error, { id: 'unknown-resource' })
    const shown = [...answer.history, answer.access].map(({ expires, id, name, permissions }: Answer) => ({
      id,
      name,
      expires,
      permissions
    }))
    const states = [...known.history, known].map(({ expires, levels: held, name }, serial) => ({
      id: idOf(known, serial),
      name,
      expires,
      permissions: permissionsOf(held)
    }))
    t.same(shown, states, known.name)
  }

  const hasLongHistory = (): boolean => all.some(({ history }) => history.length > 2)
  for (let round = 0; round < rounds || (!hasLongHistory() && round < 20 * rounds); round++) {
    const callers = [undefined, undefined, ...all.filter(isUsable)]
    const by = random.pick(callers)
    const target = all.length > 0 ? random.pick(all) : undefined
    const apps = callers.filter(each => each === undefined || each.type === 'app')
    if (!target || random.chance(0.25)) await add(random.pick(apps))
    else if (random.chance(0.04)) await remove(target)
    else {
      const own = by?.type === 'app' ? listChildren(by) : []
      await update(by, own.length > 0 && random.chance(0.7) ? random.pick(own) : target)
      await compare(target)
    }
    if (random.chance(0.1)) clock.advance(random.below(10))
  }
  for (const each of all) await compare(each)
  t.ok(hasLongHistory())
})
