/** Checks of one content against one JSON Schema of the directory. (docs/spec/event-types.md#checking-content; docs/spec/errors.md#violations) */
import { createRequire } from 'node:module'
import type { Ajv, Options } from 'ajv'
import type { ContentSchema } from '../../schemas/event-types/directory.js'
import { slowText } from '../validation/slow-patterns.js'
import { codeOf, type Violation } from '../validation/params.js'

/** What is wrong with a content; `undefined` if nothing is. */
export type ContentCheck = (content: unknown) => Violation | undefined

let ajv: Ajv | undefined

/** Compiles a schema, which may refer to parts of a `whole`. Raises an `Error` if it is not a valid one. */
export function compileContentCheck(schema: ContentSchema, whole?: ContentSchema): ContentCheck {
  ajv ??= createAjv()
  const isValid = ajv.compile(whole && holdsReference(schema) ? within(schema, whole) : schema)
  return content => {
    if (isValid(content)) return undefined
    // The last one is about the whole of what failed, e.g. `anyOf`; those before it are about its parts.
    const { keyword, instancePath, message, params } = isValid.errors!.at(-1)!
    const name = params['missingProperty'] ?? params['additionalProperty'] ?? params['propertyName']
    return {
      code: codeOf(keyword),
      message: message ?? 'is invalid',
      path: `#/content${instancePath}`,
      ...(name === undefined ? {} : { params: [name] })
    }
  }
}

/** The name that the part of a schema has in the whole while it is compiled. */
const partName = 'x-part'

/** A schema that is part of another: what it refers to is looked up there. */
function within(schema: ContentSchema, whole: ContentSchema): ContentSchema {
  const { $id = 'coffer:whole' } = whole
  return { $defs: { whole: { ...whole, $id, [partName]: schema } }, $ref: `${String($id)}#/${partName}` }
}

function holdsReference(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(([key, value]) => key === '$ref' || holdsReference(value))
}

/** Loading ajv takes longer than all the rest of the start, and most checks do without: it waits for the first that does not. */
function createAjv(): Ajv {
  const require = createRequire(import.meta.url)
  const { Ajv } = require('ajv') as typeof import('ajv')
  const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats')
  const instance = new Ajv({
    // Schemas of operators may hold keywords and formats of their own, and patterns that `u` refuses.
    strict: false,
    logger: false,
    unicodeRegExp: false,
    // `__proto__`, `constructor` and the like are properties only where a client sent them.
    ownProperties: true,
    addUsedSchema: false,
    code: { regExp: Object.assign(patient, { code: 'new RegExp' }) }
  })
  addFormats.default(instance)
  return instance
}

/** What ajv tests texts with. */
type Tester = ReturnType<NonNullable<NonNullable<Options['code']>['regExp']>>

/** A pattern that fits no text which it would take long for. */
function patient(source: string, flags: string): Tester {
  const pattern = new RegExp(source, flags)
  const longest = longestFor(source)
  return {
    test(text) {
      try {
        return text.length <= longest && pattern.test(text)
      } catch {
        // It would have to keep more in mind than there is room for.
        return false
      }
    },
    toString: () => String(pattern)
  } as Tester
}

const known = new Map<string, number>()

/** Lengths that are tried, for patterns that cannot have any. */
const lengths = [10_000, 1000, 100]
const shortest = 20

/** The length of the longest text that a pattern of the directory may be held against: without end for nearly all. */
export function longestFor(source: string): number {
  let longest = known.get(source)
  if (longest === undefined) known.set(source, (longest = measured(new RegExp(source))))
  return longest
}

function measured(pattern: RegExp): number {
  if (slowText(pattern) === undefined) return Infinity
  return lengths.find(length => slowText(pattern, length) === undefined) ?? shortest
}
