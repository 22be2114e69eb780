/**
 * Mail templates as files that operators can edit: `{template}/{language}/` with `subject.txt`, `text.txt`,
 * `html.html`. (docs/spec/authentication.md#mails)
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageDirectory } from '../../version.js'
import { escaped } from '../markup.js'

export interface Written {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The templates shipped with the service. */
const shipped = join(packageDirectory, 'mail')

/**
 * Renders a mail in the first language that has a template, looking in the operator's folder first. Files are read
 * each time, so that edits take effect at once.
 */
export async function written(
  directory: string,
  template: string,
  languages: readonly string[],
  substitutions: Readonly<Record<string, string>>
): Promise<Written> {
  for (const folder of directory === '' ? [shipped] : [directory, shipped])
    for (const language of languages) {
      const found = await read(join(folder, template, language))
      if (found) return filled(found, substitutions)
    }
  throw new Error(`there is no mail template ${template} in ${languages.join(', ')}`)
}

async function read(folder: string): Promise<Written | undefined> {
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

function filled({ subject, text, html }: Written, values: Readonly<Record<string, string>>): Written {
  return {
    subject: fill(subject, values, oneLine),
    text: fill(text, values, value => value),
    html: fill(html, values, escaped)
  }
}

function fill(
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

function oneLine(value: string): string {
  return value.replaceAll(/\s+/g, ' ')
}
