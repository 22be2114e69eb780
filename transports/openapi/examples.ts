/** Examples of calls and of what they answer, recorded by the contract tests: `npm run document` records them anew. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageDirectory } from '../../core/version.js'

/** A successful call of a method. */
export interface Example {
  readonly params: unknown
  /** The whole answer, with `meta`; a text where it is no JSON. Missing where the answer is bytes. */
  readonly answer?: unknown
}

/** Examples by method id. */
export type Examples = Readonly<Record<string, Example>>

/** Where they are recorded. */
export const examplesFile = join(packageDirectory, 'transports', 'openapi', 'examples.json')

/** Reads the examples. Throws if they cannot be read. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(examplesFile, 'utf8')) as Examples
}
