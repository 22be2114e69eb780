/** Odd params for every method, over every transport: refused with API errors, and without a trace. */
import t, { type Test } from 'tap'
import { errorTable } from '../../core/errors.js'
import { silentLog } from '../../core/log.js'
import type { AnyMethod } from '../../core/call/method.js'
import { contract } from '../contract/contract.js'
import { given, type Scenario } from '../contract/scenario.js'
import { enabling, World } from '../contract/world.js'
import { coffer, type Service } from '../support/coffer.js'
import { hostileParams, type HostileParams } from '../support/hostile-calls.js'
import { assertTakesLessThan, Probe } from '../support/probe.js'
import { Random } from '../support/random.js'
import { assertSame } from '../support/same.js'
import { inBatch, overHttp, RawSocket, routesOf, type Attack, type Reply } from './wires.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
/** Calls of a method over each transport. */
const count = isLong ? 200 : 4
/** In the short form, one in so many methods is called, in rotation. */
const turns = isLong ? 1 : 3
/** Calls of methods that hash passwords. */
const fewer = isLong ? 60 : 2
const hashing =
  /^(auth\.(login|register|registerOlder)|account\.(change|reset)Password|mfa\.recover|system\.createUser)$/
/** Methods whose refusals leave traces: a code is used up, a second use revokes the access. (docs/api/oauth.md) */
const spending = new Set(['oauth.token'])

/** Internal details, which no response reveals. */
const inner = /SQLITE_|better-sqlite3|node:internal|node_modules|\.[jt]s:\d+|coffer-test-/

t.setTimeout(isLong ? 3_600_000 : 900_000)

/** A transport for calls of a method. */
interface Wire {
  readonly name: string
  send(world: World, call: Omit<Attack, 'url' | 'username' | 'headers'>, scenario: Scenario): Promise<Reply>
  close(): void
}

function attackIn(
  world: World,
  call: Omit<Attack, 'url' | 'username' | 'headers'>,
  scenario: Scenario
): Attack {
  const token = world.token(scenario.by ?? 'owner')
  const headers = {
    ...(token === undefined ? {} : { authorization: token }),
    ...given(scenario.headers, world)
  }
  return { url: world.service.server.url, username: world.owner.username, headers, ...call }
}

const close = (): void => undefined

/** Decides which transports are used in the short form: other ones for a method each time. */
let turn = Math.floor(seed / turns)

function wiresOf(method: string, scenario: Scenario): Wire[] {
  const plain = routesOf(method).map(({ isOfUser, route }): Wire => ({
    name: `${route.verb} ${route.path}`,
    send: async (world, call, scenario) => await overHttp(attackIn(world, call, scenario), route, isOfUser),
    close
  }))
  const batch: Wire = {
    name: 'batch',
    send: async (world, call, scenario) => await inBatch(attackIn(world, call, scenario)),
    close
  }
  if (isLong) return [...plain, batch, socketWire()]
  // In the short form, half of these methods are called at their routes, and the others in a batch or over a socket.
  const place = turn++ % 4
  if (place % 2 === 0 && plain.length > 0) return plain
  return [place === 1 && scenario.by === undefined ? socketWire() : batch]
}

/** Uses one socket for as long as it is open. */
function socketWire(): Wire {
  let socket: RawSocket | undefined
  let owner: World | undefined
  return {
    name: 'socket',
    async send(world, { method, params }, scenario) {
      const token = world.token(scenario.by ?? 'owner')
      if (token === undefined || scenario.by === 'admin') return {}
      if (owner !== world || !socket?.isOpen) {
        socket?.close()
        socket = await RawSocket.open(world.service.server.url, world.owner.username, token)
        owner = world
      }
      return (await socket?.call(method, params.text)) ?? {}
    },
    close: () => socket?.close()
  }
}

/** Returns what is wrong with a response. */
function faultOf({ body, status }: Reply): string | undefined {
  if (status !== undefined && (status < 200 || status >= 500)) return `status ${status}`
  if (typeof body !== 'object') return undefined
  // Operators see the settings, among them the folder of the data.
  const { settings: _settings, ...others } = body
  if (inner.test(JSON.stringify(others))) return 'tells of what is inside'
  if (typeof body.meta?.serverTime !== 'number') return 'no meta'
  // A denied authorisation is a result, with its own status. (docs/spec/app-authorization.md#states)
  if (body.code !== undefined && body.code === status) return undefined
  if (!body.error) return status !== undefined && status >= 400 ? 'no error' : undefined
  const known =
    Object.hasOwn(errorTable, body.error.id) && errorTable[body.error.id as keyof typeof errorTable]
  if (!known) return 'an unknown error'
  if (typeof body.error.message !== 'string' || body.error.message === '') return 'no message'
  return known[0] >= 500 ? `error ${body.error.id}` : undefined
}

/** Returns whether a call was refused for its params, not because the token is invalid. */
function isRefused({ body }: Reply): boolean {
  return body?.error !== undefined && body.error.id !== 'invalid-access-token'
}

t.test(`odd params (seed ${seed})`, async t => {
  const causes: string[] = []
  const log = {
    ...silentLog,
    error: (_message: string, fields?: object) => void causes.push(String(Object(fields).cause?.stack))
  }
  const service = await coffer(
    t,
    {
      ...enabling,
      // Work for all accounts with open files, every second and before each check, would be slower with more of them.
      storage: { maxOpenUsers: 20 },
      throttle: { invalidTokens: 1e9, failures: 1e9, perAddress: 1e9, perAccount: 1e9 }
    },
    log
  )
  const bystander = await World.make(service)
  const before = await bystander.after()
  const probe = new Probe(bystander.owner)
  const definitions = service.server.dispatcher.definitions.filter(({ id }) => !id.startsWith('test.'))
  for (const definition of definitions.filter((_each, at) => (at + seed) % turns === 0))
    await t.test(definition.id, t => attack(t, service, definition, probe, causes))
  t.test('do not affect other accounts', async t => {
    assertSame(t, await bystander.after(), before, 'all of it')
    t.equal((await service.http('GET', '/service/info')).status, 200)
  })
})

const odd: Scenario = { name: 'odd', kind: 'success' }

async function attack(
  t: Test,
  service: Service,
  definition: AnyMethod,
  probe: Probe,
  causes: string[]
): Promise<void> {
  const { id } = definition
  const scenarios = (contract[id] ?? []).filter(({ files, kind }) => kind === 'success' && !files)
  /** The world of each scenario, as long as each call there was refused. */
  const intact = new Map<Scenario, World>()
  for (const [place, wire] of wiresOf(id, scenarios[0] ?? odd).entries()) {
    const random = new Random(seed + place)
    const scenario = scenarios.length > 0 ? random.pick(isLong ? scenarios : scenarios.slice(0, 1)) : odd
    const size = hashing.test(id) ? fewer : count
    const paramsIn = (world: World): HostileParams[] =>
      hostileParams(definition, given(scenario.params, world) ?? {}, new Random(seed + place), size)
    const first = intact.get(scenario) ?? (await worldFor(service, scenario))
    intact.delete(scenario)
    const all = paramsIn(first).map((_params, index) => index)
    const faults: string[] = []
    const run = async (world: World, chosen: readonly number[]): Promise<number[]> => {
      const params = paramsIn(world)
      const refused: number[] = []
      for (const index of chosen) {
        const reply = await wire.send(world, { method: id, params: params[index]! }, scenario)
        const fault = faultOf(reply)
        if (fault)
          faults.push(`${fault}: ${params[index]!.text.slice(0, 300)} ${JSON.stringify(reply).slice(0, 300)}`)
        else if (isRefused(reply)) refused.push(index)
      }
      return refused
    }
    const worlds = async function* (): AsyncGenerator<World> {
      yield first
      for (let n = 0; n < 3; n++) yield await worldFor(service, scenario)
    }
    const { value: refused, slowestMs } = await probe.during(() => run(first, all))
    await assertTakesLessThan(t, 1000, () => slowestMs, 1)
    if (refused.length === all.length) intact.set(scenario, first)
    if (!spending.has(id))
      await assertNoTrace(t, `${wire.name}: what is refused leaves no trace`, worlds, refused, run)
    t.same(faults, [], `${wire.name}: ${causes.splice(0).join('\n')}`)
    wire.close()
  }
  t.notOk('polluted' in {}, 'prototypes are what they were')
}

/**
 * Repeats the calls that were refused, on an account that can be compared before and after. Skips those that succeed
 * now, because other calls came before them the first time.
 */
async function assertNoTrace(
  t: Test,
  name: string,
  worlds: () => AsyncGenerator<World>,
  refused: readonly number[],
  run: (world: World, chosen: readonly number[]) => Promise<number[]>
): Promise<void> {
  let left = refused
  for await (const world of worlds()) {
    if (left.length === 0) return
    const before = await lookAt(world)
    if (before === undefined) continue
    const again = await run(world, left)
    if (again.length === left.length) return assertSame(t, await world.after(), before, name)
    left = again
  }
}

/** Returns all data of the account; `undefined` if its owner was signed out, or it was deleted or moved. */
async function lookAt(world: World): Promise<object | undefined> {
  // Background work, such as updating holder events, would change data during a comparison.
  await world.service.server.settle()
  const { error } = await world.owner.call('getAccessInfo')
  return error ? undefined : await world.after()
}

async function worldFor(service: Service, { before }: Scenario): Promise<World> {
  const world = await World.make(service)
  await before?.(world)
  return world
}
