/** Validates contents against single JSON Schemas of the directory. (docs/spec/event-types.md#checking-content; docs/spec/errors.md#violations) */
import { createRequire } from 'node:module'
import type { Ajv, Options } from 'ajv'
import type { ContentSchema } from '../../schemas/event-types/directory.js'
import { findSlowText } from '../validation/slow-patterns.js'
import { getViolationCode, type Violation } from '../validation/params.js'

/** Returns what is wrong with a content; `undefined` if the content is valid. */
export type ContentCheck = (content: unknown) => Violation | undefined

let ajv: Ajv | undefined

/**
 * Compiles a schema, which may refer to parts of a `whole`. Throws an `Error` if the schema is invalid. The
 * check returns what is wrong with a content, `undefined` if it is valid.
 */
export function compileContentCheck(schema: ContentSchema, whole?: ContentSchema): ContentCheck {
  ajv ??= createAjv()
  const isValid = ajv.compile(whole && hasReference(schema) ? embedSchema(schema, whole) : schema)
  return content => {
    if (isValid(content)) return undefined
    // The last error is about the whole that failed, e.g. `anyOf`; earlier ones are about its parts.
    const { keyword, instancePath, message, params } = isValid.errors!.at(-1)!
    const name = params['missingProperty'] ?? params['additionalProperty'] ?? params['propertyName']
    return {
      code: getViolationCode(keyword),
      message: message ?? 'is invalid',
      path: `#/content${instancePath}`,
      ...(name === undefined ? {} : { params: [name] })
    }
  }
}

/** The key under which a part of a schema is put into the whole to be compiled. */
const partKey = 'x-part'

/** Embeds a schema in the whole schema that it is part of, in which its references are resolved. */
function embedSchema(schema: ContentSchema, whole: ContentSchema): ContentSchema {
  const { $id = 'coffer:whole' } = whole
  return { $defs: { whole: { ...whole, $id, [partKey]: schema } }, $ref: `${String($id)}#/${partKey}` }
}

function hasReference(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(([key, value]) => key === '$ref' || hasReference(value))
}

/** Loads ajv on first use: loading it takes longer than the rest of the start, and most checks do without it. */
function createAjv(): Ajv {
  const require = createRequire(import.meta.url)
  const { Ajv } = require('ajv') as typeof import('ajv')
  const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats')
  const instance = new Ajv({
    // Operators' schemas may have custom keywords and formats, and patterns that are invalid with the flag `u`.
    strict: false,
    logger: false,
    unicodeRegExp: false,
    // `__proto__`, `constructor` and the like are properties only where a client sent them.
    ownProperties: true,
    addUsedSchema: false,
    code: { regExp: Object.assign(createBoundedPattern, { code: 'new RegExp' }) }
  })
  addFormats.default(instance)
  return instance
}

/** The interface of ajv's regular expressions. */
type Tester = ReturnType<NonNullable<NonNullable<Options['code']>['regExp']>>

/** Creates a pattern that refuses texts too long to be tested quickly. */
function createBoundedPattern(source: string, flags: string): Tester {
  const pattern = new RegExp(source, flags)
  const maxLength = getMaxTextLength(source)
  return {
    test(text) {
      try {
        return text.length <= maxLength && pattern.test(text)
      } catch {
        // The engine has run out of stack for backtracking.
        return false
      }
    },
    toString: () => String(pattern)
  } as Tester
}

const maxLengths = new Map<string, number>()

/** Limits that are tried for slow patterns, in characters. */
const candidateLengths = [10_000, 1000, 100]
const fallbackLength = 20

/** Returns the longest text that a pattern of the directory may be tested against: `Infinity` for nearly all. */
export function getMaxTextLength(source: string): number {
  let maxLength = maxLengths.get(source)
  if (maxLength === undefined) maxLengths.set(source, (maxLength = measureMaxLength(new RegExp(source))))
  return maxLength
}

function measureMaxLength(pattern: RegExp): number {
  if (findSlowText(pattern) === undefined) return Infinity
  return candidateLengths.find(length => findSlowText(pattern, length) === undefined) ?? fallbackLength
}
