/**
 * Takes the items that are in order out of long lists before errors are looked for: that takes a hundred times as long as
 * checking, also in all that has none.
 */
import { Compile } from 'typebox/compile'
import type { TSchema } from 'typebox'
import { isObject } from './is-object.js'

/** Items of a list above which those in order are taken out. */
const few = 100

/** Params whose lists are short, and where their items were. */
export interface FewItems {
  readonly value: unknown
  /** The place of an error, as `/field/index`, in the params as they were. */
  place(path: string): string
}

/** Returns params that have the same errors, of long lists those of the first `most` items that have any. */
export function fewItems(schema: TSchema, params: unknown, most: number): FewItems {
  const kept = new Map<string, readonly number[]>()
  const { properties = {} } = schema as { properties?: Readonly<Record<string, TSchema>> }
  const lists: Record<string, unknown> = {}
  // By the names of the schema: params may be a text of a million characters, or have as many fields.
  if (!isObject(params)) return { value: params, place: path => path }
  for (const name of Object.keys(properties)) {
    const list = Object.hasOwn(params, name) ? params[name] : undefined
    const items = Array.isArray(list) && list.length > few ? itemsOf(properties[name] as Listed) : undefined
    if (!items) continue
    const wrong = wrongIn(items, list as readonly unknown[], most)
    // A list without any item could be too short.
    const indices = wrong.length > 0 ? wrong : [0]
    kept.set(name, indices)
    lists[name] = indices.map(index => (list as readonly unknown[])[index])
  }
  if (kept.size === 0) return { value: params, place: path => path }
  return { value: { ...params, ...lists }, place: path => placed(kept, path) }
}

function placed(kept: ReadonlyMap<string, readonly number[]>, path: string): string {
  const [top, name = '', index, ...rest] = path.split('/')
  const real = index === undefined ? undefined : kept.get(name)?.[Number(index)]
  return real === undefined ? path : [top, name, real, ...rest].join('/')
}

const compiled = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/** Indices of the first items that do not fit. */
function wrongIn(items: TSchema, list: readonly unknown[], most: number): number[] {
  const validator = compiled.get(items) ?? Compile(items)
  compiled.set(items, validator)
  const wrong: number[] = []
  for (let index = 0; index < list.length && wrong.length < most; index++)
    if (!validator.Check(list[index])) wrong.push(index)
  return wrong
}

/** The schema of the items of a field that is a list, or a list or `null`. */
function itemsOf({ anyOf, items }: Listed): TSchema | undefined {
  return items ?? anyOf?.find(each => each.items)?.items
}

interface Listed {
  readonly items?: TSchema
  readonly anyOf?: readonly Listed[]
}
