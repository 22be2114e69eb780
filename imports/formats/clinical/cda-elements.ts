/** Builds element trees of limited size from a clinical document. */
import { Unreadable } from '../../record.js'
import { getAttribute, getLocalName } from '../../text/xml.js'

/** Maximum depth of nested elements in a statement. */
const maxDepth = 100
/** Maximum length of a statement, in characters. */
const maxLength = 200_000

export class CdaElement {
  readonly children: CdaElement[] = []
  text = ''
  readonly name: string

  /** `tag` is the name as written; `attributes` is the text between the name and the end of the tag. */
  constructor(
    readonly tag: string,
    readonly attributes: string
  ) {
    this.name = getLocalName(tag)
  }

  /** Returns the value of an attribute; `undefined` if there is none. */
  get(name: string): string | undefined {
    return getAttribute(this.attributes, name)
  }

  /** Returns the first element at a path below this one. Returns `undefined` if there is none. */
  find(...path: readonly string[]): CdaElement | undefined {
    const [name, ...rest] = path
    const found = this.children.find(each => each.name === name)
    return rest.length === 0 ? found : found?.find(...rest)
  }

  /** Returns the children with a name. */
  findAll(name: string): CdaElement[] {
    return this.children.filter(each => each.name === name)
  }

  /** Returns the text of this element and its descendants, trimmed. */
  get wholeText(): string {
    return [this.text, ...this.children.map(each => each.wholeText)].join(' ').trim()
  }

  /** Formats the element as XML, without descendants that have one of the given names. */
  toXml(excluded?: ReadonlySet<string>): string {
    const parts = this.children
      .filter(({ name }) => excluded?.has(name) !== true)
      .map(each => each.toXml(excluded))
      .join('')
    const inner = escapeXml(this.text.trim()) + parts
    const start = `<${this.tag}${this.attributes.trimEnd()}`
    return inner === '' ? `${start}/>` : `${start}>${inner}</${this.tag}>`
  }
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Builds one element from the tags that a scanner finds. */
export class ElementBuilder {
  readonly root: CdaElement
  readonly #open: CdaElement[]
  #size = 0

  constructor(tag: string, attributes: string) {
    this.root = new CdaElement(tag, attributes)
    this.#open = [this.root]
  }

  /** True if the element exceeds the limit of a record, and is therefore incomplete. */
  get isTooLarge(): boolean {
    return this.#size > maxLength
  }

  /**
   * Handles a start tag. Throws `Unreadable` if elements are nested too deeply. Once the limit is exceeded,
   * elements are no longer added.
   */
  open(tag: string, attributes: string): void {
    if (this.#open.length >= maxDepth)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', { count: maxDepth })
    const element = new CdaElement(tag, attributes)
    this.#size += 2 * tag.length + attributes.length + 5
    if (!this.isTooLarge) this.#open.at(-1)!.children.push(element)
    this.#open.push(element)
  }

  /** Adds text to the innermost open element. Ignored once the limit is exceeded. */
  add(text: string): void {
    this.#size += text.trim().length
    if (!this.isTooLarge) this.#open.at(-1)!.text += text
  }

  /**
   * Closes an element; returns true if it is the root. An end tag of an element that is not open is ignored.
   */
  close(name: string): boolean {
    // Tolerates missing and superfluous end tags: the elements that contain them stay open.
    const index = this.#open.findLastIndex(each => each.name === name)
    if (index >= 0) this.#open.length = index
    return index === 0
  }
}
