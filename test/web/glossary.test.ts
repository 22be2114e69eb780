/** The words of the pages: no text has a retired one, and quotation marks and spaces are those of its language. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { messageFolders, readMessages } from '../support/messages.js'

/** Folders of texts that keep to the glossary, or what these begin with. */
const checked = ['app/']

const languages = { en: 'English', de: 'German', fr: 'French' } as const
type Tag = keyof typeof languages

/** What is wrong in a language, whatever the words: Swiss spelling, quotation marks, plain spaces. */
const misspelt: Readonly<Record<Tag, RegExp>> = {
  en: /\w'\w|"/,
  de: /[«»"‑]|\b(?:gross|gröss|grösst|mäss|mass|ausser|aussen|heiss|schliess|weiss|strass)\w*|massstab/i,
  fr: /["'‑]| [:;?!»]|«(?!\u00a0)|[^\u00a0]»|[^\u00a0\s]:(?!\/)(?=\s|$)|[^\u202f\s][;?!]/
}

/** Reads the retired words of a language from the glossary. */
function readRetired(tag: Tag): string[] {
  const glossary = readFileSync(join(packageDirectory, 'docs/glossary.md'), 'utf8')
  const line = new RegExp(`^- ${languages[tag]}: (.+)$`, 'm').exec(glossary.split('## Retired words')[1]!)
  return line![1]!.split(', ')
}

/** Matches any of some words, whole and in any case. */
function matchWords(words: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${words.join('|')})(?![\p{L}\p{N}])`, 'iu')
}

const folders = messageFolders.filter(each => checked.some(start => each.startsWith(start)))
t.ok(folders.length > 10, 'there are texts')

for (const tag of Object.keys(languages) as Tag[])
  t.test(languages[tag], async t => {
    const retired = matchWords(readRetired(tag))
    for (const folder of folders) {
      const texts = Object.entries(readMessages(folder, tag)) as [string, string][]
      const find = (pattern: RegExp) => texts.filter(([, text]) => pattern.test(text))
      t.same(find(retired), [], `${folder} has no retired word`)
      t.same(find(misspelt[tag]), [], `${folder} is spelt as ${languages[tag]} is`)
    }
  })

t.test('finds what it looks for', async t => {
  t.match('It was LEFT OUT again', matchWords(readRetired('en')))
  t.notMatch('Right outside', matchWords(readRetired('en')))
  t.match('Alles Einlesen', matchWords(readRetired('de')))
  t.match('Grösse', misspelt.de)
  t.notMatch('Größe, Passwort, wissen', misspelt.de)
  for (const text of ['Ouvrir ?', 'Ouvrir?', 'Nom : x', 'Nom: x', '« x »', "l'app"])
    t.match(text, misspelt.fr)
  t.notMatch('Ouvrir\u202f? Nom\u00a0: «\u00a0x\u00a0», https://x', misspelt.fr)
})
