/** Elements of a clinical document, held as trees of a bounded size. */
import { Unreadable } from '../../record.js'
import { attribute, localName } from '../../text/xml.js'

/** Levels within one statement. */
const deepest = 100
/** Characters of one statement. */
const longest = 200_000

export class CdaElement {
  readonly children: CdaElement[] = []
  text = ''
  readonly name: string

  /** `tag`: its name as written; `attributes`: the text between it and the end of the tag. */
  constructor(
    readonly tag: string,
    readonly attributes: string
  ) {
    this.name = localName(tag)
  }

  /** Returns the value of an attribute. */
  get(name: string): string | undefined {
    return attribute(this.attributes, name)
  }

  /** Returns the first element at a path below it. */
  find(...path: readonly string[]): CdaElement | undefined {
    const [name, ...rest] = path
    const found = this.children.find(each => each.name === name)
    return rest.length === 0 ? found : found?.find(...rest)
  }

  all(name: string): CdaElement[] {
    return this.children.filter(each => each.name === name)
  }

  /** Returns its text and that of its parts, trimmed. */
  get wholeText(): string {
    return [this.text, ...this.children.map(each => each.wholeText)].join(' ').trim()
  }

  /** Writes it as XML, without those of its parts, however deep, that have one of these names. */
  toXml(without?: ReadonlySet<string>): string {
    const parts = this.children
      .filter(({ name }) => without?.has(name) !== true)
      .map(each => each.toXml(without))
      .join('')
    const inner = escape(this.text.trim()) + parts
    const start = `<${this.tag}${this.attributes.trimEnd()}`
    return inner === '' ? `${start}/>` : `${start}>${inner}</${this.tag}>`
  }
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Builds one element of what a scanner finds. */
export class ElementBuilder {
  readonly root: CdaElement
  readonly #open: CdaElement[]
  #size = 0

  constructor(tag: string, attributes: string) {
    this.root = new CdaElement(tag, attributes)
    this.#open = [this.root]
  }

  /** Whether it is larger than a record can be: it is not whole then. */
  get isTooLarge(): boolean {
    return this.#size > longest
  }

  open(tag: string, attributes: string): void {
    if (this.#open.length >= deepest)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', { count: deepest })
    const element = new CdaElement(tag, attributes)
    this.#size += 2 * tag.length + attributes.length + 5
    if (!this.isTooLarge) this.#open.at(-1)!.children.push(element)
    this.#open.push(element)
  }

  add(text: string): void {
    this.#size += text.trim().length
    if (!this.isTooLarge) this.#open.at(-1)!.text += text
  }

  /** Returns whether the element itself has ended. */
  close(name: string): boolean {
    // Where an end is missing, or one is there that nothing has begun, the elements around it still hold.
    const at = this.#open.findLastIndex(each => each.name === name)
    if (at >= 0) this.#open.length = at
    return at === 0
  }
}
