/**
 * Decides which texts of an event can be searched: notes, descriptions and names of attached files.
 * (docs/spec/events.md#searching-texts)
 */
import type { Event } from '../../schemas/event.js'
import { removeMarkup } from './markup.js'
import { addWords, joinWords } from './words.js'

/** The prefix of types whose contents are texts; other contents are data. */
export const noteTypePrefix = 'note/'

/** Maximum length of an event's searched texts, in the order description, content, names of files; and of their words. */
const maxCharacters = 100_000

type Texts = Pick<Event, 'attachments' | 'content' | 'description' | 'type'>

/** Returns whether an event may hold text to be searched; most do not. */
export function mayHaveText({ attachments, description, type }: Texts): boolean {
  return type.startsWith(noteTypePrefix) || Boolean(description) || Boolean(attachments?.length)
}

/** Extracts the words of an event, as {@link joinWords} formats them; empty if there are none. */
export function extractWords(event: Texts): string {
  if (!mayHaveText(event)) return ''
  const words = new Set<string>()
  let remaining = maxCharacters
  const add = (text: string, convert: (value: string) => string = value => value): void => {
    if (remaining <= 0) return
    addWords(convert(text.slice(0, remaining)), words)
    remaining -= text.length
  }
  if (event.description) add(event.description)
  const note = event.type.startsWith(noteTypePrefix) ? getNoteText(event.content) : undefined
  if (note !== undefined) add(note, markupTypes.has(event.type) ? removeMarkup : undefined)
  for (const { fileName } of event.attachments ?? []) add(fileName)
  return joinWords(words, maxCharacters)
}

/** Types of notes with markup. */
const markupTypes: ReadonlySet<string> = new Set(['note/html', 'note/webclip'])

/** Returns the text of a note: the content, or its member `content`. */
function getNoteText(content: unknown): string | undefined {
  const text =
    typeof content === 'object' && content !== null ? (content as { content?: unknown }).content : content
  return typeof text === 'string' ? text : undefined
}
