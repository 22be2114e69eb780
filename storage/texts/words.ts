/**
 * The words of a text as the text search compares them: without case and accents. Stored and searched texts go through
 * the same function; SQLite's tokenizer only splits at blanks. (docs/decisions/0018-search-in-texts.md)
 */

import { limitMarks } from '../../schemas/marks.js'

/** Maximum length of a word; longer ones are truncated. */
const maxWordLength = 200

/** Letters, digits, and marks that are parts of letters in scripts other than Latin, Greek and Cyrillic. */
const wordPattern = /[\p{L}\p{N}\p{M}\p{Co}]+/gu
const accents = /[\u0300-\u036f]/g

/** Adds the words of a text to a set. */
export function addWords(text: string, words: Set<string>): void {
  // NFKD first: some characters decompose to capitals, and lower-casing some capitals adds an accent.
  const folded = limitMarks(text).normalize('NFKD').toLowerCase().replace(accents, '')
  for (const [word] of folded.replaceAll('ß', 'ss').replaceAll('ς', 'σ').matchAll(wordPattern))
    words.add(truncateWord(word))
}

/**
 * Returns the distinct words with which a word of a matching text must begin, the longest first, without those that are
 * a beginning of another one. Empty for a text without words.
 */
export function toSearchWords(text: string): string[] {
  const words = new Set<string>()
  addWords(text, words)
  const longest = [...words].toSorted((a, b) => b.length - a.length)
  return longest.filter((word, index) => !longest.slice(0, index).some(other => other.startsWith(word)))
}

/** Formats words for storage, a blank before each: the first ones, up to a length in characters. */
export function joinWords(words: Iterable<string>, maxLength = Infinity): string {
  let text = ''
  for (const word of words) {
    if (text.length + word.length >= maxLength) break
    text += ` ${word}`
  }
  return text
}

/** Splits what {@link joinWords} returns. */
export function splitWords(text: string): string[] {
  return text === '' ? [] : text.slice(1).split(' ')
}

/** Truncates a word, but not within a surrogate pair, which SQLite would change. */
function truncateWord(word: string): string {
  if (word.length <= maxWordLength) return word
  const isPair = /[\ud800-\udbff]/.test(word[maxWordLength - 1]!)
  return word.slice(0, isPair ? maxWordLength - 1 : maxWordLength)
}
