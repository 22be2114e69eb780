/** Modules of the pages, for tests of their pure functions in Node: bundled as in the pages' build. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { packageDirectory } from '../../core/version.js'

/** Loads modules of the pages by their paths in `web/`; they share what they import. */
export async function loadWeb<T>(...paths: readonly string[]): Promise<T> {
  const entry = 'virtual:entry'
  const lines = paths.map(path => `export * from ${JSON.stringify(join(packageDirectory, 'web', path))}`)
  const built = await build({
    root: join(packageDirectory, 'web'),
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'entry',
        enforce: 'pre',
        resolveId: id => (id === entry ? `\0${id}` : undefined),
        load: id => (id === `\0${entry}` ? lines.join('\n') : undefined)
      }
    ],
    ssr: { noExternal: true },
    build: { ssr: true, write: false, rolldownOptions: { input: entry, output: { codeSplitting: false } } }
  })
  const { output } = built as { output: readonly { readonly code?: string }[] }
  const folder = mkdtempSync(join(tmpdir(), 'web-module-'))
  const file = join(folder, 'module.mjs')
  writeFileSync(file, output[0]!.code!)
  try {
    return (await import(pathToFileURL(file).href)) as T
  } finally {
    rmSync(folder, { recursive: true })
  }
}
