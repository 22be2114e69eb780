/** Almost valid calls, derived from valid params and from the schemas: a new method is covered automatically. */
import type { AnyMethod } from '../../core/call/method.js'
import { oddity } from './oddities.js'
import type { Random } from './random.js'

/** The parts of JSON Schema that are used here. */
interface Schema {
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

/** The params of a call as JSON text, and by member for transports that send them separately. */
export interface HostileParams {
  readonly text: string
  /** JSON texts by name; absent if the params are not an object. */
  readonly members: ReadonlyMap<string, string> | undefined
}

const strangers = [
  '__proto__',
  'constructor',
  'toString',
  '',
  'x',
  'id',
  'auth',
  'username',
  'limit',
  '$where'
]

/** Generates this many params for a method from valid ones; the same for the same seed. */
export function hostileParams(
  { params }: AnyMethod,
  right: object,
  random: Random,
  count: number
): HostileParams[] {
  const places = [...placesIn(params as Schema), ...membersOf(right)]
  return Array.from({ length: count }, () => {
    if (random.chance(0.06)) return { text: oddity(random), members: undefined }
    const target = structuredClone(right)
    const odd = new Map<string, string>()
    const changes = random.chance(0.75) ? 1 : 2 + random.below(3)
    for (let n = 0; n < changes; n++) {
      const mark = `@odd-${n}@`
      odd.set(mark, oddity(random))
      const isStranger = places.length === 0 || random.chance(0.08)
      put(target, isStranger ? [random.pick(strangers)] : random.pick(places), mark)
    }
    return written(target, odd)
  })
}

/**
 * Yields valid params in which one member has one of the values, as JSON text: each value in each position, and in
 * `more`. With a `step`, only every `step`-th value, different ones per position, starting with `turn`.
 */
export function* paramsWithEach(
  { params }: AnyMethod,
  right: object,
  values: readonly string[],
  more: readonly string[] = [],
  step = 1,
  turn = 0
): Generator<HostileParams> {
  const known = [...placesIn(params as Schema), ...membersOf(right), ...more.map(name => [name])]
  const places = known.map(place => JSON.stringify(place))
  const mark = '@odd@'
  for (const [index, place] of [...new Set(places)].entries())
    for (const value of values.filter((_, at) => (at + index + turn) % step === 0)) {
      const target = structuredClone(right)
      put(target, JSON.parse(place) as string[], mark)
      yield written(target, new Map([[mark, value]]))
    }
}

function written(target: object, odd: ReadonlyMap<string, string>): HostileParams {
  const text = spelled(JSON.stringify(target), odd)
  if (Array.isArray(target)) return { text, members: undefined }
  const members = Object.entries(target)
    // An undefined value has no JSON text.
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, spelled(JSON.stringify(value), odd)])
  return { text, members: new Map(members) }
}

/** Replaces marks by odd JSON texts. */
function spelled(text: string, odd: ReadonlyMap<string, string>): string {
  let result = text
  for (const [mark, value] of odd) result = result.replaceAll(`"${mark}"`, () => value)
  return result
}

/** Sets a member at a path, as far as the path exists; `__proto__` is a member like any other. */
function put(target: object, [name = '', ...rest]: readonly string[], value: unknown): void {
  const inner: unknown = Object.hasOwn(target, name) ? (target as Record<string, unknown>)[name] : undefined
  if (rest.length > 0 && typeof inner === 'object' && inner !== null) return put(inner, rest, value)
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Returns the paths of all members in a schema, some levels deep. */
function placesIn(schema: Schema, depth = 0): string[][] {
  if (depth > 3) return []
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
    [name],
    ...placesIn(inner, depth + 1).map(path => [name, ...path])
  ])
  const items = schema.items ? [['0'], ...placesIn(schema.items, depth + 1).map(path => ['0', ...path])] : []
  return [...below, ...items, ...(schema.anyOf ?? []).flatMap(branch => placesIn(branch, depth))]
}

/** Returns the paths of all members in a value, some levels deep. */
function membersOf(value: unknown, depth = 0): string[][] {
  if (depth > 3 || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    [name],
    ...membersOf(inner, depth + 1).map(path => [name, ...path])
  ])
}
