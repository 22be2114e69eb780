/** Evaluates content conditions on objects the obvious way, and generates events and queries to try them with. */
import type { Event } from '../../schemas/event.js'
import type { Random } from './random.js'

/** `{path, <operation>: value}`. */
export type ModelCondition = Readonly<Record<string, unknown>> & { readonly path: string }

/** Returns whether a value within an event meets all conditions. */
export function meetsAll(whole: unknown, conditions: readonly ModelCondition[] = []): boolean {
  return conditions.every(({ path, ...rest }) => {
    const [[operation, operand]] = Object.entries(rest) as [[string, unknown]]
    const found = path === '$' ? whole : path.split('.').reduce(stepInto, whole)
    if (operation === 'exists') return (found !== undefined) === operand
    return found !== undefined && holds(found, operation, operand as never)
  })
}

function stepInto(value: unknown, key: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}

function holds(value: unknown, operation: string, operand: never): boolean {
  const isAlike = typeof value === typeof operand
  if (operation === 'eq') return value === operand
  if (operation === 'neq') return value !== operand
  if (operation === 'in') return (operand as unknown[]).includes(value)
  if (operation === 'prefix') return typeof value === 'string' && value.startsWith(operand)
  if (operation === 'gt') return isAlike && (value as number) > operand
  if (operation === 'gte') return isAlike && (value as number) >= operand
  if (operation === 'lt') return isAlike && (value as number) < operand
  return isAlike && (value as number) <= operand
}

const keys = ['a', 'b', 'app:c-d_1', '0', '__proto__']
const scalars = [0, 1, -1, 0.1 + 0.2, 1e21, 2 ** 53, '', 'a', 'ab', 'ä', '1', 'true', true, false, null]

/** Generates the content of an event: a value, or objects with few keys, so that paths often match. */
export function makeContent(random: Random, depth = 0): unknown {
  if (depth > 2 || random.chance(0.4)) return random.pick(scalars)
  if (random.chance(0.1)) return [random.pick(scalars), { a: 1 }]
  return makeClientData(random, depth)
}

export function makeClientData(random: Random, depth = 0): NonNullable<Event['clientData']> {
  return Object.fromEntries(random.some(keys, 3).map(key => [key, makeContent(random, depth + 1)]))
}

export function makeConditions(random: Random): ModelCondition[] {
  return Array.from({ length: 1 + random.below(2) }, () => ({
    path: random.chance(0.2) ? '$' : random.some([...keys, 'no'], 2).join('.'),
    ...makeComparison(random)
  }))
}

function makeComparison(random: Random): Record<string, unknown> {
  const comparable = scalars.filter(value => typeof value === 'string' || typeof value === 'number')
  return random.pick([
    { eq: random.pick(scalars) },
    { neq: random.pick(scalars) },
    { in: random.some(scalars, 6) },
    { exists: random.chance(0.5) },
    { [random.pick(['gt', 'gte', 'lt', 'lte'])]: random.pick(comparable) },
    { prefix: random.pick(['', 'a', 'ab', 'ä']) }
  ])
}
