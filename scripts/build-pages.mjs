/** Builds the web pages into `dist/web`, with a compressed copy of each file, and refuses a bundle that has grown too large. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const outDir = join(root, 'dist', 'web')
/** Most that all of it may weigh compressed, in bytes. */
const limit = 80 * 1024

await build({
  root: join(root, 'web'),
  configFile: false,
  // Relative: the pages work below whatever path the service is reached.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    // Files of their own: the pages' policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false
  }
})

let size = 0
for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const path = join(entry.parentPath, entry.name)
  const compressed = gzipSync(readFileSync(path), { level: 9 })
  size += compressed.length
  writeFileSync(`${path}.gz`, compressed)
}
console.log(`pages: ${(size / 1024).toFixed(1)} of ${limit / 1024} KB, compressed`)
if (size > limit) process.exitCode = 1
