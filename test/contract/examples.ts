/** Records a successful call of each method over HTTP, as an example for the documentation. */
import { readFileSync, writeFileSync } from 'node:fs'
import { examplesFile, type Example } from '../../transports/openapi/examples.js'
import type { Answer } from '../support/coffer.js'
import type { World } from './world.js'

/** The host of all examples. */
const exampleHost = 'coffer.example'
const username = 'daisy'
/** Lists are truncated to this number of items. */
const mostItems = 3
/** Longest text that helps readers, in characters. */
const longest = 2000

/** Records one example per method: the first call. */
export class Examples {
  readonly #recorded = new Map<string, Example>()

  /** Records a call unless the method has one. `answered` is the whole response: JSON, text or bytes. */
  add(method: string, { params, answered, type }: Call, { owner, service }: World): void {
    if (this.#recorded.has(method)) return
    const isShown =
      typeof answered !== 'string' || (/^text\/|[/+]json/.test(type) && answered.length <= longest)
    const { host } = new URL(service.server.url)
    const text = JSON.stringify({ params, ...(isShown && { answer: shortened(answered) }) })
      .replaceAll(`http://${host}`, `https://${exampleHost}`)
      .replaceAll(new RegExp(`http://([\\w.-]+@)${host}`, 'g'), `https://$1${exampleHost}`)
      .replaceAll(host, exampleHost)
      .replaceAll(owner.username, username)
      // The other users of scenarios have a random end.
      .replaceAll(/\b(dora|paul)-[a-z0-9]{8}\b/g, '$1')
    this.#recorded.set(method, JSON.parse(text))
  }

  /** Returns the methods whose recorded example is missing or out of date in the repository. */
  outdated(): string[] {
    const known: Record<string, Example> = JSON.parse(readFileSync(examplesFile, 'utf8'))
    const names = new Set([...Object.keys(known), ...this.#recorded.keys()])
    return [...names].filter(name => shapeOf(name, known[name]) !== shapeOf(name, this.#recorded.get(name)))
  }

  /** Writes outdated examples to the repository. */
  write(): void {
    const known: Record<string, Example> = JSON.parse(readFileSync(examplesFile, 'utf8'))
    const outdated = new Set(this.outdated())
    const entries = [...this.#recorded].map(
      ([name, example]) => [name, outdated.has(name) ? example : known[name]] as const
    )
    writeFileSync(examplesFile, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`)
  }
}

interface Call {
  readonly params: unknown
  readonly answered: Answer
  /** The media type of the response. */
  readonly type: string
}

/** Returns a response whose lists are truncated for readers. */
function shortened(answer: Answer): Answer {
  return JSON.parse(
    JSON.stringify(answer, (_key, value: unknown) =>
      Array.isArray(value) && typeof value[0] === 'object' ? value.slice(0, mostItems) : value
    )
  )
}

/** Returns whether a method lists what all tests have created. */
const isOfAll = (method: string): boolean => method.startsWith('admin.')

/** Returns an example without what differs each time: ids, tokens, digests and times. */
function shapeOf(method: string, example: Example | undefined): string {
  return JSON.stringify(example, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null) return value
    if (isOfAll(method) || typeof value === 'number') return 0
    return typeof value === 'string' ? value.replace(/[\w+/=-]{14,}|[\w+/=-]*\d[\w+/=-]*/g, '1') : value
  })
}
