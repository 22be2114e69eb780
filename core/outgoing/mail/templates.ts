/**
 * Mail templates as files that operators can edit: `{template}/{language}/` with `subject.txt`, `text.txt`,
 * `html.html`. (docs/spec/authentication.md#mails)
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageDirectory } from '../../version.js'
import { escapeMarkup } from '../markup.js'

interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The templates shipped with the service. */
const builtInTemplates = join(packageDirectory, 'mail')

/**
 * Renders a mail in the first language that has a template, looking in the operator's folder first. Files are
 * read each time, so that edits take effect at once. Placeholders without a value become empty. Rejects if
 * there is no template.
 */
export async function renderMail(
  directory: string,
  template: string,
  languages: readonly string[],
  substitutions: Readonly<Record<string, string>>
): Promise<RenderedMail> {
  for (const folder of directory === '' ? [builtInTemplates] : [directory, builtInTemplates])
    for (const language of languages) {
      const found = await readTemplate(join(folder, template, language))
      if (found) return fillTemplate(found, substitutions)
    }
  throw new Error(`no email template ${template} in ${languages.join(', ')}`)
}

/** Reads the files of a template; `undefined` if one of them is missing. */
async function readTemplate(folder: string): Promise<RenderedMail | undefined> {
  try {
    const [subject, text, html] = await Promise.all(
      ['subject.txt', 'text.txt', 'html.html'].map(name => readFile(join(folder, name), 'utf8'))
    )
    return { subject: subject!, text: text!, html: html! }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function fillTemplate(
  { subject, text, html }: RenderedMail,
  values: Readonly<Record<string, string>>
): RenderedMail {
  return {
    subject: fillText(subject, values, toOneLine),
    text: fillText(text, values, value => value),
    html: fillText(html, values, escapeMarkup)
  }
}

function fillText(
  template: string,
  values: Readonly<Record<string, string>>,
  shown: (value: string) => string
): string {
  return template
    .replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_whole, name: string) =>
      Object.hasOwn(values, name) ? shown(values[name]!) : ''
    )
    .trim()
}

function toOneLine(value: string): string {
  return value.replaceAll(/\s+/g, ' ')
}
