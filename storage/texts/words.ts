/**
 * The words of a text, as the search in texts knows them: without case and accents. What is kept and what is asked for go
 * through the same function; SQLite's tokenizer only tells blanks from the rest. (docs/decisions/0018-search-in-texts.md)
 */

import { limitMarks } from '../../schemas/marks.js'

/** Characters of a word that count: longer ones are cut to as many. */
const maxWordLength = 200

/** Letters, digits, and marks that are parts of letters in other scripts than Latin, Greek and Cyrillic. */
const wordPattern = /[\p{L}\p{N}\p{M}\p{Co}]+/gu
const accents = /[\u0300-\u036f]/g

/** Adds the words of a text to a set. */
export function addWords(text: string, words: Set<string>): void {
  // Parts come first: those of some signs are capitals, and the lower case of some capitals brings an accent with it.
  const folded = limitMarks(text).normalize('NFKD').toLowerCase().replace(accents, '')
  for (const [word] of folded.replaceAll('ß', 'ss').replaceAll('ς', 'σ').matchAll(wordPattern))
    words.add(truncateWord(word))
}

/**
 * What has to begin a word of a text that is sought: each once, the longest first, none that begins another one, since
 * that follows. Empty for a text without any word.
 */
export function toSearchWords(text: string): string[] {
  const words = new Set<string>()
  addWords(text, words)
  const longest = [...words].toSorted((a, b) => b.length - a.length)
  return longest.filter((word, index) => !longest.slice(0, index).some(other => other.startsWith(word)))
}

/** Words as they are kept, a blank before each: the first ones, up to so many characters. */
export function joinWords(words: Iterable<string>, maxLength = Infinity): string {
  let text = ''
  for (const word of words) {
    if (text.length + word.length >= maxLength) break
    text += ` ${word}`
  }
  return text
}

/** The words of {@link joinWords}. */
export function splitWords(text: string): string[] {
  return text === '' ? [] : text.slice(1).split(' ')
}

/** Not in the middle of a pair of surrogates, of which SQLite would make something else. */
function truncateWord(word: string): string {
  if (word.length <= maxWordLength) return word
  const isPair = /[\ud800-\udbff]/.test(word[maxWordLength - 1]!)
  return word.slice(0, isPair ? maxWordLength - 1 : maxWordLength)
}
