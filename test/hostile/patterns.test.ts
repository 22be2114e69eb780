/**
 * Every pattern applied to callers' input needs time linear in its length: new patterns are found automatically. So
 * does all other code that parses such input.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { TSchema } from 'typebox'
import { parseSync } from 'vite'
import { methods } from '../../core/methods/index.js'
import { settingsList } from '../../core/settings/list.js'
import { findSlowText } from '../../core/validation/slow-patterns.js'
import { packageDirectory } from '../../core/version.js'
import { mailable } from '../../schemas/account.js'
import { standardTypes } from '../../schemas/event-types/directory.js'
import { stopwatch } from '../support/probe.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(900_000)

/** The long form tries every pattern of the sources; otherwise one in three in rotation. */
const turns = process.env['COFFER_TEST_LONG'] === '1' ? 1 : 3
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)

const rooms = ['cluster', 'core', 'transports', 'server', 'schemas', 'storage', 'imports', 'scripts', 'web']

/** Slow patterns that are applied only to the service's own texts, or to the operator's. */
const own = new Set([
  'core/settings/config.ts /\\/+$/',
  'scripts/demo/service-target.ts /\\/+$/',
  "scripts/dev/check-imports.ts /^(?:import|export)\\s+(type\\s+)?(?:[^'\"();]*?\\sfrom\\s+)?'([^']+)'|(?:\\bimport|\\bresolve)\\(\\s*'([^']+)'\\s*\\)/gm"
])

/** Patterns that are built at run time, and their sources. */
const made = new Map([
  ['core/account/check-field-value.ts', 1], // from a schema's pattern, tested below
  ['core/exports/fhir-names.ts', 1], // from constants, with at most two repetitions
  ['core/forms/offered-form.ts', 1], // from a constant of schemas: one character
  ['core/identities/claims.ts', 1], // from a schema's pattern, tested below
  ['core/json/canonical.ts', 3], // from constants
  ['core/event-types/content-check.ts', 2], // from the directory of event types: measured there
  ['core/oauth/smart-scope.ts', 1], // from a constant of schemas: alternatives, without repetition
  ['core/rules/event-watchers.ts', 1], // from a rule's words, which are escaped: without repetition
  ['core/settings/custom-streams.ts', 1], // from settings: measured there
  ['core/event-types/operator-types.ts', 1], // from the directory of event types: only parsed
  ['core/settings/schema-check.ts', 2], // from schemas of settings
  ['core/validation/slow-patterns.ts', 1], // from another pattern
  ['core/account/fields.ts', 1], // from settings: measured by core/settings/custom-streams.ts
  ['imports/formats/tracks/polar.ts', 1], // from constants
  ['imports/formats/tracks/suunto.ts', 1], // from constants
  ['imports/tables/known-makers.ts', 1], // from constants
  ['imports/tables/detect-mapping.ts', 1], // from rules, constants
  ['scripts/backup/manifest.ts', 1], // from constants
  ['scripts/dev/test-process.ts', 1], // from constants
  ['scripts/vetting/events.ts', 1], // from a schema's pattern, tested below
  ['web/app/data/typed-numbers.ts', 2], // from separators of numbers, constants
  ['web/app/events/fields.ts', 1] // from the directory of event types: measured by core/event-types/content-check.ts
])

interface Found {
  readonly literals: readonly { readonly file: string; readonly pattern: RegExp }[]
  readonly made: ReadonlyMap<string, number>
}

/** Returns all patterns in the sources. */
function patternsInSources(): Found {
  const literals: { file: string; pattern: RegExp }[] = []
  const counts = new Map<string, number>()
  for (const file of sources()) {
    const source = readFileSync(join(packageDirectory, file), 'utf8')
    if (!mayHavePatterns(source)) continue
    const { program } = parseSync(file, source)
    for (const node of nodesOf(program)) {
      const { callee, regex, type } = node as {
        callee?: { name?: string }
        regex?: { pattern: string; flags: string }
        type?: string
      }
      if (type === 'Literal' && regex)
        literals.push({ file, pattern: new RegExp(regex.pattern, regex.flags) })
      if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp')
        counts.set(file, (counts.get(file) ?? 0) + 1)
    }
  }
  return { literals, made: counts }
}

function sources(): string[] {
  return rooms.flatMap(room =>
    readdirSync(join(packageDirectory, room), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.c?tsx?$/.test(name) && !name.startsWith('bench'))
      .map(name => join(room, name))
      .toSorted()
  )
}

/** Returns whether a line has two slashes, as a pattern does, or builds one; except for imports and comments. */
function mayHavePatterns(source: string): boolean {
  return /\/[^\n]*\/|RegExp/.test(
    source.replaceAll(/^(?:import |export .* from |\} from | *\/?\*| *\/\/).*$/gm, '')
  )
}

/** Yields a value and all objects in it. */
function* nodesOf(value: unknown): Generator<object> {
  const left: unknown[] = [value]
  for (const item of left) {
    if (typeof item !== 'object' || item === null) continue
    yield item
    for (const inner of Object.values(item)) left.push(inner)
  }
}

/** Returns the patterns of schemas. */
function patternsOf(schemas: unknown): string[] {
  const texts = [...nodesOf(schemas)].flatMap(node => {
    const { pattern, patternProperties } = node as { pattern?: unknown; patternProperties?: object }
    return [...(typeof pattern === 'string' ? [pattern] : []), ...Object.keys(patternProperties ?? {})]
  })
  return [...new Set(texts)]
}

t.test('patterns', async t => {
  const { literals, made: counts } = patternsInSources()

  t.test('in the sources need time linear in the length of the text', async t => {
    t.ok(literals.length > 100, `${literals.length} patterns`)
    const met = literals.filter(({ file, pattern }) => !own.has(`${file} ${String(pattern)}`))
    const files = new Map(met.map(({ file, pattern }) => [String(pattern), { file, pattern }]))
    const tried = Array.from(files.values()).filter(({ pattern }) => repeats(pattern))
    for (const { file, pattern } of tried.filter((_each, at) => (at + seed) % turns === 0))
      t.equal(findSlowText(pattern), undefined, `${file}: ${String(pattern)}`)
    t.equal(literals.length - met.length, own.size, 'those of the list are there still')
  })

  t.test('built at run time are listed above', async t => {
    t.same(counts, made)
  })

  t.test('of schemas need time linear in the length of the text', async t => {
    const params = methods.map(method => method.params as TSchema)
    const patterns = patternsOf([
      params,
      { pattern: mailable },
      standardTypes,
      settingsList.map(({ schema }) => schema)
    ])
    t.ok(patterns.length > 10, `${patterns.length} patterns`)
    for (const pattern of patterns)
      for (const flags of ['', 'u']) t.equal(findSlowText(new RegExp(pattern, flags)), undefined, pattern)
  })

  t.test('of formats for event types need time linear in the length of the text', async t => {
    const require = createRequire(import.meta.url)
    const { fullFormats } = require('ajv-formats/dist/formats') as { fullFormats: Record<string, unknown> }
    t.ok(Object.keys(fullFormats).length > 20)
    for (const [name, format] of Object.entries(fullFormats)) {
      if (format instanceof RegExp) t.equal(findSlowText(format), undefined, name)
      const { validate = format } = Object(format) as { validate?: unknown }
      if (typeof validate === 'function')
        assertLinear(t, name, text => void (validate as (text: string) => unknown)(text))
    }
  })

  t.test('that are slow are distinguished from others', async t => {
    const slow = [/^(?:\s+(.*))?$/, /^(a+)+$/, /\s+$/, /\/*$/, /^(\w+\s?)*$/, /^\d+\.?\d*$/, /^x=(a|ab|b)*;/]
    const quick = [
      /^[^\s@]+@[^\s@]+$/,
      /^a+$/,
      /^\w+(?:\.\w+)*$/,
      /^(?:[^"\\]|\\.)*"/,
      /\s/,
      /^[a-z]{1,60}$/,
      / *;/y
    ]
    for (const pattern of rotate(t, slow, 3)) t.type(findSlowText(pattern), 'string', String(pattern))
    for (const pattern of quick) t.equal(findSlowText(pattern), undefined, String(pattern))
    t.equal(findSlowText(/^\d+\.?\d*$/, 1000), undefined, 'short texts')
    t.type(findSlowText(/^(a+)+$/, 1000), 'string')
  })
})

/** Returns whether a pattern repeats a part. Without, it reads a bounded number of characters from each position. */
function repeats({ source }: RegExp): boolean {
  return /[*+{]/.test(source)
}

const beginnings = [
  '',
  'http://',
  'a@',
  '1',
  '2000-01-01T',
  '2000-01-01T00:00:00',
  'P',
  'urn:',
  '{',
  '/',
  '%'
]
const repeated = 'a 0 . : / @ - { {a} %20 ~0 a. 0: T + x= = A \\ [ ( a| \n'.split(' ').concat(' ')

/** Compares the times for texts of two lengths. */
function assertLinear(t: Test, name: string, take: (text: string) => void): void {
  const timeOnce = (text: string): number => {
    const elapsed = stopwatch()
    take(text)
    return elapsed()
  }
  const timeOf = (text: string): number => Math.min(...Array.from({ length: 3 }, () => timeOnce(text)))
  for (const beginning of beginnings)
    for (const part of repeated) {
      const [short, long] = [25_000, 100_000].map(
        size => beginning + part.repeat(size / part.length) + '\u0000'
      )
      const isSlow = (): boolean => {
        if (timeOnce(long!) <= 100) return false
        const time = timeOf(long!)
        return time > 100 && time > 9 * timeOf(short!)
      }
      // Random delays do not occur three times in a row.
      if (isSlow() && isSlow() && isSlow())
        t.fail(`${name}: ${JSON.stringify(short!.slice(0, 30))}… takes ${timeOf(long!).toFixed()} ms`)
    }
}
