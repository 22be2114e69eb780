/** Text search, the slow and obvious way: character by character. */
import type { Event } from '../../schemas/event.js'
import type { Random } from './random.js'

/** Returns whether every word of `sought` is the prefix of a word in the event's texts. */
export function meetsText(event: Event, sought: string): boolean {
  const words = textsOf(event).flatMap(wordsIn)
  return wordsIn(sought).every(word => words.some(other => other.startsWith(word)))
}

/** Returns all words of an event, without duplicates. */
export function wordsOfModel(event: Event): Set<string> {
  return new Set(textsOf(event).flatMap(wordsIn))
}

function textsOf({ attachments = [], content, description = '', type }: Event): string[] {
  const texts = [description ?? '', ...attachments.map(({ fileName }) => fileName)]
  const note = type === 'note/webclip' ? Object(content).content : content
  if (type.startsWith('note/') && typeof note === 'string')
    texts.push(type === 'note/txt' ? note : seen(note))
  return texts
}

/** Returns the visible text of the markup that {@link someHtml} generates. */
function seen(html: string): string {
  let [text, tag, isTag] = ['', '', false]
  for (const character of html) {
    if (character === '<') [tag, isTag] = ['', true]
    else if (!isTag) text += character
    else if (character === '>') {
      isTag = false
      if (!['b', '/b'].includes(tag)) text += ' '
    } else tag += character
  }
  return text.replaceAll('&auml;', 'ä').replaceAll('&#233;', 'é').replaceAll('&amp;', '&')
}

/** Words of texts: each text is searched many times. */
const wordsByText = new Map<string, readonly string[]>()

function wordsIn(text: string): readonly string[] {
  const known = wordsByText.get(text)
  if (known) return known
  const words = ['']
  for (const character of text.normalize('NFKD')) {
    const code = character.codePointAt(0)!
    if (code >= 0x300 && code <= 0x36f) continue
    if (!/^[\p{L}\p{N}\p{M}]$/u.test(character)) words.push('')
    else words[words.length - 1] += spelt[character] ?? character.toLowerCase()
  }
  const filled = words.filter(word => word !== '')
  wordsByText.set(text, filled)
  return filled
}

const spelt: Readonly<Record<string, string>> = { ß: 'ss', ẞ: 'ss', ς: 'σ' }

const stems = [
  'head', 'ache', 'Kopf', 'schmerz', 'Straße', 'café', 'naïve', 'Ärztin', 'ﬁn', 'ΟΔΟΣ', 'жар', 'Ёлка', '心臓', 'नमस्ते', 'がん',
  'a', 'I', '5', '37', 'İzmir', 'œuvre', 'x', 'NEAR', 'AND', 'not', '℡', '𝔘', 'ı'
] // oxfmt-ignore

/** Returns a random word; some are far more frequent than others. */
export function someWord(random: Random): string {
  const stem = (): string => stems[Math.floor(stems.length * random.next() ** 2)]!
  return random.chance(0.3) ? stem() + stem() : stem()
}

const gaps = [' ', ', ', '\n', '-', '…', ' 😀 ', '"', '\0', '_', "'", '*', '\ud83d']

export function someText(random: Random, most = 12): string {
  return Array.from({ length: 1 + random.below(most) }, () => someWord(random) + random.pick(gaps)).join('')
}

export function someHtml(random: Random): string {
  const forms = [
    '<p>W</p>',
    '<b>W</b>W',
    'W<br/>W',
    '<i class="head">W</i >',
    'W &amp; W',
    '&auml;W',
    'W&#233;'
  ]
  const plain = (): string => someWord(random)
  return random.some(forms, 6).map(form => form.replaceAll('W', plain)).join(' ') // oxfmt-ignore
}
