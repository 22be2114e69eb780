/**
 * The words of pages, mails, docs and comments: none has a retired one, and quotation marks and spaces of texts are
 * those of their language.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { messageFolders, readMessages } from '../support/messages.js'
import { pages, readSources, sourceFolders } from '../support/sources.js'

const languages = { en: 'English', de: 'German', fr: 'French' } as const
type Tag = keyof typeof languages

/** Files that have retired words: those that list or quote them, and migrations, which stay as they were. */
const unchecked = /^(?:CHANGELOG|docs\/glossary|CONTRIBUTING|storage\/migrations\/|core\/imports\/tally)/
const comments = /\/\*\*[^]*?\*\/|(?<=^|\s)\/\/ [^\n]*/gm

/** Mistakes by language, whatever the words: Swiss spelling, quotation marks, plain spaces. */
const misspelt: Readonly<Record<Tag, RegExp>> = {
  en: /\w'\w|"/,
  de: /[«»"‑]|\b(?:gross|gröss|grösst|mäss|mass|ausser|aussen|heiss|schliess|weiss|strass)\w*|massstab/i,
  fr: /["'‑]| [:;?!»]|«(?!\u00a0)|[^\u00a0]»|[^\u00a0\s]:(?!\/)(?=\s|$)|[^\u202f\s][;?!]/
}

/** Reads the retired words of a language, or of docs and comments, from the glossary. */
function readRetired(kind: string): string[] {
  const glossary = readFileSync(join(packageDirectory, 'docs/glossary.md'), 'utf8')
  const line = new RegExp(`^- ${kind}: (.+)$`, 'm').exec(glossary.split('## Retired words')[1]!)
  return line![1]!.split(', ')
}

/** Matches any of the words, whole and in any case. */
function matchWords(words: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${words.join('|')})(?![\p{L}\p{N}])`, 'iu')
}

for (const tag of Object.keys(languages) as Tag[])
  t.test(languages[tag], async t => {
    const retired = matchWords(readRetired(languages[tag]))
    for (const folder of messageFolders) {
      const texts = Object.entries(readMessages(folder, tag)) as [string, string][]
      const find = (pattern: RegExp) => texts.filter(([, text]) => pattern.test(text))
      t.same(find(retired), [], `${folder} has no retired word`)
      t.same(find(misspelt[tag]), [], `${folder} is spelt as ${languages[tag]} is`)
    }
    for (const template of readdirSync(join(packageDirectory, 'mail')))
      for (const file of ['subject.txt', 'text.txt', 'html.html']) {
        const text = readFileSync(join(packageDirectory, 'mail', template, tag, file), 'utf8')
        t.notMatch(text, retired, `${template}/${tag}/${file}`)
      }
  })

t.test('docs and comments', async t => {
  const retired = matchWords(readRetired('Docs and comments'))
  const prose = pages.map(file => ({
    file,
    text: readFileSync(join(packageDirectory, file), 'utf8').replaceAll(/^\|.*$/gm, '')
  }))
  const code = sourceFolders
    .flatMap(readSources)
    .map(({ file, text }) => ({ file, text: (text.match(comments) ?? []).join('\n') }))
  const files = [...prose, ...code].filter(({ file }) => !unchecked.test(file))
  t.ok(files.length > 1000)
  for (const { file, text } of files) {
    const found = retired.exec(text)
    if (found) t.fail(`${file}: ${found[0]}`)
  }
})

t.test('the patterns match mistakes, and nothing else', async t => {
  t.match('It was LEFT OUT again', matchWords(readRetired('English')))
  t.notMatch('Right outside', matchWords(readRetired('English')))
  t.match('Alles Einlesen', matchWords(readRetired('German')))
  t.match('Grösse', misspelt.de)
  t.notMatch('Größe, Passwort, wissen', misspelt.de)
  for (const text of ['Ouvrir ?', 'Ouvrir?', 'Nom : x', 'Nom: x', '« x »', "l'app"])
    t.match(text, misspelt.fr)
  t.notMatch('Ouvrir\u202f? Nom\u00a0: «\u00a0x\u00a0», https://x', misspelt.fr)
})
