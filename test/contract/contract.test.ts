/** Every method over every wire: what it returns, which calls it refuses, and that a refusal changes nothing. */
import t from 'tap'
import { Compile } from 'typebox/compile'
import { ApiError } from '../../core/errors.js'
import type { AnyMethod } from '../../core/call/method.js'
import { coffer } from '../support/coffer.js'
import { contract } from './contract.js'
import { Examples } from './examples.js'
import { assertSame } from '../support/same.js'
import { given, type Kind, type Scenario } from './scenario.js'
import { isFor, send, statusOf, type WireName } from './wires.js'
import { enabling, World } from './world.js'

const wires: readonly WireName[] = ['http', 'batch', 'socket', 'client']
/** In the long form, every scenario is sent over every wire. */
const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** Decides which wires are used in the short form. */
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)

t.setTimeout(900_000)

t.test('the contract', async t => {
  const service = await coffer(t, {
    ...enabling,
    operators: ['operating'],
    // Many calls here have no valid token, all from one address.
    throttle: { failures: 1_000_000, invalidTokens: 1_000_000 }
  })
  const definitions = service.server.dispatcher.definitions.filter(({ id }) => !id.startsWith('test.'))

  t.test('covers every method with every kind of scenario that applies to it', async t => {
    t.same(Object.keys(contract).toSorted(), definitions.map(({ id }) => id).toSorted())
    for (const definition of definitions)
      for (const kind of kindsOf(definition))
        t.ok(
          contract[definition.id]?.some(scenario => scenario.kind === kind),
          `${definition.id}: ${kind}`
        )
  })

  const examples = new Examples()
  // Refused calls and plain reads change nothing, so those that need nothing prepared share one world.
  const shared = await World.make(service)
  const unprepared = new Refusals(shared)
  // Methods that read all accounts come first, while there are few.
  const ordered = [...definitions.filter(isOfOperators), ...definitions.filter(each => !isOfOperators(each))]
  for (const [place, definition] of ordered.entries()) {
    const { id } = definition
    t.test(id, async t => {
      const isResult = Compile(definition.result)
      /** The refusals that need something prepared. */
      let prepared: Refusals | undefined
      // The audit log and accesses tell of calls, too.
      const tellsOfCalls = /^(?:audit\.|accesses\.|getAccessInfo)/.test(id)
      const isPlain = definition.mode === 'read' && !tellsOfCalls
      /** The worlds of the last successes, by what has prepared them. */
      const worlds = new Map<Scenario['before'], { readonly world: World; readonly sent: Set<Scenario> }>()
      /** Returns a world prepared for a success: the one of others if they cannot have changed what it is about. */
      const prepare = async (scenario: Scenario): Promise<World> => {
        const { before } = scenario
        if (isPlain && !before) return shared
        const known = tellsOfCalls ? undefined : worlds.get(before)
        if (known && (isPlain || !(before || known.sent.has(scenario)))) {
          known.sent.add(scenario)
          return known.world
        }
        const world = await World.make(service)
        worlds.set(before, { world, sent: new Set([scenario]) })
        await before?.(world)
        return world
      }
      const scenarios = contract[id] ?? []
      for (const wire of wires)
        for (const scenario of scenarios)
          if (wiresOf(scenario, scenarios, seed + place).includes(wire))
            await t.test(`${scenario.name} (${wire})`, async t => {
              if (scenario.error) {
                if (!scenario.before) return await unprepared.assertRefused(t, wire, id, scenario)
                // What a scenario prepares cannot be prepared twice in a world.
                if (prepared?.scenarios.has(scenario)) {
                  await prepared.assertUnchanged(t)
                  prepared = undefined
                }
                prepared ??= new Refusals(await World.make(service))
                prepared.scenarios.add(scenario)
                return await prepared.assertRefused(t, wire, id, scenario)
              }
              const world = await prepare(scenario)
              const { status, body, text, type, whole } = await send(wire, id, scenario, world)
              if (wire === 'http') t.equal(status, scenario.status ?? statusOf(id))
              const answer = given(scenario.answer, world) ?? {}
              t.match(body, answer)
              if (!('error' in answer)) t.notOk(body.error, JSON.stringify(body.error))
              if (text === undefined) t.ok(isResult.Check(body), JSON.stringify(isResult.Errors(body)))
              else if (scenario.type === undefined) t.equal(text, scenario.text)
              else t.equal(type, scenario.type)
              await scenario.after?.(world, body)
              if (whole) examples.add(id, { params: given(scenario.params, world) ?? {}, ...whole }, world)
            })
      await prepared?.assertUnchanged(t)
      await unprepared.assertUnchanged(t)
    })
  }

  t.test('matches the examples of the documentation: `npm run document` updates them', async t => {
    if (process.env['COFFER_RECORD_EXAMPLES'] === '1') examples.write()
    t.same(examples.outdated(), [])
  })
})

/**
 * Returns the wires that a scenario is sent over: in the short form HTTP, which has a status for each, and for a method's first
 * success or its first refusal, in rotation, and one in twelve of the others also another wire. Which one differs from method to
 * method, and for the first ones each time. Of all scenarios but the first ones, a third are sent, in rotation, and of those that
 * prepare something a quarter.
 */
function wiresOf(scenario: Scenario, scenarios: readonly Scenario[], turn: number): readonly WireName[] {
  const possible = wires.filter(wire => isFor(wire, scenario))
  if (isLong) return possible
  const isFirst = scenarios.find(each => isRefusal(each) === isRefusal(scenario)) === scenario
  const others = possible.filter(wire => wire !== 'http')
  const at = scenarios.indexOf(scenario)
  if (!isFirst && (at + turn) % (scenario.before ? 4 : 3) !== 0) return []
  const isChosen = isFirst ? (turn % 2 === 0) === isRefusal(scenario) : (at + turn) % 12 === 0
  const choice = isFirst ? at + Math.floor(turn / 2) : Math.floor((at + turn) / 12)
  const other = isChosen ? others[choice % others.length] : undefined
  return possible.filter(wire => wire === 'http' || wire === other)
}

/** Returns whether operators may call a method. */
function isOfOperators({ id }: AnyMethod): boolean {
  return (contract[id] ?? []).some(({ by }) => by === 'admin' || by === 'command')
}

function isRefusal({ error }: Scenario): boolean {
  return error !== undefined
}

/** Refused calls, which share a world. */
class Refusals {
  /** The scenarios that have prepared something. */
  readonly scenarios = new Set<Scenario>()
  /** The calls since the world was last compared. */
  #names: string[] = []

  constructor(private readonly world: World) {}

  /** Sends a call and asserts that it is refused. The world is compared before something is prepared in it, and at the end. */
  async assertRefused(
    t: import('tap').Test,
    wire: WireName,
    method: string,
    { error, match, status: expected, ...scenario }: Scenario
  ): Promise<void> {
    if (scenario.before) {
      await this.assertUnchanged(t)
      await scenario.before(this.world)
      this.world.forget()
    }
    await this.world.before()
    this.#names.push(`${scenario.name} (${wire})`)
    const { status, body } = await send(wire, method, scenario, this.world)
    t.match(body, { error: { ...match, id: error, message: /./ } })
    t.same(
      Object.keys(body).filter(key => !['error', 'reserved', 'reason', 'exists'].includes(key)),
      []
    )
    if (wire === 'http') t.equal(status, expected ?? new ApiError(error!).status)
  }

  /** Asserts that the calls since the last comparison have changed nothing. */
  async assertUnchanged(t: import('tap').Test): Promise<void> {
    const names = this.#names.splice(0)
    if (names.length === 0) return
    const before = await this.world.before()
    assertSame(t, await this.world.after(), before, `nothing has changed: ${names.join(', ')}`)
  }
}

/** Methods with refusals only: the older checks need a domain. */
const refusing: ReadonlySet<string> = new Set(['auth.emailCheckPost', 'auth.usernameCheckPost'])

/** Returns the kinds of scenarios that a method must have, as far as its definition shows. */
function kindsOf({ id, allow, params, mode }: AnyMethod): Kind[] {
  const properties = Object.keys((params.properties ?? {}) as object)
  return [
    ...(refusing.has(id) ? [] : (['success'] as const)),
    ...(properties.length > 0 || mode === 'batch' ? (['params'] as const) : []),
    ...(allow.needsAccess || allow.check ? (['caller'] as const) : []),
    ...(properties.includes('id') ? (['unknown'] as const) : [])
  ]
}
