/**
 * Removes the valid items of long lists before errors are collected: collecting takes a hundred times as long as
 * checking, even for valid items.
 */
import { Compile } from 'typebox/compile'
import type { TSchema } from 'typebox'
import { isObject } from './is-object.js'

/** Length of a list above which valid items are removed. */
const maxKeptItems = 100

/** Params with shortened lists, and where their items were. */
export interface ReducedParams {
  readonly value: unknown
  /** Returns the place of an error, as `/field/index`, in the original params. */
  restorePath(path: string): string
}

/** Returns params that cause the same errors; of long lists they keep only the first `maxErrors` invalid items. */
export function reduceLists(schema: TSchema, params: unknown, maxErrors: number): ReducedParams {
  const kept = new Map<string, readonly number[]>()
  const { properties = {} } = schema as { properties?: Readonly<Record<string, TSchema>> }
  const lists: Record<string, unknown> = {}
  // Goes by the names in the schema: params may be a text of a million characters, or have a million fields.
  if (!isObject(params)) return { value: params, restorePath: path => path }
  for (const name of Object.keys(properties)) {
    const list = Object.hasOwn(params, name) ? params[name] : undefined
    const items =
      Array.isArray(list) && list.length > maxKeptItems
        ? getItemSchema(properties[name] as Listed)
        : undefined
    if (!items) continue
    const wrong = findInvalid(items, list as readonly unknown[], maxErrors)
    // A list without any item could be too short.
    const indices = wrong.length > 0 ? wrong : [0]
    kept.set(name, indices)
    lists[name] = indices.map(index => (list as readonly unknown[])[index])
  }
  if (kept.size === 0) return { value: params, restorePath: path => path }
  return { value: { ...params, ...lists }, restorePath: path => restorePath(kept, path) }
}

function restorePath(kept: ReadonlyMap<string, readonly number[]>, path: string): string {
  const [top, name = '', index, ...rest] = path.split('/')
  const real = index === undefined ? undefined : kept.get(name)?.[Number(index)]
  return real === undefined ? path : [top, name, real, ...rest].join('/')
}

const validatorBySchema = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/** Returns the indices of the first invalid items. */
function findInvalid(items: TSchema, list: readonly unknown[], maxErrors: number): number[] {
  const validator = validatorBySchema.get(items) ?? Compile(items)
  validatorBySchema.set(items, validator)
  const wrong: number[] = []
  for (let index = 0; index < list.length && wrong.length < maxErrors; index++)
    if (!validator.Check(list[index])) wrong.push(index)
  return wrong
}

/** Returns the schema of the items of a field that is a list, or a list or `null`. */
function getItemSchema({ anyOf, items }: Listed): TSchema | undefined {
  return items ?? anyOf?.find(each => each.items)?.items
}

interface Listed {
  readonly items?: TSchema
  readonly anyOf?: readonly Listed[]
}
