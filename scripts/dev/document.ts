/** Generates the list of settings in docs/settings.md, that of measures in docs/api/measures.md, the drawings of docs/connect, and the types of the client's methods. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatSettingsPage } from '../../core/settings/list.js'
import { packageDirectory } from '../../core/version.js'
import { generateClientFiles, clientMethodsFolder } from './client-methods.js'
import { drawGuides } from './guides/guides.js'
import { formatMeasuresPage } from './measures-page.js'

replaceGenerated('docs/settings.md', formatSettingsPage())
replaceGenerated('docs/api/measures.md', formatMeasuresPage())

const images = join(packageDirectory, 'docs', 'connect', 'images')
mkdirSync(images, { recursive: true })
for (const [name, drawing] of drawGuides()) writeFileSync(join(images, `${name}.svg`), drawing)

const files = await generateClientFiles()
rmSync(clientMethodsFolder, { recursive: true, force: true })
mkdirSync(clientMethodsFolder, { recursive: true })
for (const [name, text] of files) writeFileSync(join(clientMethodsFolder, name), text)

/** Replaces what follows the comment that marks the generated part of a page. */
function replaceGenerated(name: string, text: string): void {
  const page = join(packageDirectory, name)
  const [introduction, mark] = readFileSync(page, 'utf8').split(/(<!-- (?:measures|settings)[^>]*-->\n)/)
  writeFileSync(page, `${introduction}${mark}\n${text}\n`)
}
