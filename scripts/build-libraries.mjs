/**
 * Builds copies of libraries into `dist/node_modules`, where Node finds them before the installed ones. TypeBox consists of hundreds
 * of modules: loading them took more than half of the startup time, and 20 MB.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const name = 'typebox'
const outDir = join(root, 'dist', 'node_modules', name)

const main = fileURLToPath(import.meta.resolve(name))
const { exports, license, version } = JSON.parse(readFileSync(findPackageFile(main), 'utf8'))
const entries = Object.keys(exports).map(path => [path === '.' ? 'index' : path.slice(2), path])

await build({
  root,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir,
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(
        entries.map(([entry, path]) => [entry, fileURLToPath(import.meta.resolve(join(name, path)))])
      ),
      output: { entryFileNames: '[name].js', chunkFileNames: 'parts/[name].js' }
    }
  }
})

const paths = Object.fromEntries(entries.map(([entry, path]) => [path, `./${entry}.js`]))
const described = { name, version, license, type: 'module', exports: paths }
writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(described, undefined, 2)}\n`)

/** Returns the path of the `package.json` that a file belongs to. */
function findPackageFile(file) {
  const folder = dirname(file)
  const candidate = join(folder, 'package.json')
  try {
    if (JSON.parse(readFileSync(candidate, 'utf8')).exports) return candidate
  } catch {
    // There is none here: look in the parent folder.
  }
  return findPackageFile(folder)
}
