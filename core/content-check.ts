/** Checks of one content against one JSON Schema of the directory. (event-types.md; supplement 1.3) */
import { createRequire } from 'node:module'
import type { Ajv } from 'ajv'
import type { ContentSchema } from '../schemas/event-types/directory.js'
import { codeOf, type Violation } from './validation.js'

/** What is wrong with a content; `undefined` if nothing is. */
export type ContentCheck = (content: unknown) => Violation | undefined

let ajv: Ajv | undefined

/** Compiles a schema. Raises an `Error` if it is not a valid one. */
export function compileContentCheck(schema: ContentSchema): ContentCheck {
  ajv ??= createAjv()
  const isValid = ajv.compile(schema)
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
    addUsedSchema: false
  })
  addFormats.default(instance)
  return instance
}
