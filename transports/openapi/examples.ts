/** Examples of calls and their responses, recorded by the contract tests. `npm run document` updates them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageDirectory } from '../../core/version.js'

/** A successful call of a method. */
export interface Example {
  readonly params: unknown
  /** The whole response with `meta`, or a text if it is not JSON. Absent if the response is binary. */
  readonly answer?: unknown
}

/** Examples by method id. */
export type Examples = Readonly<Record<string, Example>>

/** The file with the recorded examples. */
export const examplesFile = join(packageDirectory, 'transports', 'openapi', 'examples.json')

/** Reads the examples. Throws if they cannot be read. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(examplesFile, 'utf8')) as Examples
}
