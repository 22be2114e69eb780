/** Which texts of an event can be searched: notes, descriptions and names of attached files. (docs/spec/events.md#searching-texts) */
import type { Event } from '../../schemas/event.js'
import { withoutMarkup } from './markup.js'
import { addWords, joinWords } from './words.js'

/** What begins the types whose contents are texts: other contents are data, whatever they are called. */
export const noteClass = 'note/'

/** Characters of an event's texts that are searched, in the order: description, content, names of files; and of their words. */
const mostCharacters = 100_000

type Texts = Pick<Event, 'attachments' | 'content' | 'description' | 'type'>

/** Whether an event holds something that may be text to be searched; most hold nothing of the kind. */
export function mayHaveText({ attachments, description, type }: Texts): boolean {
  return type.startsWith(noteClass) || Boolean(description) || Boolean(attachments?.length)
}

/** The words of an event, as {@link joinWords} makes them; empty if there are none. */
export function wordsOf(event: Texts): string {
  if (!mayHaveText(event)) return ''
  const words = new Set<string>()
  let left = mostCharacters
  const add = (text: string, readable: (text: string) => string = as => as): void => {
    if (left <= 0) return
    addWords(readable(text.slice(0, left)), words)
    left -= text.length
  }
  if (event.description) add(event.description)
  const note = event.type.startsWith(noteClass) ? noteOf(event.content) : undefined
  if (note !== undefined) add(note, marked.has(event.type) ? withoutMarkup : undefined)
  for (const { fileName } of event.attachments ?? []) add(fileName)
  return joinWords(words, mostCharacters)
}

/** Types of notes with markup. */
const marked: ReadonlySet<string> = new Set(['note/html', 'note/webclip'])

/** A note is a text, or holds it as its `content`. */
function noteOf(content: unknown): string | undefined {
  const text =
    typeof content === 'object' && content !== null ? (content as { content?: unknown }).content : content
  return typeof text === 'string' ? text : undefined
}
