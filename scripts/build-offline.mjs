/** Builds what makes the app installable: its manifest with icons, and the service worker that caches its files. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

/** Icons by name: complete ones, and maskable ones that systems crop to their own shape. */
const icons = ['icon', 'maskable'].flatMap(name =>
  [192, 512].map(size => ({ name: `${name}-${size}.png`, size }))
)

/** Returns a plugin that adds the manifest and its icons, whose names contain a hash. `assets`: the folder of the icons. */
export function webManifest(assets) {
  return {
    name: 'web-manifest',
    generateBundle() {
      const files = icons.map(({ name, size }) => {
        const source = readFileSync(join(assets, name))
        const src = this.getFileName(this.emitFile({ type: 'asset', name, source }))
        const purpose = name.startsWith('maskable') ? 'maskable' : 'any'
        return { src, sizes: `${size}x${size}`, type: 'image/png', purpose }
      })
      const manifest = {
        name: 'Coffer',
        // Relative to the manifest, so that the app works below any path.
        start_url: './',
        scope: './',
        display: 'standalone',
        theme_color: '#245c63',
        background_color: '#f3f1e9',
        icons: files
      }
      const source = `${JSON.stringify(manifest, undefined, 2)}\n`
      this.emitFile({ type: 'asset', fileName: 'manifest.webmanifest', source })
    }
  }
}

/**
 * Builds the service worker into `outDir`. `files`: all files of the app except the shell; `main`: the entry of the shell.
 */
export async function buildWorker({ root, outDir, files, main }) {
  const hash = createHash('sha256')
  for (const file of ['app.html', ...files]) hash.update(readFileSync(join(outDir, file)))
  const version = hash.digest('base64url').slice(0, 16)
  await build({
    root: join(root, 'web'),
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: { BUILD: JSON.stringify({ version, main, files }) },
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      rolldownOptions: {
        input: join(root, 'web/worker/worker.ts'),
        output: { format: 'iife', entryFileNames: 'worker.js' }
      },
      modulePreload: false,
      reportCompressedSize: false
    }
  })
}
