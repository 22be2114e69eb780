/** Checks XML from elsewhere before it is parsed. */

/** Elements within one another in an answer of storage. */
const maxDepth = 10
const tag = /<(\/?)([A-Za-z_][\w.:-]{0,100})((?:\s[^<>]*)?\/?)>/y

/**
 * Whether a text is empty, or elements that are closed in their order, without comments, declarations and sections: parsers may
 * take the square of the time for anything else. Linear.
 */
export function isPlainXml(text: string): boolean {
  const open: string[] = []
  const start = /^\s*<\?xml [^<>?]{0,200}\?>/.exec(text)?.[0].length ?? 0
  for (let at = text.indexOf('<', start); at >= 0; at = text.indexOf('<', tag.lastIndex)) {
    tag.lastIndex = at
    const [, slash, name, rest = ''] = tag.exec(text) ?? []
    if (name === undefined) return false
    if (slash === '/') {
      if (open.pop() !== name) return false
    } else if (!rest.endsWith('/') && open.push(name) > maxDepth) return false
  }
  return open.length === 0
}
