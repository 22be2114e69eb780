/** Odd strings for every param of every method, such as lone surrogates and NUL. None causes a 5xx. */
import t, { type Test } from 'tap'
import { silentLog } from '../../core/log.js'
import type { AnyMethod } from '../../core/call/method.js'
import { contract } from '../contract/contract.js'
import { given, type Scenario } from '../contract/scenario.js'
import { enabling, World } from '../contract/world.js'
import { coffer, type Overrides, type Service } from '../support/coffer.js'
import { paramsWithEach, type HostileParams } from '../support/hostile-calls.js'
import { receiver } from '../support/receiver.js'
import { overHttp, routesOf } from './wires.js'

t.setTimeout(900_000)

/** The long form tests every string for every param; otherwise one in so many in rotation, different ones each time. */
const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)

/** As JSON text: a JavaScript string would not survive encoding unchanged. */
const odd = [
  '"\\ud800"',
  '"a\\udfff"',
  '"\\u0000"',
  '"a\\u0000b\\r\\nx: y"',
  '"\\uffff\\u2028\\u202e"',
  '"İ\\ud83d\\ude00ß"',
  '"%\\\\\'`;{{ code }}"',
  '"__proto__"',
  '{"\\ud800":"\\udc00","\\u0000":"\\u0000","__proto__":"x"}',
  '["\\ud800","\\u0000"]'
]
/** Params beyond the schemas, which are passed to a messaging service. */
const open = ['phone', 'to', 'code']
/** Each call of these is slow. */
const hashing =
  /^(auth\.(login|register|registerOlder)|account\.(change|reset)Password|mfa\.recover|system\.createUser)$/

async function settings(t: Test): Promise<Overrides> {
  const { url } = await receiver(t)
  const endpoint = {
    url: `${url}/{{ phone }}?to={{ to }}`,
    method: 'POST',
    body: '{"to":"{{ phone }}"}',
    headers: { 'content-type': 'application/json', 'x-to': '{{ phone }}' }
  } as const
  return {
    ...enabling,
    access: { ...enabling.access, maxRequestsPerHour: 1e9 },
    throttle: { invalidTokens: 1e9, failures: 1e9, perAddress: 1e9, perAccount: 1e9 },
    services: {
      mfa: {
        mode: 'challenge-verify',
        allowInternalTargets: true,
        maxFailures: 1e6,
        maxMessages: 1e6,
        sms: { endpoints: { challenge: endpoint, verify: endpoint, single: endpoint } }
      }
    }
  }
}

/** JSON where a string is expected. */
const json = ['"[\\"x\\"]"', '"{\\"any\\":[\\"x\\"]}"', '"{\\"\ud800\\":1}"']

const long = [' ', 'a', '/', ':', '%41', '. ', '\\', '\n'].map(part =>
  JSON.stringify(part.repeat(3e5 / part.length))
)
/** Maximum CPU time of a request with a long string: quadratic algorithms need minutes. */
const longestMs = 2000

/** One in so many methods, different ones each time, is called in each pass: an account for each takes more time than its calls. */
const turns = isLong ? 1 : 6

const passes: readonly [name: string, values: readonly string[], older: boolean][] = [
  ['odd texts', [...odd, ...json], false],
  ['odd texts, with older ids', [odd[0]!, ...json], true],
  ['long texts', long, false]
]
for (const [pass, [name, values, older]] of passes.entries())
  t.test(name, async t => {
    const causes: string[] = []
    const log = {
      ...silentLog,
      error: (_message: string, fields?: object) => void causes.push(String(Object(fields).cause?.stack))
    }
    const backwardCompatibility = { systemStreams: { prefix: { isActive: older } } }
    const service = await coffer(t, { ...(await settings(t)), backwardCompatibility }, log)
    const definitions = service.server.dispatcher.definitions.filter(({ id }) => !id.startsWith('test.'))
    for (const definition of definitions.filter((_each, at) => (at + pass + seed) % turns === 0))
      await t.test(definition.id, async t => {
        t.same(await faultsOf(service, definition, values), [], causes.splice(0).join('\n'))
      })
  })

/** Number of concurrent requests. */
const atOnce = 8

/** Returns requests with a status above 4xx, without a response, or with a late one. */
async function faultsOf(
  service: Service,
  definition: AnyMethod,
  values: readonly string[]
): Promise<string[]> {
  const { id } = definition
  const scenario: Scenario | undefined = (contract[id] ?? []).find(
    ({ files, kind }) => kind === 'success' && !files
  )
  const faults: string[] = []
  for (const { isOfUser, route } of routesOf(id)) {
    // Strings in the URL are shortened to the maximum length of a request.
    if (values === long && route.verb !== 'POST' && route.verb !== 'PUT') continue
    const world = await World.make(service)
    await scenario?.before?.(world)
    const token = world.token(scenario?.by ?? 'owner')
    const headers = {
      ...(token === undefined ? {} : { authorization: token }),
      ...given(scenario?.headers, world)
    }
    const look = async (params: HostileParams): Promise<void> => {
      const attack = { url: service.server.url, username: world.owner.username, headers, method: id, params }
      const used = process.cpuUsage()
      const { body, status = 0 } = await overHttp(attack, route, isOfUser)
      const { system, user } = process.cpuUsage(used)
      const ms = (system + user) / 1000
      const isLate = values === long && ms > longestMs && !hashing.test(id)
      if (status < 200 || status >= 500 || isLate)
        faults.push(`${route.verb} ${route.path} ${status} ${ms} ms ${begin(params.text)} ${begin(body)}`)
    }
    const right = given(scenario?.params, world) ?? {}
    const each = hashing.test(id) ? values.slice(0, 3) : values
    const step = isLong || hashing.test(id) ? 1 : values === long ? 40 : 20
    const left = paramsWithEach(definition, right, each, open, step, Math.floor(seed / turns))
    const runner = async (): Promise<void> => {
      for (const params of left) await look(params)
    }
    await Promise.all(Array.from({ length: values === long ? 1 : atOnce }, runner))
  }
  return faults
}

function begin(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 300)
}
