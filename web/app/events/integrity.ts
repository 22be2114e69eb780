/** Whether an event is as it was written: its digest, computed again in the browser. (docs/spec/integrity.md) */

/** `untold`: there is no digest; `unchecked`: this browser cannot make one. */
export type Proof = 'matches' | 'differs' | 'untold' | 'unchecked'

type Item = Readonly<Record<string, unknown>>

/** Returns whether an event matches its integrity value. */
export async function proofOf(event: object): Promise<Proof> {
  const { integrity } = event as Item
  if (typeof integrity !== 'string') return 'untold'
  const [, algorithm = '', digest] = /^EVENT:0:(\w+)-(.+)$/.exec(integrity) ?? []
  const name = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' }[algorithm]
  // Browsers make digests on secure pages only.
  if (name === undefined || !('subtle' in crypto)) return 'unchecked'
  const bytes = new Uint8Array(
    await crypto.subtle.digest(name, new TextEncoder().encode(eventText(event as Item)))
  )
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary) === digest ? 'matches' : 'differs'
}

/** Returns the text that the digest is made of. */
export function eventText(event: Item): string {
  const { integrity: _digest, tags: _tags, streamId, attachments, duration, trashed, ...rest } = event
  return canonical({
    ...rest,
    ...(rest['streamIds'] ? {} : { streamIds: [streamId] }),
    ...(duration ? { duration } : {}),
    ...(trashed === true ? { trashed } : {}),
    ...(Array.isArray(attachments)
      ? { attachments: (attachments as readonly Item[]).map(({ readToken: _own, ...each }) => each) }
      : {})
  })
}

function canonical(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const own = value as Item
  const members = Object.keys(own)
    .filter(key => own[key] !== null && own[key] !== undefined)
    .toSorted()
    .map(key => `${quoted(key)}:${canonical(own[key])}`)
  return `{${members.join(',')}}`
}

/** Those that JSON requires to be escaped, and invisible ones. */
const special = new RegExp(
  String.raw`["\\\u0000-\u001f\u007f-\u009f\u00ad\u0600-\u0604\u070f\u17b4\u17b5\u200c-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\uffff]`,
  'g'
)
const short: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\'
}

function quoted(text: string): string {
  return `"${text.replaceAll(
    special,
    each => short[each] ?? `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`
  )}"`
}
