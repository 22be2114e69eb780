/** Samples the contents of a lane: an example, and the range of its numbers. */
import type { ContentSample } from '../protocol.js'

/** Limits of an example and of the name of a field, in characters. */
const maxExampleLength = 200
const maxNameLength = 50
/** Maximum number of fields whose range is stored. */
const maxFields = 20

/** Collects the contents of one lane, or of all tracks of one kind. */
export class Sampler {
  #example: unknown
  #isFirst = true
  #min: number | Record<string, number> | undefined
  #max: number | Record<string, number> | undefined
  #fieldCount = 0

  /** Resumes from the result of an earlier reading. */
  constructor({ example, max, min }: ContentSample = {}) {
    this.#example = example
    this.#isFirst = example === undefined && min === undefined
    this.#min = typeof min === 'object' ? { ...min } : min
    this.#max = typeof max === 'object' ? { ...max } : max
    if (typeof min === 'object') this.#fieldCount = Object.keys(min).length
  }

  /** Adds a content to the extremes of its numbers or fields. The first content becomes the example. */
  add(content: unknown): void {
    if (this.#isFirst) this.#setExample(content)
    if (typeof content === 'number') {
      if (typeof this.#min !== 'number' || content < this.#min) this.#min = content
      if (typeof this.#max !== 'number' || content > this.#max) this.#max = content
    } else if (typeof content === 'object' && content !== null && !Array.isArray(content))
      this.#addFields(content as Readonly<Record<string, unknown>>)
  }

  /** The example and the extremes so far; members are absent without contents or numbers. */
  get sample(): ContentSample {
    const [example, min, max] = [this.#example, this.#min, this.#max]
    return {
      ...(example !== undefined && { example }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max })
    }
  }

  #setExample(content: unknown): void {
    this.#isFirst = false
    if (typeof content === 'string') this.#example = content.slice(0, maxExampleLength)
    else if (typeof content !== 'object' || JSON.stringify(content).length <= maxExampleLength)
      this.#example = content ?? undefined
  }

  /** Updates the extremes of the numbers in an object, up to a number of different fields. */
  #addFields(content: Readonly<Record<string, unknown>>): void {
    for (const name in content) {
      const value = content[name]
      if (typeof value !== 'number') continue
      if (typeof this.#min !== 'object' || typeof this.#max !== 'object') {
        this.#min = Object.create(null) as Record<string, number>
        this.#max = Object.create(null) as Record<string, number>
      }
      const [min, max] = [this.#min[name], this.#max[name]]
      if (min === undefined || max === undefined) {
        if (name.length > maxNameLength || ++this.#fieldCount > maxFields) continue
        this.#min[name] = value
        this.#max[name] = value
      } else if (value < min) this.#min[name] = value
      else if (value > max) this.#max[name] = value
    }
  }
}
